"""The section of `docs/benchmarks.md` about memory, between two markers, which `make bench` keeps."""

BEGIN = "<!-- memory: written by `make bench-memory MEMORY_WRITE=1` -->"
END = "<!-- end of memory -->"


def section_of(page):
    """Returns the section with its markers; empty if the page has none."""
    start, end = page.find(BEGIN), page.find(END)
    return page[start : end + len(END)] if 0 <= start < end else ""


def with_section(page, section):
    """Returns the page with this section, instead of an older one or at the end."""
    old = section_of(page)
    return page.replace(old, section) if old else f"{page.rstrip()}\n\n{section}\n"


def written(lines, options, machine):
    """Returns the section for these rows of the table."""
    text = (
        f"`make bench-memory MEMORY_WRITE=1` writes this section. Generated jobs of {options.ranks} ranks are loaded, and every analysis, "
        f"description, comparison and query is asked about all ranks, within {options.budget} and without a budget; {options.rounds} "
        "rounds, medians. The digests of all columns and answers must be equal. The peak is the system's own (`VmHWM`), pages of "
        "mapped files included; own pages and pages of files are sampled. The ratio is that of the wall times of loading and "
        "answering together. HTA loads all ranks and answers seven analyses; each of its processes may hold so much address space."
    )
    return "\n".join([BEGIN, "", "## Many ranks within a memory budget", "", text, "", machine, "", *lines, "", END])

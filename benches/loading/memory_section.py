"""The section of `docs/benchmarks.md` about memory, between two markers. `make bench` keeps it and what follows."""

BEGIN = "<!-- memory: written by `make bench-memory MEMORY_WRITE=1` -->"
END = "<!-- end of memory -->"


def kept(page):
    """Returns what `make bench` does not write: the section and what follows; empty if the page has none."""
    start = page.find(BEGIN)
    return page[start:] if start >= 0 else ""


def with_section(page, section, markers=(BEGIN, END)):
    """Returns the page with this section, instead of an older one between these markers or at the end."""
    start, end = map(page.find, markers)
    if 0 <= start < end:
        return page[:start] + section + page[end + len(markers[1]) :]
    return f"{page.rstrip()}\n\n{section}\n"


def written(lines, options, machine):
    """Returns the section for these rows of the table."""
    times = "once" if options.rounds == 1 else f"{options.rounds} times; medians"
    text = (
        f"`make bench-memory MEMORY_WRITE=1` writes this section. Generated jobs of {options.ranks} ranks are loaded, and every analysis, "
        f"description, comparison and query is asked about all ranks, within {options.budget} and without a budget, "
        f"{times}. The digests of all columns and answers must be equal. The peak is the system's own (`VmHWM`), pages of "
        "mapped files included; own pages and pages of files are sampled. The ratio is that of the wall times of loading and "
        "answering together. HTA loads all ranks and answers seven analyses; each of its processes may hold so much address space."
    )
    return "\n".join([BEGIN, "", "## Many ranks within a memory budget", "", text, "", machine, "", *lines, "", END])

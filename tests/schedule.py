"""Distribution of tests to the workers of pytest-xdist: a group of files after the other, each to the first idle worker."""

from xdist.scheduler import LoadScopeScheduling

# Files that share what is expensive, or use what there is only once.
GROUPS = {
    # Executed notebooks.
    "notebooks": ["notebooks/test_bundles.py", "notebooks/test_demo.py", "notebooks/test_analysis.py", "notebooks/test_first.py"],
    # Cargo's target folder.
    "cargo": ["packaging/test_cargo_install.py", "test_bench.py", "test_dependencies.py"],
    # JupyterLab and a browser.
    "browser": ["browser/"],
}
# The groups and files that take longest, to begin with: one that began last would run alone.
LONGEST = ["browser", "cargo", "notebooks", "kernel/test_cluster.py"]


def group_of(nodeid):
    """The name of the group of a test: one of above, or its file."""
    file = nodeid.split("::")[0].removeprefix("tests/")
    return next((name for name, files in GROUPS.items() if file.startswith(tuple(files))), file)


def rank_of(nodeid):
    """The place of a group among those to begin with."""
    group = group_of(nodeid)
    return LONGEST.index(group) if group in LONGEST else len(LONGEST)


class Schedule(LoadScopeScheduling):
    def _split_scope(self, nodeid):
        return group_of(nodeid)

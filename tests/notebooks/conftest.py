"""Fixtures: each notebook, executed once in a copy of its folder."""

import os
import shutil

import nbformat
import pytest

from execute import execute as execute_notebook
from outputs import Executed
from places import ROOT


@pytest.fixture(scope="session")
def execute(tmp_path_factory):
    """Executes a notebook with additional environment variables and cells."""

    def run(name, env=None, then=()):
        folder = tmp_path_factory.mktemp(name)
        copy = folder / "notebooks"
        shutil.copytree(ROOT / "notebooks", copy, ignore=shutil.ignore_patterns("*.executed.ipynb", ".*"))
        notebook = nbformat.read(copy / f"{name}.ipynb", as_version=4)
        for number, source in enumerate(then):
            notebook.cells.append(nbformat.v4.new_code_cell(source, id=f"then-{number}"))
        environment = {**os.environ, "TMPDIR": str(folder), **(env or {})}
        if not env or "TRACEBOOK_DATA" not in env:
            environment.pop("TRACEBOOK_DATA", None)
        execute_notebook(notebook, copy, env=environment)
        return Executed(notebook, folder)

    return run


@pytest.fixture(scope="session")
def demo(execute):
    """The notebook of comparisons on its own data."""
    return execute("trace_diff_demo")


@pytest.fixture(scope="session")
def analysis(execute):
    """The notebook of analyses on its own data."""
    return execute("trace_analysis_demo")


@pytest.fixture(scope="session")
def first(execute):
    """The short notebook on the recorded CPU runs."""
    return execute("your_first_diff")


@pytest.fixture(scope="session")
def explained(execute):
    """The notebook that explains a slower step."""
    return execute("explain_demo")


@pytest.fixture(scope="session")
def critical(execute):
    """The notebook of critical paths."""
    return execute("critical_path")


@pytest.fixture(scope="session")
def explored(execute):
    """The notebook of SQL, pipelines and files."""
    return execute("explore")


@pytest.fixture(scope="session")
def timelines(execute):
    """The notebook of timelines and flame graphs."""
    return execute("timeline")

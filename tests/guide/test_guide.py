"""Every cell of the guide runs, in one session per page, and prints what the page shows."""

import nbformat
import pytest
from nbclient import NotebookClient

from pages import GUIDE, cells, plain, rows
from places import KERNEL, ROOT

PAGES = sorted(page for page in GUIDE.glob("*.md") if cells(page))


def words(text):
    return " ".join(text.split())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_cells_of_the_page_do_what_it_says(page, tmp_path):
    (tmp_path / "data").symlink_to(ROOT / "notebooks" / "data")
    found = cells(page)
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell.source) for cell in found])
    NotebookClient(
        notebook, kernel_name=KERNEL, timeout=180, allow_errors=True, resources={"metadata": {"path": str(tmp_path)}}
    ).execute()
    for cell, ran in zip(found, notebook.cells, strict=True):
        errors = [plain(output) for output in ran.outputs if output["output_type"] == "error"]
        assert bool(errors) == cell.fails, f"{cell.source}\n{errors}"
        shown = words("\n".join(plain(output) for output in ran.outputs))
        for line in cell.lines:
            assert words(line) in shown, f"{cell.source}\n{shown}"


def test_the_right_column_of_the_pandas_page_runs(tmp_path):
    (tmp_path / "data").symlink_to(ROOT / "notebooks" / "data")
    page = GUIDE / "from-pandas.md"
    ours = [code for row in rows(page) for code in row[1]]
    assert len(ours) >= 25
    sources = [cell.source for cell in cells(page)] + ours
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in sources])
    NotebookClient(
        notebook, kernel_name=KERNEL, timeout=180, allow_errors=True, resources={"metadata": {"path": str(tmp_path)}}
    ).execute()
    for ran in notebook.cells:
        errors = [plain(output) for output in ran.outputs if output["output_type"] == "error"]
        assert not errors, f"{ran.source}\n{errors}"
        assert ran.outputs or "--quiet" in ran.source or ran.source.startswith("write_") or ran.source.endswith(";\n"), (
            f"{ran.source} shows nothing"
        )


def test_most_pages_have_cells():
    assert len(PAGES) >= 10

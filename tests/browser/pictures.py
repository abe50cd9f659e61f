"""`python tests/browser/pictures.py FOLDER`: writes the pictures of the README: the demo traces in a real JupyterLab.

Needs Chromium, and the kernel in the environment of this Python (`make screenshots` installs it). Every picture is cropped to
its subject.
"""

import sys
import tempfile
from pathlib import Path

import nbformat

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests" / "browser")]

from playwright.sync_api import expect  # noqa: E402

import chromium  # noqa: E402
from execute import execute  # noqa: E402
from lab import lab  # noqa: E402
from looks import open_notebook, switch_theme  # noqa: E402

CELLS = [
    "%trace_load data/control --as control\n%trace_load data/test --as test",
    "%compare_traces control test --device-type gpu --use-short-name --top 8",
    "%visualize control test --device-type gpu --use-short-name --kind duration --top 10",
    "%trace_load data/job --as job --quiet\n%describe job --top 4",
    "%timeline control",
    "%flame control test",
]
LOADED, TABLE, FIGURE, DESCRIBED, TIMELINE, FLAME = range(len(CELLS))
WIDTH, HEIGHT = 1180, 800
# A picture in the README is no larger than this.
MOST_BYTES = 200_000


def executed(path):
    """Executes the notebook of the pictures."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in CELLS])
    notebook.metadata["kernelspec"] = {"display_name": "Rust (Tracebook)", "language": "rust", "name": "tracebook"}
    (path.parent / "data").symlink_to(ROOT / "notebooks" / "data")
    execute(notebook, path.parent)
    nbformat.write(notebook, path)
    kinds = [kind for cell in notebook.cells for output in cell.outputs for kind in output.get("data", {})]
    return kinds.count("application/vnd.plotly.v1+json"), kinds.count("application/vnd.tracebook.table.v1+json")


def cell(page, number):
    return page.play.locator(".jp-Notebook .jp-Cell").nth(number)


def still(page):
    """Opens the notebook without focus, menu or hover. The active cell, which has a bar and buttons, is the first."""
    cell(page, LOADED).locator(".jp-InputPrompt").click()
    page.play.mouse.move(2, HEIGHT - 2)
    page.evaluate("document.activeElement?.blur(); new Promise((done) => setTimeout(done, 700))")


def picture(page, folder, name, *parts, most=HEIGHT):
    """Writes a picture from the first to the last of the elements, up to a height."""
    page.size(WIDTH, 4000)
    still(page)
    boxes = [part.bounding_box() for part in parts]
    top, bottom = min(box["y"] for box in boxes), max(box["y"] + box["height"] for box in boxes)
    left, right = min(box["x"] for box in boxes), max(box["x"] + box["width"] for box in boxes)
    path = folder / f"{name}.png"
    clip = {"x": left, "y": top, "width": right - left, "height": min(bottom - top, most)}
    page.play.screenshot(path=path, clip=clip)
    size = path.stat().st_size
    print(f"{path}: {size // 1000} kB")
    assert size < MOST_BYTES, f"{path} takes {size} bytes"


def take(page, folder):
    """Writes all pictures."""
    page.evaluate("window.jupyterapp.commands.execute('application:toggle-left-area')")
    switch_theme(page, "JupyterLab Light")
    table = cell(page, TABLE).locator(".tracebook-table")
    table.get_by_role("columnheader", name="test_total_duration").get_by_role("button").click()
    expect(table.locator("th[aria-sort]")).to_have_count(1)
    picture(page, folder, "table", cell(page, TABLE))
    picture(page, folder, "figure", cell(page, FIGURE))
    picture(page, folder, "describe", cell(page, DESCRIBED), most=1600)
    timeline = cell(page, TIMELINE).locator(".tl-stage")
    timeline.focus()
    for key in ("Enter", "w", "w", "w", "w"):
        page.play.keyboard.press(key)
    expect(cell(page, TIMELINE).locator(".tl-panel")).to_be_visible()
    picture(page, folder, "timeline", cell(page, TIMELINE))
    picture(page, folder, "flame", cell(page, FLAME))
    switch_theme(page, "JupyterLab Dark")
    picture(page, folder, "dark", cell(page, TABLE), cell(page, FIGURE), most=1150)


def main(target):
    folder = Path(target)
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="tracebook-pictures-") as place:
        notebooks = Path(place) / "notebooks"
        notebooks.mkdir()
        figures, tables = executed(notebooks / "tracebook.ipynb")
        with lab(Path(place), notebooks) as server, chromium.browser() as browser, chromium.page(browser) as page:
            open_notebook(page, server.url("tracebook.ipynb"), figures, tables)
            take(page, folder)
            assert not page.errors, page.errors


if __name__ == "__main__":
    main(*sys.argv[1:])

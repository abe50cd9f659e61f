"""Cells of the real kernel in JupyterLab and Notebook 7: colours of magic lines, durations, text outputs."""

import json
import re

import nbformat
import pytest
from playwright.sync_api import expect

from looks import DRAWN, own_errors, switch_theme
from places import KERNEL, ROOT
from waiting import AT_MOST, wait_until

CELLS = [
    "%trace_load data/job --as job\nlet as_of = 5; // use where",
    "b = %memory_bw_summary job --where 'dur > 1us and name ~ \"Mem\"' --top 10\n%show b --csv {1 + 1}.csv \"it's /*\nlet use_where = 1;",
    'std::thread::sleep(std::time::Duration::from_millis(300));\nprintln!("{}", "shallowest are looked at --test-iteration 1010 ".repeat(9))',
    'panic!("on purpose")',
]
CELL_COUNT = len(CELLS)
LOAD, MAGICS, TEXT, PANIC = range(len(CELLS))
SPEC = json.loads((ROOT / "kernelspec" / "kernel.json").read_text())
DURATION = re.compile(r"^(\d+ ms|\d+\.\d+ s)$")

# The coloured pieces of a cell's editor, each with text, colour and weight.
PIECES = """
(cell) => [...cell.querySelectorAll('.cm-line')].map((line) => {
  const pieces = [];
  const walk = (node) => node.childNodes.forEach((child) => child.nodeType === 3
    ? pieces.push([child.data, getComputedStyle(child.parentNode).color, getComputedStyle(child.parentNode).fontWeight])
    : walk(child));
  walk(line);
  return pieces;
})
"""


def notebook(path, kernel, cells=CELLS):
    """Writes a notebook for a kernel, with cells that have not run."""
    made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in cells])
    made.metadata["kernelspec"] = {"name": kernel, "display_name": kernel, "language": "rust"}
    language = {"name": "rust", "mimetype": "text/x-rust", "file_extension": ".rs", "codemirror_mode": "rust"}
    made.metadata["language_info"] = language
    nbformat.write(made, path)


@pytest.fixture(scope="module")
def with_cells(server):
    (server.folder / "data").symlink_to(ROOT / "notebooks" / "data")
    return server


def open_cells(page, url, count=CELL_COUNT):
    page.open(url)
    page.wait(f"document.querySelectorAll('.jp-Notebook .jp-CodeCell .cm-content').length === {count}")


def cell(page, number):
    return page.play.locator(".jp-Notebook .jp-CodeCell").nth(number)


def run_all(page):
    """Runs all cells, once the kernel has answered."""
    page.wait("window.jupyterapp.shell.currentWidget?.sessionContext?.session?.kernel?.status === 'idle'")
    # Jupyter starts another kernel of the same language if it does not know that of the notebook.
    names = page.evaluate(
        """(({ sessionContext, model }) => [sessionContext.session.kernel.name, model.sharedModel.getMetadata('kernelspec').name])(
          window.jupyterapp.shell.currentWidget)"""
    )
    assert names[0] == names[1], f"Jupyter started {names[0]} for a notebook of {names[1]}"
    page.evaluate("window.jupyterapp.commands.execute('notebook:run-all-cells')")


def colour(page, variable):
    """A colour of the theme, as the browser computes it."""
    return page.evaluate(
        f"""(() => {{
          const probe = document.createElement('span');
          probe.style.color = 'var({variable})';
          document.body.append(probe);
          const colour = getComputedStyle(probe).color;
          probe.remove();
          return colour;
        }})()"""
    )


def coloured(page, number):
    """The pieces of each line of a cell by their text, stripped."""
    lines = cell(page, number).evaluate(PIECES)
    return [{text.strip(): (colour, weight) for text, colour, weight in line if text.strip()} for line in lines]


@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
def test_magic_lines_have_the_colours_of_magics(page, with_cells, theme, screenshots):
    notebook(with_cells.folder / "colours.ipynb", KERNEL)
    open_cells(page, with_cells.url("colours.ipynb"))
    switch_theme(page, theme)
    page.wait("!!document.querySelector('.tracebook-notebook')")
    of = {
        name: colour(page, f"--jp-mirror-editor-{name}-color")
        for name in ("operator", "attribute", "keyword", "string", "number", "def")
    }
    page.wait("document.querySelector('.cm-line span')?.textContent === '%trace_load'")
    load, below = coloured(page, LOAD)
    assert load["%trace_load"][0] == of["operator"]
    assert load["--as"][0] == of["attribute"] and "as" not in load
    assert "data/control" not in str(load) and all(value[0] != of["keyword"] for value in load.values()), load
    assert below["let"][0] == of["keyword"], "the rest of the cell is Rust"
    bound, shown, rust = coloured(page, MAGICS)
    assert bound["b"][0] == of["def"] and bound["%memory_bw_summary"][0] == of["operator"]
    assert bound["'dur > 1us and name ~ \"Mem\"'"][0] == of["string"] and bound["10"][0] == of["number"]
    assert shown["%show"] == bound["%memory_bw_summary"], "on every line of a cell"
    assert rust["let"][0] == of["keyword"] and rust["1"][0] == of["number"], "a quote or /* ends with its line"
    page.size(900, 1000)
    page.screenshot(screenshots / f"cells-900-{theme.split()[1].lower()}.png")
    assert own_errors(page) == []


def test_colours_follow_what_is_typed(page, with_cells):
    notebook(with_cells.folder / "typed.ipynb", KERNEL, ["x"])
    open_cells(page, with_cells.url("typed.ipynb"), 1)
    cell(page, 0).locator(".cm-content").click()
    page.play.keyboard.press("End")
    page.play.keyboard.type("\n%trace_load data --as type")
    flag = cell(page, 0).locator(".cm-line").nth(1).locator("span", has_text=re.compile("^--as$"))
    expect(flag).to_have_css("color", colour(page, "--jp-mirror-editor-attribute-color"))
    # An unclosed string before the line: it is not a magic any more.
    page.play.keyboard.press("Control+Home")
    page.play.keyboard.type('"')
    expect(flag).to_have_count(0)


def test_notebooks_of_other_kernels_are_left_alone(page, with_cells):
    # For a missing kernel JupyterLab would take one of the same language: ours.
    notebook(with_cells.folder / "other.ipynb", "python3")
    open_cells(page, with_cells.url("other.ipynb"))
    page.wait("document.querySelectorAll('.cm-line span').length > 5")
    load, _ = coloured(page, LOAD)
    assert load["as"][0] == colour(page, "--jp-mirror-editor-keyword-color"), "a keyword of Rust, and of Python, as without us"
    assert page.play.locator(".tracebook-notebook").count() == 0
    assert page.play.locator(".tracebook-duration:visible").count() == 0


def test_every_cell_shows_how_long_it_took(page, with_cells, screenshots):
    # The last cell panics.
    cells = [CELLS[LOAD], CELLS[TEXT], CELLS[PANIC]]
    notebook(with_cells.folder / "run.ipynb", KERNEL, cells)
    open_cells(page, with_cells.url("run.ipynb"), len(cells))
    expect(page.play.locator(".tracebook-duration", has_text=re.compile("."))).to_have_count(0)
    run_all(page)
    for number in range(len(cells)):
        expect(cell(page, number).locator(".tracebook-duration")).to_have_text(DURATION)
    slept = cell(page, 1).locator(".tracebook-duration").text_content()
    assert slept.endswith(" s") and float(slept[:-2]) >= 0.3
    # At the lower right edge of the code, to the right of it.
    code = cell(page, LOAD).locator(".jp-InputArea-editor").bounding_box()
    label = cell(page, LOAD).locator(".tracebook-duration").bounding_box()
    assert label["x"] >= code["x"] + code["width"] - 1
    assert abs(label["y"] + label["height"] - code["y"] - code["height"]) < 8
    # The toolbar of the active cell does not cover its duration.
    active = page.play.locator(".jp-Cell.jp-mod-active")
    label, bar = active.locator(".tracebook-duration").bounding_box(), active.locator(".jp-cell-toolbar").bounding_box()
    assert bar["x"] + bar["width"] <= label["x"] + 1
    page.screenshot(screenshots / "durations.png")
    shown = page.play.locator(".tracebook-duration").all_text_contents()
    page.evaluate("window.jupyterapp.commands.execute('docmanager:save')")
    path = with_cells.folder / "run.ipynb"
    page.wait("!document.querySelector('.jp-mod-dirty')")
    saved = nbformat.read(path, as_version=4)
    nbformat.validate(saved)
    assert set(saved.cells[LOAD].metadata["execution"]) == {"shell.execute_reply.started", "shell.execute_reply"}
    open_cells(page, with_cells.url("run.ipynb"), len(cells))
    expect(page.play.locator(".tracebook-duration")).to_have_text(shown)
    assert own_errors(page) == []


# The words of a text output that are broken into lines, and the number of its lines.
WRAPPED = """
(pre) => {
  const texts = document.createTreeWalker(pre, NodeFilter.SHOW_TEXT), pieces = [];
  while (texts.nextNode()) { pieces.push(texts.currentNode); }
  const at = (offset) => {
    for (const piece of pieces) {
      if (offset < piece.length) { return [piece, offset]; }
      offset -= piece.length;
    }
  };
  const broken = [], lines = new Set();
  for (const { 0: word, index } of pieces.map((piece) => piece.data).join("").matchAll(/\\S+/g)) {
    const tops = new Set();
    for (let offset = index; offset < index + word.length; offset += 1) {
      const range = document.createRange(), [node, place] = at(offset);
      range.setStart(node, place);
      range.setEnd(node, place + 1);
      tops.add(Math.round(range.getBoundingClientRect().top));
    }
    tops.forEach((top) => lines.add(top));
    if (tops.size > 1) { broken.push(word); }
  }
  return [broken, lines.size];
}
"""


@pytest.mark.parametrize("width", [1400, 1100, 900])
def test_text_wraps_at_blanks(page, with_cells, width):
    notebook(with_cells.folder / "wrapped.ipynb", KERNEL, [CELLS[TEXT]])
    page.size(width, 1000)
    open_cells(page, with_cells.url("wrapped.ipynb"), 1)
    run_all(page)
    text = cell(page, 0).locator(".jp-OutputArea-output pre")
    expect(text).to_contain_text("shallowest")
    expect(text.locator("span", has_text="--test-iteration")).to_have_count(9)
    broken, lines = text.evaluate(WRAPPED)
    assert broken == [] and lines > 1
    assert text.text_content().rstrip() == ("shallowest are looked at --test-iteration 1010 " * 9).rstrip()
    assert own_errors(page) == []


def test_text_that_grows_stays_whole(page, with_cells):
    code = """for i in 0..40 {
    print!("step-{i} of --control-iteration ");
    std::thread::sleep(std::time::Duration::from_millis(50));
}
println!("the-end");"""
    notebook(with_cells.folder / "grows.ipynb", KERNEL, [code])
    page.size(900, 1000)
    open_cells(page, with_cells.url("grows.ipynb"), 1)
    run_all(page)
    text = cell(page, 0).locator(".jp-OutputArea-output pre")
    expect(text.locator("span", has_text="the-end")).to_have_count(1)
    assert text.text_content().rstrip() == "".join(f"step-{i} of --control-iteration " for i in range(40)) + "the-end"
    broken, lines = text.evaluate(WRAPPED)
    assert broken == [] and lines > 1
    assert own_errors(page) == []


def test_legend_tells_median_from_highest(page, with_cells):
    notebook(with_cells.folder / "legend.ipynb", KERNEL, ["%trace_load data/job --as job --quiet\n%memory_bw_summary job"])
    open_cells(page, with_cells.url("legend.ipynb"), 1)
    run_all(page)
    page.wait("!!document.querySelector('.tracebook-figure .legend')")
    colours = page.evaluate(
        """(() => {
          const fills = (selector) => [...document.querySelectorAll('.tracebook-figure ' + selector)].map((path) => path.style.fill);
          return {
            legend: fills('.legend .legendpoints path'),
            bars: [...document.querySelectorAll('.tracebook-figure .barlayer .trace')]
              .map((trace) => [...new Set([...trace.querySelectorAll('.point path')].map((path) => path.style.fill))]),
          };
        })()"""
    )
    assert len(set(colours["legend"])) == 2, colours
    assert colours["bars"] == [[fill] for fill in colours["legend"]], "bars have the colour of their legend"


def test_notebook_7_has_colours_and_durations(page, with_cells):
    notebook(with_cells.folder / "seven.ipynb", KERNEL, ["%trace_list\n1 + 1"])
    open_cells(page, with_cells.notebook_url("seven.ipynb"), 1)
    expect(cell(page, 0).locator(".cm-line span").first).to_have_text("%trace_list")

    # A cell that runs before the notebook has its kernel makes Notebook 7 start Jupyter's default kernel.
    expect(page.play.locator(".jp-Toolbar-kernelName")).to_have_text(SPEC["display_name"])

    # JupyterLab ignores the keys until the kernel has answered.
    def runs():
        cell(page, 0).locator(".cm-content").press("Control+Enter")
        page.evaluate(DRAWN)
        return "[ ]" not in cell(page, 0).locator(".jp-InputPrompt").text_content()

    wait_until(runs, AT_MOST, "the cell does not run")
    expect(cell(page, 0).locator(".tracebook-duration")).to_have_text(DURATION)
    assert own_errors(page) == []

"""Queries of an open notebook, in JavaScript."""

import contextlib

from waiting import AT_MOST

FIGURE = "application/vnd.plotly.v1+json"
TABLE = "application/vnd.tracebook.table.v1+json"

# Per figure: its size, and the number of its bars and lines that are not empty.
FIGURES = """
[...document.querySelectorAll('.tracebook-figure')].map((figure) => {
  const svg = figure.querySelector('.js-plotly-plot svg.main-svg');
  const drawn = (path) => { const box = path.getBoundingClientRect(); return box.width > 0 || box.height > 0; };
  const box = svg ? svg.getBoundingClientRect() : { width: 0, height: 0 };
  return {
    width: box.width,
    height: box.height,
    marks: [...figure.querySelectorAll('.barlayer .point path, .waterfalllayer .point path, .scatterlayer path.js-line')].filter(drawn).length,
    title: figure.querySelector('.gtitle')?.textContent ?? '',
    right: svg ? box.right <= figure.getBoundingClientRect().right + 1 : false,
  };
})
"""

# Per table: caption, number of drawn rows, height, status line.
TABLES = """
[...document.querySelectorAll('.tracebook-table')].map((table) => ({
  caption: table.querySelector('.tb-caption')?.textContent ?? '',
  rows: table.querySelectorAll('tbody tr').length,
  height: table.getBoundingClientRect().height,
  foot: table.querySelector('.tb-foot')?.textContent ?? '',
}))
"""

# Outputs that show nothing.
BLANK = """
[...document.querySelectorAll('.jp-OutputArea-child')].filter((child) => {
  const output = child.querySelector('.jp-OutputArea-output');
  if (!output) { return true; }
  const box = output.getBoundingClientRect();
  return box.height < 5 || (!output.textContent.trim() && !output.querySelector('svg, img'));
}).map((child) => child.outerHTML.slice(0, 300))
"""

# Done when the page has been drawn with what observers of sizes changed.
DRAWN = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done))))"

# Whether the texts of all figures have the colour of the theme.
THEMED = """
(() => {
  const digits = (colour) => colour.match(/\\d+/g)?.slice(0, 3).join();
  const probe = document.createElement('span');
  probe.style.color = 'var(--jp-content-font-color1)';
  document.body.append(probe);
  const wanted = digits(getComputedStyle(probe).color);
  probe.remove();
  return [...document.querySelectorAll('.tracebook-figure .xtick text')].every((text) => digits(getComputedStyle(text).fill) === wanted);
})()
"""

# The height of all cells of the notebook.
HEIGHT = "Math.ceil(document.querySelector('.jp-WindowedPanel-outer')?.scrollHeight ?? 0)"


def expected(notebook, mime):
    """The outputs of a notebook that carry `mime`, in order."""
    outputs = (output for cell in notebook.cells for output in cell.get("outputs", []))
    return [output["data"][mime] for output in outputs if mime in output.get("data", {})]


def open_notebook(page, url, figures, tables):
    """Opens a notebook and waits until that many figures and tables are drawn."""
    page.open(url)
    page.wait("!!document.querySelector('.jp-Notebook .jp-Cell')")
    page.wait(f"document.querySelectorAll('.tracebook-table table').length >= {tables}")
    page.wait(f"document.querySelectorAll('.tracebook-figure .js-plotly-plot svg.main-svg').length >= {figures}")
    page.wait("!document.querySelector('.jp-Dialog')")


def blank_outputs(page):
    """The outputs that show nothing and go on showing nothing."""
    with contextlib.suppress(AssertionError):
        page.wait(f"({BLANK.strip()}).length === 0", seconds=AT_MOST)
    return page.evaluate(BLANK)


def switch_theme(page, theme):
    """Switches JupyterLab's theme, as the menu does, and waits until it is applied."""
    light = "false" if "Dark" in theme else "true"
    page.evaluate(f"window.jupyterapp.commands.execute('apputils:change-theme', {{ theme: '{theme}' }})")
    page.wait(f"document.body.dataset.jpThemeLight === '{light}'")
    # The browser applies the style sheet, and then our renderers its colours.
    sheet = "document.getElementById('jupyter-theme-css') ?? document.querySelector('link[rel=stylesheet][href*=theme]')"
    page.wait(f"({sheet})?.sheet !== null")
    page.wait(THEMED)
    page.evaluate(DRAWN)


def screenshot(page, path):
    """Writes a screenshot of the whole notebook."""
    page.size(1400, min(page.evaluate(HEIGHT) + 160, 16_000))
    page.evaluate(DRAWN)
    page.screenshot(path)
    page.size(1400, 1000)


def own_errors(page):
    """The errors of the page that our extension caused."""
    return [error for error in page.errors if "tracebook" in error.lower() or "plotly" in error.lower()]

"""Queries of an open notebook, in JavaScript."""

import time

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
    """The outputs that still show nothing after ten seconds."""
    for _ in range(50):
        if not (blank := page.evaluate(BLANK)):
            break
        time.sleep(0.2)
    return blank


def switch_theme(page, theme):
    """Switches JupyterLab's theme, as the menu does, and waits until it is applied."""
    light = "false" if "Dark" in theme else "true"
    page.evaluate(f"window.jupyterapp.commands.execute('apputils:change-theme', {{ theme: '{theme}' }})")
    page.wait(f"document.body.dataset.jpThemeLight === '{light}'")
    # Our renderers wait for the theme's style sheet.
    page.evaluate("new Promise((resolve) => setTimeout(resolve, 1000))")


def screenshot(page, path):
    """Writes a screenshot of the whole notebook."""
    page.size(1400, min(page.evaluate(HEIGHT) + 160, 16_000))
    page.evaluate("new Promise((resolve) => setTimeout(resolve, 500))")
    page.screenshot(path)
    page.size(1400, 1000)


def own_errors(page):
    """The errors of the page that our extension caused."""
    return [error for error in page.errors if "tracebook" in error.lower() or "plotly" in error.lower()]

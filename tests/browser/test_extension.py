"""The extension in an untrusted notebook with bundles of every kind: drawing, themes, escaping. Tables: test_tables.py."""

import pytest

from looks import FIGURE, FIGURES, TABLE, TABLES, blank_outputs, open_notebook, own_errors, screenshot, switch_theme

FIRST = "document.querySelector('.tracebook-table')"


@pytest.fixture
def opened(page, server, sample_bundles):
    count = {mime: sum(mime in bundle["data"] for bundle in sample_bundles) for mime in (FIGURE, TABLE)}
    open_notebook(page, server.url("samples.ipynb"), count[FIGURE], count[TABLE])
    return page


def column(page, number):
    cells = f"[...{FIRST}.querySelectorAll('tbody tr')].map((row) => row.children[{number}].textContent)"
    return page.evaluate(cells)


def test_figures_and_tables_are_drawn(opened, screenshots):
    figures = opened.evaluate(FIGURES)
    # Ten names in three series; one name has a value in one series only.
    assert figures[0]["marks"] >= 28 and figures[0]["width"] > 300 and figures[0]["right"]
    assert figures[0]["title"].startswith("Ops Duration Comparison")
    # Three lines, of which one is broken; the empty figure; and heat maps, which are images.
    assert [figure["marks"] for figure in figures[4:]] == [4, 0, 0, 0, 0]
    assert opened.evaluate("document.querySelectorAll('.tracebook-figure .heatmaplayer image').length") == 3
    tables = opened.evaluate(TABLES)
    assert [table["rows"] for table in tables] == [12, 20, 1]
    assert tables[0]["foot"].startswith("12 of 1,284 rows × 8 columns · sorted by")
    assert blank_outputs(opened) == []
    assert own_errors(opened) == []
    assert opened.foreign_requests == []
    switch_theme(opened, "JupyterLab Light")
    screenshot(opened, screenshots / "samples-light.png")


def test_no_name_becomes_markup(opened):
    assert (
        opened.evaluate("document.querySelectorAll('.tracebook-table script, .tracebook-table b, .tracebook-table td a').length")
        == 0
    )
    assert opened.evaluate("document.querySelectorAll('.tracebook-figure .xtick a, .tracebook-figure b').length") == 0
    assert any(name.startswith("<script>") for name in column(opened, 0))
    ticks = opened.evaluate(
        "[...document.querySelectorAll('.tracebook-figure')[0].querySelectorAll('.xtick text')].map((t) => t.textContent)"
    )
    assert len(ticks) == 10 and any("<script>" in tick for tick in ticks)
    assert len(set(ticks)) == 10, "names that look alike"


def test_figures_and_tables_follow_the_theme(opened, screenshots):
    colour = "getComputedStyle(document.querySelector('.tracebook-figure .gtitle')).fill"
    switch_theme(opened, "JupyterLab Light")
    light = opened.evaluate(colour)
    switch_theme(opened, "JupyterLab Dark")
    assert opened.evaluate(colour) != light
    assert opened.evaluate(FIGURES)[0]["marks"] >= 28
    screenshot(opened, screenshots / "samples-dark.png")
    assert own_errors(opened) == []


def test_figures_follow_the_width(opened):
    before = opened.evaluate(FIGURES)[0]["width"]
    opened.size(900, 1000)
    opened.wait(f"({FIGURES})[0].width < {before - 100}")
    assert opened.evaluate(FIGURES)[0]["right"]


def test_without_the_extension_html_and_pictures_are_shown(page, server, screenshots):
    open_notebook(page, server.url("plain.ipynb"), 0, 0)
    page.wait("document.querySelectorAll('.jp-RenderedImage img').length === 9")
    rows = page.evaluate(
        "[...document.querySelectorAll('.jp-RenderedHTMLCommon table')].map((t) => t.tBodies[0]?.rows.length ?? 0)"
    )
    assert rows == [12, 20, 0]
    # The sanitiser keeps the styles that the table needs.
    cell = "document.querySelector('.jp-RenderedHTMLCommon tbody td:nth-child({}){}')"
    assert page.evaluate(f"{cell.format(1, '')}.style.textAlign") == "left"
    assert page.evaluate(f"{cell.format(2, '')}.style.textAlign") == "right"
    assert "linear-gradient" in page.evaluate(f"{cell.format(6, '')}.style.background")
    assert page.evaluate(f"{cell.format(1, '[title]')}.title").startswith("void at::native::vectorized_elementwise_kernel<4")
    scrolled = "[...document.querySelectorAll('.jp-RenderedHTMLCommon div')].some((div) => div.style.maxHeight === '540px')"
    assert page.evaluate(scrolled)
    # A name between dollar signs is not a formula.
    assert page.evaluate("document.querySelectorAll('.jp-RenderedHTMLCommon mjx-container').length") == 0
    assert blank_outputs(page) == []
    switch_theme(page, "JupyterLab Light")
    screenshot(page, screenshots / "plain-light.png")
    switch_theme(page, "JupyterLab Dark")
    screenshot(page, screenshots / "plain-dark.png")


def test_notebook_7_draws_the_same(page, server, sample_bundles, screenshots):
    count = {mime: sum(mime in bundle["data"] for bundle in sample_bundles) for mime in (FIGURE, TABLE)}
    open_notebook(page, server.notebook_url("samples.ipynb"), count[FIGURE], count[TABLE])
    assert page.evaluate(FIGURES)[0]["marks"] >= 28
    assert [table["rows"] for table in page.evaluate(TABLES)] == [12, 20, 1]
    assert blank_outputs(page) == []
    assert own_errors(page) == []
    page.screenshot(screenshots / "notebook7-light.png")

"""The extension, on bundles of every kind, in an untrusted notebook: drawing, sorting, filtering, themes, escaping."""

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


def click_head(page, number):
    page.evaluate(f"{FIRST}.querySelectorAll('th button')[{number}].click()")
    return page.evaluate(f"{FIRST}.querySelectorAll('th')[{number}].getAttribute('aria-sort')")


def number(text):
    sign = -1 if "−" in text else 1
    return sign * float("".join(c for c in text if c.isdigit() or c == "."))


def test_figures_and_tables_are_drawn(opened, screenshots):
    figures = opened.evaluate(FIGURES)
    # Ten names in three series, one value of which is missing on two sides.
    assert figures[0]["marks"] >= 28 and figures[0]["width"] > 300 and figures[0]["right"]
    assert figures[0]["title"].startswith("Ops Duration Comparison")
    # Three lines, of which one is broken; and the empty figure.
    assert [figure["marks"] for figure in figures[4:]] == [4, 0]
    tables = opened.evaluate(TABLES)
    assert [table["rows"] for table in tables] == [12, 200, 0]
    assert tables[0]["foot"].startswith("12 of 1,284 rows × 8 columns · sorted by")
    assert blank_outputs(opened) == []
    assert own_errors(opened) == []
    assert opened.strangers == []
    switch_theme(opened, "JupyterLab Light")
    screenshot(opened, screenshots / "samples-light.png")


def test_no_name_becomes_markup(opened):
    assert opened.evaluate("document.querySelectorAll('.tracebook-table script, .tracebook-table b, .tracebook-table td a').length") == 0
    assert opened.evaluate("document.querySelectorAll('.tracebook-figure .xtick a, .tracebook-figure b').length") == 0
    assert "<script>alert('x')</script> & \"quotes\"" in column(opened, 0)
    ticks = opened.evaluate("[...document.querySelectorAll('.tracebook-figure')[0].querySelectorAll('.xtick text')].map((t) => t.textContent)")
    assert len(ticks) == 10 and any("<script>" in tick for tick in ticks)
    assert len(set(ticks)) == 10, "names that look alike"


def test_a_click_on_a_header_sorts(opened):
    unsorted = column(opened, 5)
    assert click_head(opened, 5) == "descending"
    down = [number(text) for text in column(opened, 5)]
    assert down == sorted(down, reverse=True)
    assert click_head(opened, 5) == "ascending"
    assert [number(text) for text in column(opened, 5)] == down[::-1]
    assert click_head(opened, 5) == "none"
    assert column(opened, 5) == unsorted
    assert click_head(opened, 4) == "descending"
    assert column(opened, 4)[-1] == "—"


def test_rows_are_filtered_by_text_and_category(opened):
    typed = "const box = {0}.querySelector('input'); box.value = '{1}'; box.dispatchEvent(new Event('input'))"
    opened.evaluate(typed.format(FIRST, "ATEN::"))
    assert column(opened, 0) == ["aten::convolution_backward"]
    assert "1 of 1,284 rows" in opened.evaluate(f"{FIRST}.querySelector('.tb-foot').textContent")
    opened.evaluate(f"{{ {typed.format(FIRST, '')} }}")
    opened.evaluate(f"[...{FIRST}.querySelectorAll('.tb-chip')].find((chip) => chip.textContent === 'added').click()")
    assert set(column(opened, 7)) == {"added"}


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


def test_without_the_extension_html_and_pictures_are_seen(page, server, screenshots):
    open_notebook(page, server.url("plain.ipynb"), 0, 0)
    page.wait("document.querySelectorAll('.jp-RenderedImage img').length === 6")
    rows = page.evaluate("[...document.querySelectorAll('.jp-RenderedHTMLCommon table')].map((t) => t.tBodies[0]?.rows.length ?? 0)")
    assert rows == [12, 100, 0]
    # The sanitiser keeps the styles that the table needs.
    cell = "document.querySelector('.jp-RenderedHTMLCommon tbody td:nth-child({}){}')"
    assert page.evaluate(f"{cell.format(1, '')}.style.textAlign") == "left"
    assert page.evaluate(f"{cell.format(2, '')}.style.textAlign") == "right"
    assert "linear-gradient" in page.evaluate(f"{cell.format(6, '')}.style.background")
    assert page.evaluate(f"{cell.format(1, '[title]')}.title").startswith("void at::native::vectorized_elementwise_kernel<4")
    scrolled = "[...document.querySelectorAll('.jp-RenderedHTMLCommon div')].some((div) => div.style.maxHeight === '540px')"
    assert page.evaluate(scrolled)
    # A name between dollar signs is no formula.
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
    assert [table["rows"] for table in page.evaluate(TABLES)] == [12, 200, 0]
    assert blank_outputs(page) == []
    assert own_errors(page) == []
    page.screenshot(screenshots / "notebook7-light.png")

"""Comparisons of a running kernel in JupyterLab, with labels other than `control` and `test`."""

import nbformat
import pytest
from playwright.sync_api import expect

from looks import own_errors, switch_theme
from places import DATA

SIDES = "--device-type cpu --control-iteration 1010 --test-iteration 1010"
CELLS = [
    f"%trace_load {DATA}/control --as a --quiet\n%trace_load {DATA}/test --as b --quiet",
    f"%compare_traces a b {SIDES}",
    f"x = %compare_traces a b {SIDES}\nx",
    'x.clone().lazy().filter(col("diff_counts").neq(lit(0))).collect()?',
    "x.describe()?",
    'x["name"].clone()',
    "%ops_diff a b --device-type cpu --control-iteration 1010 --test-iteration 1010",
    "let five = a.events();\nfive",
]
CHIPS = ["added 8", "deleted 18", "increased 6", "decreased 14", "unchanged 71"]


@pytest.fixture(scope="module")
def notebook(server):
    cells = [nbformat.v4.new_code_cell(code) for code in CELLS]
    metadata = {"kernelspec": {"name": "tracebook", "display_name": "Tracebook"}}
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=metadata), server.folder / "comparison.ipynb")
    return server.url("comparison.ipynb")


def chips(table):
    return table.locator(".tb-chip").all_text_contents()


def test_comparisons_of_any_labels(page, notebook, screenshots):
    page.open(notebook)
    page.wait("!!document.querySelector('.jp-Notebook .jp-Cell') && !document.querySelector('.jp-Dialog')")
    page.wait("window.jupyterapp.shell.currentWidget?.sessionContext?.session?.kernel?.status === 'idle'")
    page.evaluate("void window.jupyterapp.commands.execute('notebook:run-all-cells')")
    tables = page.play.locator(".tracebook-table")
    expect(tables).to_have_count(7, timeout=300_000)
    compared, shown, filtered, described, named, grouped, five = tables.all()

    # The five kinds are those of %ops_diff, however the comparison is shown.
    for table in (compared, shown, grouped):
        assert chips(table) == CHIPS
    assert chips(filtered) == CHIPS[:4]
    assert chips(described) == [] and "▲" not in described.text_content()
    assert described.locator("[style*=gradient]").count() == 0 or described.locator("th", has_text="diff [%]").count() == 0
    assert named.locator(".tb-caption").text_content() == "Column"
    assert "diff [%]" in compared.locator("thead").text_content().replace("\u00a0", " ")

    five.get_by_role("searchbox").fill("no such event")
    expect(five.locator("tbody")).to_contain_text("no row matches among the first 500 of")
    expect(five.locator("tbody")).to_contain_text("`%show five --")

    # Enter on a row inserts the cell that lists its events, and runs it.
    before = page.evaluate("document.querySelectorAll('.jp-Notebook .jp-Cell').length")
    row = compared.locator("tr.tb-events").first
    row.focus()
    page.play.keyboard.press("Enter")
    code = compared.locator(".tb-offer code").last.text_content()
    assert code.startswith("%events b --name '") and "--rank 1 --iteration 1010 --device-type cpu" in code
    compared.get_by_role("button", name="events in b", exact=True).click()
    expect(tables).to_have_count(8, timeout=60_000)
    assert page.evaluate("document.querySelectorAll('.jp-Notebook .jp-Cell').length") == before + 1
    listed = tables.nth(1)
    assert listed.locator(".tb-caption").text_content().startswith("events · b · ")
    counts = [head.strip(" ↕") for head in compared.locator("thead th").all_text_contents()].index("b_counts")
    assert listed.locator("tbody tr").count() == int(row.locator("td").nth(counts).text_content())
    assert own_errors(page) == []

    # The open menu does not make the table wider.
    page.size(900, 1600)
    expect(compared.locator(".tb-more button")).to_be_visible()
    offer, region = compared.locator(".tb-offer").bounding_box(), compared.get_by_role("region").bounding_box()
    assert offer["x"] + offer["width"] <= region["x"] + region["width"] + 1
    assert (
        "3 more" in compared.locator(".tb-more button").text_content()
        or "4 more" in compared.locator(".tb-more button").text_content()
    )
    for width in (1400, 1100, 900):
        for theme in ("JupyterLab Light", "JupyterLab Dark"):
            page.size(width, 1600)
            switch_theme(page, theme)
            page.screenshot(screenshots / f"comparison-{width}-{theme.split()[-1].lower()}.png")

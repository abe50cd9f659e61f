"""The executed demo, opened in JupyterLab in a browser: every figure and table is drawn, in light and dark."""

import nbformat
import pytest
from looks import FIGURE, FIGURES, TABLE, TABLES, blank_outputs, expected, open_notebook, own_errors, screenshot, switch_theme


@pytest.fixture
def notebook(demo_path):
    return nbformat.read(demo_path, as_version=4)


def test_every_figure_and_table_of_the_demo_is_drawn(page, server, notebook, screenshots):
    figures, tables = expected(notebook, FIGURE), expected(notebook, TABLE)
    assert len(figures) >= 5, "the notebook was saved without its outputs"
    assert tables
    open_notebook(page, server.url("demo.ipynb"), len(figures), len(tables))

    drawn = page.evaluate(FIGURES)
    assert len(drawn) == len(figures)
    for figure, spec in zip(drawn, figures):
        assert figure["width"] > 300 and figure["height"] > 200, figure
        assert figure["right"], f"wider than the cell: {figure}"
        values = sum(value is not None and value != 0 for trace in spec["data"] for value in trace["y"])
        assert (figure["marks"] > 0) == (values > 0), figure
    shown = page.evaluate(TABLES)
    assert [table["caption"] for table in shown] == [table["caption"] for table in tables]
    for table, spec in zip(shown, tables):
        assert table["rows"] == min(len(spec["rows"]), 200), table
        assert table["height"] > 40, table
    assert blank_outputs(page) == []

    switch_theme(page, "JupyterLab Light")
    screenshot(page, screenshots / "demo-light.png")
    switch_theme(page, "JupyterLab Dark")
    screenshot(page, screenshots / "demo-dark.png")
    assert len(page.evaluate(FIGURES)) == len(figures)
    assert own_errors(page) == []
    assert page.strangers == [], "the page asked other machines"

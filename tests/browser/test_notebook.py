"""Executed notebooks in JupyterLab: every figure and table is drawn, in light and dark."""

import nbformat

from looks import FIGURE, FIGURES, TABLE, TABLES, blank_outputs, expected, open_notebook, own_errors, screenshot, switch_theme


def test_every_figure_and_table_is_drawn(page, server, path, screenshots):
    notebook = nbformat.read(path, as_version=4)
    figures, tables = expected(notebook, FIGURE), expected(notebook, TABLE)
    assert figures and tables, "the notebook was saved without its outputs"
    assert path.stem != "trace_diff_demo" or len(figures) >= 5
    open_notebook(page, server.url(path.name), len(figures), len(tables))

    drawn = page.evaluate(FIGURES)
    assert len(drawn) == len(figures)
    for figure, spec in zip(drawn, figures, strict=True):
        assert figure["width"] > 300 and figure["height"] > 200, figure
        assert figure["right"], f"wider than the cell: {figure}"
        assert (figure["marks"] > 0) == has_values(spec), figure
    shown = page.evaluate(TABLES)
    assert [table["caption"] for table in shown] == [table["caption"] for table in tables]
    for table, spec in zip(shown, tables, strict=True):
        if "tree" in spec:
            # Rows near the window are drawn, of those that are open.
            assert 10 < table["rows"] <= len(spec["rows"]), table
        else:
            assert table["rows"] == max(min(len(spec["rows"]), spec.get("page", 100)), 1), table
        assert table["height"] > 40, table
    assert blank_outputs(page) == []

    switch_theme(page, "JupyterLab Light")
    screenshot(page, screenshots / f"{path.stem}-light.png")
    switch_theme(page, "JupyterLab Dark")
    screenshot(page, screenshots / f"{path.stem}-dark.png")
    assert len(page.evaluate(FIGURES)) == len(figures)
    assert own_errors(page) == []
    assert page.foreign_requests == [], "the page sent requests to other machines"


def has_values(spec):
    """Whether a figure has anything to draw: heights of bars and lines, counts of histograms."""
    shown = [trace for trace in spec["data"] if trace.get("visible", True) is True]
    return any(value is not None and value != 0 for trace in shown for value in trace.get("y") or trace.get("x") or ())

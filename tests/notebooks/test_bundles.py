"""Every output of a notebook has all MIME types that front ends need."""

import pytest

from outputs import HTML, PLAIN, PLOTLY, PNG, TABLE, is_png


@pytest.fixture(params=["demo", "analysis", "first"])
def executed(request):
    return request.getfixturevalue(request.param)


def test_no_cell_failed_and_each_was_executed_in_order(executed):
    assert [cell.execution_count for cell in executed.cells()] == list(range(1, len(executed.cells()) + 1))
    errors = [out for cell in executed.cells() for out in cell.outputs if out.output_type == "error"]
    assert not errors


def test_nothing_was_written_to_standard_error(executed):
    written = [out.text for cell in executed.cells() for out in cell.outputs if out.get("name") == "stderr"]
    assert not written


def test_every_figure_is_live_a_picture_and_text(executed):
    figures = [data for data in executed.bundles() if PLOTLY in data]
    assert figures
    for data in figures:
        assert set(data) == {PLOTLY, PNG, PLAIN}
        assert is_png(data[PNG])
        assert data[PLAIN].strip()
        assert data[PLOTLY]["data"] and "layout" in data[PLOTLY]


def test_every_table_is_ours_html_and_text(executed):
    tables = [data for data in executed.bundles() if TABLE in data]
    assert tables
    for data in tables:
        assert set(data) == {TABLE, HTML, PLAIN}
        assert "<table" in data[HTML] and "<script" not in data[HTML] and "var(--" not in data[HTML]
        assert data[PLAIN].strip()
        assert all(len(row) == len(data[TABLE]["columns"]) for row in data[TABLE]["rows"])


def test_every_bundle_has_plain_text_and_can_be_exported(executed):
    for data in executed.bundles():
        assert PLAIN in data
        assert not {"image/svg+xml", "application/javascript"} & set(data)


def test_the_demo_has_at_least_five_figures(demo):
    assert sum(PLOTLY in data for data in demo.bundles()) >= 5

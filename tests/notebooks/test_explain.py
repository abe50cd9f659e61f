"""The notebook that explains a slower step: its numbers add up, and name what the data's documentation lists."""

import re

import pytest

from outputs import PLOTLY, TABLE


def classes(explained, cell):
    """The table of the divided step: rows by class."""
    tables = [data[TABLE] for data in explained.bundles(cell) if TABLE in data]
    (divided,) = [table for table in tables if table["caption"].startswith("the step divided")]
    columns = [column["name"] for column in divided["columns"]]
    return {row[0]: dict(zip(columns, row, strict=True)) for row in divided["rows"]}


def test_classes_add_up_to_the_step(explained):
    rows = classes(explained, "explain")
    step = rows.pop("step")
    for side in ("control", "test", "change"):
        assert sum(row[side] for row in rows.values()) == pytest.approx(step[side], abs=0.01)
    assert step["change"] > 5_000


def test_the_waterfall_leads_from_step_to_step(explained):
    (figure,) = [data[PLOTLY] for data in explained.bundles("class") if PLOTLY in data]
    trace = figure["data"][0]
    assert trace["type"] == "waterfall" and trace["measure"] == ["absolute", *["relative"] * 4, "total"]
    first, *changes, last = trace["y"]
    assert first + sum(changes) == pytest.approx(last)


def test_rust_and_magic_agree(explained):
    text = explained.text("rust")
    step, parts = map(float, re.search(r"step ([+-][\d.]+) µs, sum of the classes ([+-][\d.]+) µs", text).groups())
    change = classes(explained, "explain")["step"]["change"]
    assert step == parts == pytest.approx(change, abs=0.06)


def test_the_known_causes_are_named(explained):
    text = explained.text("explain")
    assert "slower" in text and "_MultiProcessingDataLoaderIter.__next__" in text
    for cause in ("aten::embedding_dense_backward", "aten::copy_", "aten::bmm", "aten::_foreach_add_"):
        assert cause in text


def test_a_recording_without_gpu_work_is_divided(explained):
    text = explained.text("cpu")
    assert "host" in text and "has no GPU work" in text

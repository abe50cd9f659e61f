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
    # Compute gets faster, and the step slower.
    assert step["change"] > 800 and rows["compute"]["change"] < -2_000 and rows["idle"]["change"] > 2_500


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
    assert "New calls that wait for the GPU: cudaStreamSynchronize in aten::item, 1 a step." in text


def test_the_tree_shows_the_layer_that_is_gone_and_adds_up(explained):
    (tree,) = [data[TABLE] for data in explained.bundles("tree") if TABLE in data]
    columns = [column["name"] for column in tree["columns"]]
    levels, rows = tree["tree"]["level"], [dict(zip(columns, row, strict=True)) for row in tree["rows"]]
    change = classes(explained, "explain")["step"]["change"]
    assert sum(row["Δ"] for row, level in zip(rows, levels, strict=True) if level == 0) == pytest.approx(change, abs=0.01)
    deleted = [row["call"] for row in rows if row["grade"] == "deleted"]
    for operator in ("aten::gelu", "aten::_softmax", "aten::native_layer_norm"):
        assert any(call.startswith(operator) for call in deleted), operator
    assert any("triton_poi_fused_add" in row["call"] for row in rows)


def test_a_recording_without_gpu_work_is_divided(explained):
    text = explained.text("cpu")
    assert "host" in text and "has no GPU work" in text

"""The notebook of critical paths: its answers are those that the data's documentation states."""

import re

import pytest

from outputs import TABLE


def tables(executed, cell):
    """The tables of a cell by the beginning of their caption: rows by column name."""
    found = {}
    for data in executed.bundles(cell):
        if TABLE in data:
            columns = [column["name"] for column in data[TABLE]["columns"]]
            rows = [dict(zip(columns, row, strict=True)) for row in data[TABLE]["rows"]]
            found[data[TABLE]["caption"].split(" · ")[0]] = rows
    return found


def test_the_host_bounds_control_and_communication_test(critical):
    host, communication = ({row["bound_by"]: row for row in tables(critical, cell)["what bounds the step"]} for cell in ("host", "comm"))
    own = sum(host[word]["percent"] for word in ("cpu_bound", "python", "cuda_runtime"))
    assert own > 95
    assert communication["gpu_communication_bound"]["percent"] > 85
    assert "is host-bound" in critical.text("host") and "is communication-bound" in critical.text("comm")


def test_a_kernel_twice_as_fast_saves_nothing_where_nothing_waits(critical):
    text = critical.text("if")
    assert 'What if cat = "kernel" x 0.5: the step stays' in text
    assert re.search(r'bound_by = "python" x 0\.5: the step is 165 µs shorter', text)


def test_both_sides_add_up_to_their_steps(critical):
    text = critical.text("both")
    assert "host-bound → communication-bound" in text
    found = tables(critical, "both")
    sums = [sum(row[side] for row in found["what bounds a step"]) for side in ("control", "test")]
    assert sums[1] - sums[0] == pytest.approx(sum(row["change"] for row in found["what bounds a step"]), abs=0.1)
    regions = [sum(row[side] for row in found["the critical path by region"]) for side in ("control", "test")]
    assert regions == pytest.approx(sums, rel=0.35), "the table shows the largest rows"


def test_the_library_adds_up_to_the_nanosecond(critical):
    (window, parts, differs) = re.search(r"(\d+) ns, sum of the parts (\d+) ns, replay differs by (\d+) ns", critical.text("rust")).groups()
    assert window == parts and differs == "0"


def test_calls_are_listed(critical):
    assert "ampere_sgemm_128x64_tn" in critical.text("stack")
    assert critical.text("operators").count("aten::addmm") >= 1 and "aten::addmm" in critical.text("graph")

"""The short notebook, on the recorded runs."""

import csv
import json

import pytest


def test_both_ranks_and_all_steps_are_listed(first):
    rows = first.table("steps")
    assert len(rows) == 2 * 2 * 5
    assert {row["rank"] for row in rows} == {0, 1}
    assert {row["iteration"] for row in rows} == {2, 3, 4, 5, 6}
    assert all(row["milliseconds"] > 0 for row in rows)


def test_the_mean_is_that_of_the_steps(first):
    steps = first.table("steps")
    for row in first.table("mean"):
        times = [step["milliseconds"] for step in steps if step["side"] == row["side"]]
        assert row["milliseconds"] == pytest.approx(sum(times) / len(times))
        assert (row["fastest"], row["slowest"]) == pytest.approx((min(times), max(times)))


def test_the_fused_operator_took_the_place_of_small_ones(first):
    rows = {row["name"]: row for row in first.table("filter")}
    assert rows["aten::native_layer_norm"]["manual_counts"] == 0
    assert rows["aten::native_layer_norm"]["fused_counts"] > 0
    assert rows["aten::mean"]["diff_duration"] < 0


def test_the_comparison_agrees_with_hta(execute, shared):
    """Counts are HTA's. Durations are exact, those of HTA are rounded, so the notebook runs with `--compat hta`."""
    golden = shared / "golden" / "recorded_cpu" / "diff"
    then = [
        "%trace_load data/recorded_cpu/control --as control --compat hta\n"
        "%trace_load data/recorded_cpu/test --as test --compat hta\n"
        "%compare_traces control test --device-type cpu --csv ${TMPDIR}/cpu.csv\n"
        "%ops_diff control test --device-type cpu --json ${TMPDIR}/cpu.json"
    ]
    ran = execute("your_first_diff", then=then)
    assert json.loads((ran.folder / "cpu.json").read_text()) == json.loads((golden / "ops_diff.default.CPU.json").read_text())
    with (
        open(ran.folder / "cpu.csv", newline="") as ours,
        open(golden / "compare_traces.default.CPU.long.csv", newline="") as theirs,
    ):
        ours, theirs = list(csv.reader(ours))[1:], list(csv.reader(theirs))[1:]
    assert [row[0] for row in ours] == [row[0] for row in theirs]
    for row, expected in zip(ours, theirs, strict=True):
        assert list(map(float, row[1:7])) == pytest.approx(list(map(float, expected[1:7])), rel=1e-9)
        assert row[7] == expected[7]

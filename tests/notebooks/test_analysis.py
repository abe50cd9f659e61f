"""The notebook of analyses finds what the generator hid in its data."""

import gzip
import json

import pytest

from outputs import TABLE


def test_the_last_step_is_left_out(analysis):
    assert [row["profiler_step"] for row in analysis.table("steps")] == [1009, 1010, 1011, 1012, 1013]


def test_the_rank_whose_loader_stalled_idles_most(analysis):
    idle = {row["rank"]: row["idle_time_pctg"] for row in analysis.table("temporal")}
    assert max(idle, key=idle.get) == 3


def test_the_slow_rank_is_the_straggler(analysis):
    answer, kernels = tables(analysis, "stragglers")
    assert [row["rank"] for row in answer] == [2]
    late = {row["iteration"]: row["rank"] for row in kernels if row["is_straggler"] == "Yes"}
    assert late == {1009: 2, 1010: 2, 1011: 3, 1012: 2, 1013: 0}


def test_where_selects_matrix_products_and_rank_2_is_a_fifth_slower(analysis):
    _, kernels = tables(analysis, "slow")
    means = {(row["name"], row["rank"]): row["mean (us)"] for row in kernels}
    names = {name for name, _ in means}
    assert names and all("gemm" in name for name in names)
    for name in names:
        assert means[name, 2] / means[name, 1] == pytest.approx(1.2, abs=0.05)


def test_only_rank_0_averages_its_weights(analysis):
    ranks = [row["rank"] for row in analysis.table("annotations") if row["name"] == "## average ##"]
    assert ranks == [0]


def test_the_queue_of_rank_0_is_full_for_a_while(analysis):
    (row,) = analysis.table("blocked")
    assert (row["rank"], row["stream"]) == (0, 7)
    assert 0.05 < row["relative_duration_at_max_queue_length"] < 0.2
    assert {row["stream"]: row["queue_length.max"] for row in analysis.table("queue-summary")}[7] == 1025


def test_one_launch_waited_for_a_module(analysis):
    slowest, second, *_ = analysis.table("launches")
    assert slowest["cpu_duration"] == pytest.approx(870)
    assert second["cpu_duration"] < 10


def test_sequences_are_marked_in_a_copy_of_the_trace(analysis):
    rows = analysis.table("sequences")
    counts = [row["count"] for row in rows]
    assert counts == sorted(counts, reverse=True) and counts[0] == 40
    assert all(row["pattern"].count("|") >= 2 for row in rows)
    events = events_of(analysis.folder / "overlaid_rank-0.json.gz")
    assert sum("Patterns" in (event.get("args") or {}) for event in events) > 0


def test_copy_of_the_trace_contains_the_counters(analysis):
    events = events_of(analysis.folder / "rank-0_with_counters.json.gz")
    queue = [event for event in events if event["ph"] == "C" and event["name"] == "Queue Length"]
    assert max(max(event["args"].values()) for event in queue) == 1025


def test_rust_agrees_with_the_magic(analysis):
    assert analysis.table("rust") == analysis.table("overlap")


def test_rank_that_waits_least_is_the_straggler(analysis):
    waits = analysis.table("waits")
    for iteration, late in {1009: 2, 1010: 2, 1011: 3, 1012: 2, 1013: 0}.items():
        of = {row["rank"]: row["milliseconds"] for row in waits if row["iteration"] == iteration}
        assert min(of, key=of.get) == late


def events_of(path):
    with gzip.open(path) as file:
        return json.load(file)["traceEvents"]


def tables(executed, name):
    """The rows of each table of a cell, by column name."""
    found = [data[TABLE] for data in executed.bundles(name) if TABLE in data]
    return [[dict(zip([column["name"] for column in data["columns"]], row, strict=True)) for row in data["rows"]] for data in found]

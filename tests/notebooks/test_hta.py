"""The notebook of comparisons on HTA's traces gives HTA's numbers."""

import csv
import gzip
import json

import pytest

SELECTION = "--control-rank 3 --test-rank 1 --control-iteration 1010 --test-iteration 1010"


@pytest.fixture(scope="module")
def golden(shared):
    return shared / "golden" / "trace_diff" / "diff"


@pytest.fixture(scope="module")
def hta(execute, shared):
    then = [
        f"%compare_traces control test {SELECTION} --device-type {device} --csv ${{TMPDIR}}/{device}.csv"
        for device in ["cpu", "gpu", "all"]
    ]
    return execute("trace_diff_demo", env={"TRACEBOOK_DATA": str(shared / "traces" / "trace_diff")}, then=then)


def test_ranks_and_iterations(hta, golden):
    cases = json.loads((golden / "cases.json").read_text())
    printed = hta.printed("ranks-rust")
    for key in ["control_ranks", "test_ranks", "control_iterations", "test_iterations"]:
        assert str(cases[key]) in printed


@pytest.mark.parametrize("device", ["CPU", "GPU", "ALL"])
def test_every_row_of_the_comparison(hta, golden, device):
    ours = rows(hta.folder / f"{device.lower()}.csv")
    theirs = rows(golden / f"compare_traces.second_vs_second.{device}.long.csv")
    assert [row[0] for row in ours[1:]] == [row[0] for row in theirs[1:]]
    assert [name.lower() for name in ours[0]] == [name.lower() for name in theirs[0]]
    for row, expected in zip(ours[1:], theirs[1:], strict=True):
        assert list(map(float, row[1:7])) == pytest.approx(list(map(float, expected[1:7])), rel=1e-9), row[0]
        assert row[7] == expected[7]


def test_every_name_of_ops_diff(hta, golden):
    assert json.loads(hta.printed("json-cpu")) == read_json(golden / "ops_diff.second_vs_second.CPU.json")
    gpu = read_json(golden / "ops_diff.second_vs_second.GPU.json")
    assert json.loads(hta.printed("json-gpu")) == gpu
    assert json.loads((hta.folder / "ops_diff_gpu.json").read_text()) == gpu


def test_the_figures_of_counts(hta, golden):
    table = rows(golden / "compare_traces.second_vs_second.CPU.long.csv")[1:]
    differences = sorted(float(row[5]) for row in table)
    assert list(hta.bars("decrease")["Difference"].values()) == differences[:10]
    assert list(hta.bars("increase")["Difference"].values()) == differences[::-1][:10]
    assert set(hta.bars("deleted-plot")["Difference"]) == {row[0] for row in table if float(row[3]) == 0}
    assert set(hta.bars("added-plot")["Difference"]) == {row[0] for row in table if float(row[1]) == 0}


def test_the_figure_of_durations(hta, golden):
    table = rows(golden / "compare_traces.second_vs_second.CPU.long.csv")[1:]
    durations = [float(row[6]) for row in table if not row[0].startswith("ProfilerStep")]
    assert [row["name"] for row in hta.table("duration-rust")] == list(hta.bars("duration")["Difference"])
    largest = sorted(durations, key=abs, reverse=True)[:10]
    assert list(hta.bars("duration")["Difference"].values()) == pytest.approx(largest)


def rows(file):
    """A table with its header; recorded tables above 16 KiB are gzip'ed."""
    packed = file.with_name(file.name + ".gz")
    with gzip.open(packed, "rt", newline="") if packed.exists() else open(file, newline="") as text:
        return list(csv.reader(text))


def read_json(file):
    packed = file.with_name(file.name + ".gz")
    with gzip.open(packed, "rt") if packed.exists() else open(file) as text:
        return json.load(text)

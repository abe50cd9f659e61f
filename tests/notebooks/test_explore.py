"""The notebook of SQL, pipelines and files: its answers are those that the data's documentation states."""

import gzip
import json
import zipfile

import pytest

from places import DATA

RANKS = [0, 1, 2, 3]


def sums(rows, key, value="dur"):
    return {row[key]: row[value] for row in rows}


def test_only_the_cells_about_mistakes_fail(explored):
    failed = [cell.id for cell in explored.cells() if any(out.output_type == "error" for out in cell.outputs)]
    assert failed == ["mistake", "typo"]
    assert [cell.execution_count for cell in explored.cells()] == list(range(1, len(explored.cells()) + 1))


def test_all_loaded_ranks_are_rows(explored):
    rows = explored.table("load")
    assert [(row["trace"], row["rank"]) for row in rows] == [("control", 3), *(("job", rank) for rank in RANKS), ("test", 1)]
    assert {row["events"] for row in rows if row["trace"] == "control"} == {4_928}


def test_the_slow_gpu_is_found_and_the_others_wait_for_it(explored):
    rows = explored.table("kinds")
    computes = sums([row for row in rows if row["kernel_type"] == "COMPUTATION"], "rank")
    waits = sums([row for row in rows if row["kernel_type"] == "COMMUNICATION"], "rank")
    usual = [0, 1, 3]
    assert [computes[2] / computes[rank] for rank in usual] == pytest.approx([1.2] * 3, abs=0.02)
    assert min(waits[rank] for rank in usual) > 2 * waits[2]


def test_rust_and_sql_find_the_iteration_of_the_weights(explored):
    assert explored.text("rust").strip() == "4"
    (row,) = explored.table("join")
    assert (row["rank"], row["iteration"]) == (0, 1012) and row["busy"] > 1.5 * row["median_busy"]


def test_gaps_are_where_the_data_loader_stalls(explored):
    rows = explored.table("gaps")
    assert len(rows) == 6 and rows == sorted(rows, key=lambda row: -row["dur"])
    assert sorted((row["iteration"], row["rank"]) for row in rows if row["iteration"] == 1013) == [
        (1013, rank) for rank in (1, 2, 3)
    ]
    stalled = [row for row in rows if row["iteration"] == 1011]
    assert len(stalled) == 3 and stalled[0]["rank"] == 3 and stalled[0]["dur"] > 6.2, "ms"


def test_the_long_launch_is_asked_by_its_id(explored):
    (launch,) = explored.table("launch")
    assert (launch["rank"], launch["iteration"], launch["dur"]) == (1, 1010, 870), "µs"
    source = explored.cell("ancestors").source
    assert f"ancestors({launch['id']})" in source and f"rank = {launch['rank']}" in source
    stack = explored.table("ancestors")
    assert [row["depth"] for row in stack] == sorted(row["depth"] for row in stack) and stack[0]["name"].startswith(
        "ProfilerStep#1010"
    )
    # What is around a call takes at least as long; in ms.
    assert all(row["dur"] >= 0.870 for row in stack)


def test_tables_of_intervals_add_up(explored):
    assert explored.table("self")[0]["self_dur"] >= explored.table("self")[-1]["self_dur"] > 0
    rows = explored.table("hidden")
    assert [row["trace"] for row in rows] == ["control", "test"]
    assert all(0 < row["hidden"] < row["communication"] for row in rows)
    open_kernels = explored.table("overlap")
    assert open_kernels[0]["open"] == 1 and all(row["dur"] > 0 for row in open_kernels)


def test_mistakes_say_what_to_write(explored):
    (error,) = explored.cell("mistake").outputs
    assert "GROUP BY name" in error.evalue and "^" in error.evalue
    assert len(explored.table("rewritten")) == 3
    (error,) = explored.cell("typo").outputs
    assert "did you mean name?" in error.evalue


@pytest.mark.parametrize(
    ("cell", "keys"), [("events", ["rank", "cat"]), ("graph", ["name"]), ("path", ["bound_by"]), ("regions", ["name"])]
)
def test_pipelines_give_one_row_for_equal_values(explored, cell, keys):
    rows = explored.table(cell)
    values = [tuple(row[key] for key in keys) for row in rows]
    assert len(set(values)) == len(values) > 0 and all(row["rows"] >= 1 for row in rows)


def test_one_table_of_a_page_adds_up_to_its_step(explored):
    rows = explored.table("path")
    assert rows[0]["bound_by"] == "gpu_compute_bound"
    assert sum(row["duration"] for row in rows) == pytest.approx(11_140, abs=60)


def test_the_copy_for_perfetto_has_the_events_of_the_gpu(explored):
    copy = json.loads(gzip.decompress((explored.folder / "notebooks" / "gpu.perfetto.json.gz").read_bytes()))
    slices = [event for event in copy["traceEvents"] if event["ph"] == "X"]
    assert slices and all("stream" in event["args"] for event in slices)
    assert sum(row["n"] for row in explored.table("reload")) == len(slices)


def test_the_report_is_one_small_page(explored):
    page = (explored.folder / "notebooks" / "why.html").read_text()
    assert page.startswith("<!doctype html>") and len(page) < 3_000_000
    assert '<svg class="figure"' in page and 'src="http' not in page
    assert "why.html: control → test" in explored.printed("report")


def test_archives_and_zstd_give_the_same_frames(explored):
    assert explored.printed("same").strip() == "archive: true, zstd: true"
    with zipfile.ZipFile(DATA / "packed" / "bound.zip") as archive:
        assert len(archive.namelist()) == 4
        for name in archive.namelist():
            assert archive.read(name) == (DATA / "bound" / name).read_bytes()

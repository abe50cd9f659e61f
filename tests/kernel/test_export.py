"""Exports as other programs read them: DuckDB and polars from PyPI against our own comparison, and full or unwritable disks."""

import csv
import gzip
import json
import os
import shutil
import signal
import subprocess

import duckdb
import polars as pl
import pytest

from disks import mounted, unwritable
from driver import Kernel
from places import DATA, ROOT
from waiting import wait_until

PROGRAM = os.environ.get("TRACEBOOK_BIN") or str(ROOT / "target" / "release" / "tracebook")

TYPES = {
    "name": "VARCHAR",
    "cat": "VARCHAR",
    "ts": "BIGINT",
    "dur": "BIGINT",
    "end": "BIGINT",
    "stream": "INTEGER",
    "iteration": "INTEGER",
    "input_dims": "VARCHAR",
}


def tracebook(*words, **options):
    return subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, timeout=300, **options)


@pytest.fixture(scope="module")
def lake(tmp_path_factory):
    """The demo job, exported."""
    folder = tmp_path_factory.mktemp("lake") / "job"
    done = tracebook("export", DATA / "job", folder)
    assert done.returncode == 0 and "4 ranks" in done.stderr, done.stderr
    assert done.stdout == ""
    return folder


def text(ran):
    """Everything that a cell showed, as plain text."""
    shown = [m["content"] for m in ran.outputs]
    return "\n".join(c.get("text") or c.get("data", {}).get("text/plain", "") for c in shown)


def our_sums(folder, work):
    """Counts and durations by name over all ranks and iterations, in ns, as `tracebook diff` has them."""
    table = work / "sums.csv"
    flags = [f"--{side}-{of}=all" for side in ("control", "test") for of in ("rank", "iteration")]
    done = tracebook("diff", folder, folder, *flags, "--csv", table, "--quiet")
    assert done.returncode == 0, done.stderr
    with table.open() as rows:
        found = list(csv.DictReader(rows))
    counts = next(name for name in found[0] if name.endswith("_counts") and not name.startswith("diff"))
    times = next(name for name in found[0] if name.endswith("_total_duration"))
    return {row["name"]: (int(row[counts]), round(float(row[times]) * 1000)) for row in found}


SUMS = """
    select name, count(*), sum(greatest(dur, 0))::bigint from read_parquet('{}/*/part-*.parquet', union_by_name = true)
    where iteration is not null group by name
"""


def test_duckdb_and_polars_sum_as_we_do(lake, tmp_path):
    ours = our_sums(DATA / "job", tmp_path)
    assert len(ours) > 50
    theirs = {name: (count, dur) for name, count, dur in duckdb.sql(SUMS.format(lake)).fetchall()}
    assert theirs == ours
    scan = pl.scan_parquet(f"{lake}/**/part-*.parquet", hive_partitioning=True, missing_columns="insert", extra_columns="ignore")
    frame = (
        scan.filter(pl.col("iteration").is_not_null())
        .group_by("name")
        .agg(pl.len().alias("count"), pl.col("dur").clip(0).sum())
        .collect()
    )
    assert {name: (count, dur) for name, count, dur in frame.rows()} == ours
    assert our_sums(lake, tmp_path) == ours


def test_the_schema_is_the_documented_one(lake):
    columns = duckdb.sql(f"describe select * from read_parquet('{lake}/*/part-*.parquet', union_by_name = true)").fetchall()
    types = {name: kind for name, kind, *_ in columns}
    assert TYPES.items() <= types.items(), types
    assert types["rank"] == "BIGINT"
    scan = pl.scan_parquet(f"{lake}/**/part-*.parquet", hive_partitioning=True, missing_columns="insert", extra_columns="ignore")
    schema = scan.collect_schema()
    assert schema["rank"].is_integer() and schema["name"] == pl.String and schema["ts"] == pl.Int64
    ranks = duckdb.sql(f"select distinct rank from '{lake}/*/part-*.parquet' order by rank").fetchall()
    assert ranks == [(0,), (1,), (2,), (3,)]


def test_files_are_compressed_with_statistics_and_hold_the_rows_of_the_manifest(lake):
    manifest = json.loads((lake / "tracebook.json").read_text())
    assert manifest["tracebook_export"] == 2
    for rank in manifest["ranks"]:
        rows = 0
        for part in rank["parts"]:
            file = lake / part["file"]
            assert file.stat().st_size == part["bytes"]
            columns = "path_in_schema, compression, encodings, stats_min_value"
            chunks = duckdb.sql(f"select {columns} from parquet_metadata('{file}')").fetchall()
            assert {compression for _, compression, _, _ in chunks} == {"ZSTD"}
            assert all(least is not None for name, _, _, least in chunks if name == "ts")
            assert all("DICT" in str(encodings) for name, _, encodings, _ in chunks if name == "name")
            index = pl.read_parquet(file)["index"]
            assert index.is_sorted()
            rows += len(index)
        assert rows == rank["info"]["events"]
        names = [column["name"] for column in rank["columns"]]
        assert pl.read_parquet_schema(lake / rank["parts"][0]["file"]).names() == names


def test_instants_are_a_table_of_their_own(lake):
    expected = {}
    for rank in range(4):
        with gzip.open(DATA / "job" / f"rank-{rank}.json.gz") as file:
            events = json.load(file)["traceEvents"]
        expected[rank] = [event["name"] for event in events if event["ph"] in "iIR"]
    assert all(expected.values())
    rows = duckdb.sql(f"select rank, name from '{lake}/*/instants-*.parquet' order by rank, index").fetchall()
    assert rows == [(rank, name) for rank, names in expected.items() for name in names]
    scan = pl.scan_parquet(f"{lake}/**/instants-*.parquet", hive_partitioning=True).sort("rank", "index")
    assert scan.select("rank", "name").collect().rows() == rows
    manifest = json.loads((lake / "tracebook.json").read_text())
    for rank in manifest["ranks"]:
        table = rank["instants"]
        names = [column["name"] for column in table["columns"]]
        assert table["rows"] == sum(part["rows"] for part in table["parts"]) == len(expected[rank["info"]["rank"]])
        assert pl.read_parquet_schema(lake / table["parts"][0]["file"]).names() == names
        assert rank["counters"]["parts"] == []


def test_the_magic_exports_and_loads_back(tracebook_argv, tmp_path):
    kernel = Kernel(tracebook_argv, tmp_path / "kernel")
    try:
        kernel.ok(f"%trace_load {DATA}/job --as job")
        target = tmp_path / "lake"
        shown = text(kernel.ok(f"%trace_export job {target}"))
        assert f"wrote {target}: 4 ranks" in shown and "files" in shown, shown
        refused = kernel.run(f"%trace_export job {target}")
        assert refused.status == "error" and "--overwrite" in refused.content["evalue"]
        kernel.ok(f"%trace_load {target} --as again")
        pages = [text(kernel.ok(f"%describe {label}")) for label in ("job", "again")]
        assert pages[0].replace("job", "again") == pages[1]
        kernel.ok(f"%trace_export again {target} --rank 1-2 --overwrite --quiet")
        assert sorted(entry.name for entry in target.iterdir()) == ["rank=1", "rank=2", "tracebook.json"]
        unknown = kernel.run(f"%trace_export job {tmp_path}/other --rank 7")
        assert unknown.status == "error" and "has no rank 7" in unknown.content["evalue"]
        assert not (tmp_path / "other").exists()
    finally:
        kernel.close()


def test_commands_read_exports(lake, tmp_path):
    for words in (["describe"], ["diff", DATA / "job"], ["explain", DATA / "job"]):
        pages = [tracebook(*words, trace, "--json", "-") for trace in (DATA / "job", lake)]
        assert [page.returncode for page in pages] == [0, 0], pages[1].stderr
        of_files, of_lake = (page.stdout for page in pages)
        assert of_files.replace(str(DATA / "job"), "TRACE") == of_lake.replace(str(lake), "TRACE").replace(
            str(DATA / "job"), "TRACE"
        )
    again = tmp_path / "again"
    assert tracebook("export", lake, again).returncode == 0
    assert {file.name for file in again.iterdir()} == {file.name for file in lake.iterdir()}
    for file in again.glob("*/*.parquet"):
        assert file.read_bytes() == (lake / file.relative_to(again)).read_bytes()


def test_a_lake_of_another_program_is_refused_with_the_fix(tmp_path):
    lake = tmp_path / "lake"
    pl.DataFrame({"name": ["a"], "ts": [1], "rank": [0]}).write_parquet(pl.PartitionBy(lake, key="rank"), mkdir=True)
    done = tracebook("describe", lake)
    assert done.returncode == 1
    assert f"cannot load {lake}: it holds Parquet files, but no tracebook.json" in done.stderr


def test_existing_folders_need_overwrite(lake, tmp_path):
    target = tmp_path / "job"
    shutil.copytree(lake, target)
    refused = tracebook("export", DATA / "job", target)
    assert refused.returncode == 1 and "--overwrite" in refused.stderr, refused.stderr
    assert tracebook("export", DATA / "job", target, "--overwrite", "--rank", "2", "--quiet").returncode == 0
    assert sorted(entry.name for entry in target.iterdir()) == ["rank=2", "tracebook.json"]
    (target / "notes.txt").write_text("mine")
    refused = tracebook("export", DATA / "job", target, "--overwrite")
    assert refused.returncode == 1 and "notes.txt" in refused.stderr, refused.stderr
    assert [entry.name for entry in tmp_path.iterdir()] == ["job"]


def test_a_full_disk_leaves_nothing(tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    script = f"'{PROGRAM}' export '{DATA / 'job'}' '{disk}/lake'; echo code $?; ls -A '{disk}'"
    done = subprocess.run(
        mounted(["sh", "-c", script], [f"mount -t tmpfs -o size=64k none '{disk}'"]),
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.stdout == "code 1\n", done.stdout + done.stderr
    assert "the disk is full; free some space, or choose another disk" in done.stderr, done.stderr


def test_an_unwritable_folder_is_named(tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    line = mounted([PROGRAM, "export", str(DATA / "job"), f"{disk}/lake"], [unwritable(disk)])
    done = subprocess.run(line, capture_output=True, text=True, timeout=120)
    assert done.returncode == 1 and "choose a folder that you may write" in done.stderr, done.stderr


def test_ctrl_c_removes_the_unfinished_folder(large_trace, tmp_path):
    large = tmp_path / "large.json"
    subprocess.run([large_trace, large, "--bytes", "300M"], check=True, capture_output=True)
    running = subprocess.Popen(
        [PROGRAM, "export", large, tmp_path / "lake"], stderr=subprocess.PIPE, text=True, start_new_session=True
    )

    def writing():
        assert running.poll() is None, running.stderr.read()
        return any(entry.name.endswith(".export") for entry in tmp_path.iterdir())

    wait_until(writing, 120, "nothing is written")
    running.send_signal(signal.SIGINT)
    assert running.wait(timeout=60) == 130, running.stderr.read()
    assert [entry.name for entry in tmp_path.iterdir()] == ["large.json"]

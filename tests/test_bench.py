"""The benchmark of loading on tiny files, without the peers: it runs, and stops if a reader reads something else."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from places import ROOT

sys.path.insert(0, str(ROOT / "benches"))
import revision

LOADING = ROOT / "benches" / "loading"


@pytest.fixture(scope="module")
def programs():
    target = Path(os.environ.get("CARGO_TARGET_DIR") or ROOT / "target")
    command = ["cargo", "build", "--release", "--locked", "--quiet", "-p", "trace", "--example", "load"]
    command += ["-p", "trace-testkit", "--bin", "large_trace"]
    env = {name: value for name, value in os.environ.items() if name != "CI"}
    subprocess.run(command, cwd=ROOT, env=env, check=True)
    return (ROOT / target / "release/examples/load").resolve(), (ROOT / target / "release/large_trace").resolve()


def bench(folder, load, generator, *more):
    command = [sys.executable, LOADING, "--load", load, "--generator", generator, "--folder", folder, "--sizes", "3M"]
    command += ["--ranks-of", "1M", "--plain-of", "1M", "--rounds", "1", "--shared", folder / "none", *more]
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=300)


def test_the_bench_checks_times_and_writes_its_page(programs, tmp_path):
    page = tmp_path / "benchmarks.md"
    done = bench(tmp_path / "data", *programs, "--sizes", "35M,3M", "--write", page)
    assert done.returncode == 0, done.stderr
    text = page.read_text()
    assert "## 3M: 3 MB of JSON" in text
    assert "| tracebook | 1 |" in text and "| exact |" in text
    for reader in ("gunzip alone", "gunzip and structural scan", "serde_json visitor"):
        assert f"| {reader} | 1 |" in text
    for measure in ("peak memory", "bytes per event"):
        assert f"| {measure}" in text
    assert "## Several ranks: 8 files, 8 MB of JSON" in text and "## One plain file, split: 1 file, 1 MB of JSON" in text
    # The named folder does not contain the real trace: reported, not a failure.
    assert "the real trace: no " in text
    known = json.loads((tmp_path / "data" / "checked.json").read_text())
    reference = next(value for key, value in known.items() if key.startswith("reference"))
    assert reference["rows"] > 5000 and len(reference["args"]) == 28


def test_reader_with_a_different_digest_gets_no_time(programs, tmp_path):
    load, generator = programs
    # The same program, but its sum lacks a nanosecond.
    wrong = tmp_path / "load"
    wrong.write_text(
        f"#!{sys.executable}\nimport json, subprocess, sys\n"
        f"report = json.loads(subprocess.run(['{load}', *sys.argv[1:]], capture_output=True, text=True, check=True).stdout)\n"
        "report['digest']['dur_ns'] -= 1\nprint(json.dumps(report))\n"
    )
    wrong.chmod(0o755)
    done = bench(tmp_path / "data", wrong, generator)
    assert done.returncode != 0
    assert "stopped, no time is shown" in done.stderr and "dur_ns" in done.stderr
    assert "wall" not in done.stdout


def test_another_revision_is_timed_in_pairs(programs, tmp_path):
    load, _ = programs
    old = revision.copied(load, tmp_path / "load")
    traces = list(revision.recorded(ROOT / "notebooks" / "data"))
    assert traces, "no recorded trace"
    for old_first in (True, False):
        assert all(0 < ms < 60_000 for ms in revision.paired(old, load, traces[0], 2, old_first))


def test_unknown_revision_is_named(programs, tmp_path):
    command = [sys.executable, ROOT / "benches" / "revision.py", programs[0]]
    command += ["--revision", "no-such", "--folder", tmp_path, tmp_path]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr == "invalid revision 'no-such': expected a commit of this repository\n"

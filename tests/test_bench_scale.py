"""The benchmark of engines on a few ranks, without Ray: it runs, and writes its section beside what the page has."""

import os
import subprocess
import sys
from pathlib import Path

from places import ROOT

TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release"


def test_the_bench_of_engines_compares_answers_and_writes_its_section(tmp_path):
    page = tmp_path / "benchmarks.md"
    page.write_text("# Benchmarks\n\nBefore.\n")
    program = os.environ.get("TRACEBOOK_BIN", TARGET / "tracebook")
    generator = os.environ.get("TRACEBOOK_LARGE_TRACE", TARGET / "large_trace")
    command = [sys.executable, ROOT / "benches" / "scale", "--tracebook", program, "--generator", generator, "--cores", "1"]
    command += [
        "--folder",
        tmp_path / "data",
        "--ranks",
        "4,9,9:500000",
        "--rounds",
        "1",
        "--engines",
        "processes",
        "--write",
        page,
    ]
    for _ in range(2):
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
    text = page.read_text()
    assert text.startswith("# Benchmarks\n\nBefore.\n") and text.count("## Engines and many ranks") == 1
    rows = [line for line in text.splitlines() if line.startswith("| 9 |")]
    assert [row.split(" | ")[1:3] for row in rows] == [
        [size, by] for size in ("0.25 MB", "0.5 MB") for by in ("local", "processes")
    ]
    assert "* processes, ranks of 0.5 MB: ratio " in text and "* processes, 9 ranks: " in text
    assert all(row.endswith("| yes |") for row in rows) and "| 10,000 | 1,024 | 64 | 1.0 TB |" in text
    assert not list((tmp_path / "data").iterdir())

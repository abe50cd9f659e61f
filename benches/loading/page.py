"""The page of measurements."""

import os
import platform
import re
import statistics
import subprocess
import time
from pathlib import Path

from targets import MIB, OURS, pairs

BUSY = 0.2
"""The number of cores that other work may use before wall clocks are flagged."""


def machine():
    cpu_info = Path("/proc/cpuinfo").read_text()
    model = re.search(r"model name\s*: (.*)", cpu_info)
    memory = int(re.search(r"MemTotal:\s+(\d+)", Path("/proc/meminfo").read_text())[1]) * 1024
    cores = len(os.sched_getaffinity(0))
    return f"{model[1] if model else platform.machine()}, {cores} cores, {memory / 2**30:.0f} GiB, {platform.system()} {platform.release().split('-')[0]}"


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "| " + " | ".join("---" for _ in head) + " |"]
    return "\n".join(lines + ["| " + " | ".join(map(str, row)) + " |" for row in rows])


def median(runs, what):
    return statistics.median(getattr(run, what) for run in runs)


def ratio(results, name, what):
    """The median of the ratios to ours, as text; 1 for ours."""
    return "1" if name == OURS else f"{statistics.median(pairs(results, name, what)):.2f}x"


def of_file(file, results, exact):
    """All readers on one file."""
    rows = []
    for name, runs in results.items():
        rate = file.json_bytes / 1e6 / median(runs, "wall")
        rows.append(
            [
                name,
                len(runs),
                f"{median(runs, 'wall'):.3f}",
                ratio(results, name, "wall"),
                f"{median(runs, 'cpu'):.2f}",
                ratio(results, name, "cpu"),
                f"{rate:,.0f}",
                f"{median(runs, 'peak') / MIB:,.0f}",
                exact.get(name, "–"),
            ]
        )
    head = ["reader", "runs", "wall, s", "to ours", "CPU, s", "to ours", "JSON, MB/s", "peak memory, MiB", "times"]
    title = f"## {file.name}: {file.json_bytes / 1e6:,.0f} MB of JSON, {file.packed_bytes / 1e6:,.1f} MB packed"
    return f"{title}\n\n{file.about[0].upper()}{file.about[1:]}.\n\n{table(head, rows)}"


def revision():
    """The revision of the repository that was measured."""
    shown = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False)
    return shown.stdout.strip() or "unknown"


def page(rows, tables, skipped, other_cores, versions, several):
    busy = other_cores > BUSY
    shown = [
        [row.measure, row.file, row.must, row.aim, row.measured, row.verdict + (" (machine busy)" if busy and row.wall else "")]
        for row in rows
    ]
    idle = (
        f"other work used {other_cores:.1f} cores meanwhile: **wall clocks are not reliable**, CPU times within about a quarter"
        if busy
        else f"other work used {other_cores:.2f} cores meanwhile"
    )
    parts = [
        "# Loading, measured",
        "`make bench BENCH_WRITE=1` writes this page; `make bench` prints the same. All readers load the same columns of the same files: "
        "HTA's 20 default arguments. Tracebook (its example `load`) and HTA produce a finished frame with `index_correlation` and iterations; "
        "the other readers stop at the columns. Wall clocks run from the start of a process until it reports that its frame is finished; CPU and peak "
        "memory are those of the whole process. The readers run in rounds on two cores, each round beginning with another reader. Shown are "
        "medians and ratios of consecutive runs, with minimum and maximum in brackets. Before anything is timed, the rows and the sums of ts, "
        "dur and each argument are compared with a digest made with Python's `Decimal`; the column `times` says how exact each reader is.",
        f"{time.strftime('%Y-%m-%d')}, revision {revision()}; {machine()}; {idle}.\n\n{versions}.",
        "## Targets",
        table(["measure", "file", "must", "aim", "measured", ""], shown),
        *tables,
        *several,
    ]
    if skipped:
        parts.append("## Not measured\n\n" + "\n".join(f"* {line}" for line in skipped))
    return "\n\n".join(parts) + "\n"


def of_cores(title, file, one, two):
    rows = [
        [name, len(runs), f"{median(runs, 'wall'):.3f}", f"{median(runs, 'cpu'):.2f}", f"{median(runs, 'peak') / MIB:,.0f}"]
        for name, runs in (("one core", one), ("two cores", two))
    ]
    head = ["tracebook on", "runs", "wall, s", "CPU, s", "peak memory, MiB"]
    number = len(list(file.path.glob("*.gz"))) if file.path.is_dir() else 1
    files = f"{number} file{'s' if number > 1 else ''}"
    return f"## {title}: {files}, {file.json_bytes / 1e6:,.0f} MB of JSON\n\n{table(head, rows)}"

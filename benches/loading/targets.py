"""The targets: ratios within one run, each with a bound that must hold and an aim."""

import statistics
from dataclasses import dataclass

MIB = 2**20
OURS = "tracebook"


@dataclass
class Row:
    measure: str
    file: str
    must: str
    aim: str
    measured: str
    verdict: str
    wall: bool = False
    """Whether it is a wall clock, which other work on the machine affects."""


def verdict(value, must, aim, less_is_better=False):
    sign = -1 if less_is_better else 1
    return "aim met" if sign * value >= sign * aim else "met" if sign * value >= sign * must else "**missed**"


def pairs(results, other, what, inverse=False):
    """The ratios of consecutive runs, the other reader to ours."""
    both = zip(results.get(other, []), results.get(OURS, []), strict=False)
    return [getattr(b, what) / getattr(a, what) if inverse else getattr(a, what) / getattr(b, what) for a, b in both]


def faster(measure, file, results, other, what, must, aim):
    ratios = pairs(results, other, what)
    if not ratios:
        return []
    middle = statistics.median(ratios)
    shown = f"{middle:.1f}x ({min(ratios):.1f}–{max(ratios):.1f})"
    return [Row(measure, file, f"{must}x", f"{aim}x", shown, verdict(middle, must, aim), what == "wall")]


def of_gunzip(file, results, must=60, aim=80):
    shares = [100 * share for share in pairs(results, "gunzip alone", "wall")]
    middle = statistics.median(shares)
    whole = statistics.median(100 * share for share in pairs(results, "gunzip alone", "whole"))
    shown = f"{middle:.0f} % ({min(shares):.0f}–{max(shares):.0f}); to the end of the processes {whole:.0f} %"
    measure = "wall against gunzip alone, two threads"
    return [Row(measure, file, f"{must} % of its speed", f"{aim} %", shown, verdict(middle, must, aim), True)]


def memory(file, runs):
    peak = statistics.median(run.peak for run in runs) / MIB
    columns = runs[0].report["columns_bytes"] / MIB
    must, aim = 1.3 * columns + 64, 1.1 * columns + 32
    shown = f"{peak:.0f} MiB (columns {columns:.0f} MiB)"
    return [
        Row(
            "peak memory",
            file,
            f"1.3x columns + 64 MiB = {must:.0f}",
            f"1.1x + 32 MiB = {aim:.0f}",
            shown,
            verdict(peak, must, aim, True),
        )
    ]


def per_event(file, runs, must=120, aim=80):
    report = runs[0].report
    rows, whole = report["columns_bytes"] / report["events"], report["columns_bytes"] / report["events_in_files"]
    shown = f"{whole:.0f} B ({rows:.0f} B per row of the frame)"
    return [Row("bytes per event of the file, 20 arguments", file, f"{must}", f"{aim}", shown, verdict(whole, must, aim, True))]


def ranks(one, two, name, must=1.4, aim=1.7):
    middle, shown = gain(one, two)
    return [Row("several ranks, two cores against one", name, f"{must}x", f"{aim}x", shown, verdict(middle, must, aim), True)]


def plain(one, two, name):
    """Measured without a target."""
    return [Row("a plain file, two cores against one", name, "–", "–", gain(one, two)[1], "", True)]


def gain(one, two):
    """The ratio of the wall clock on one core to that on two: the median, and a text."""
    ratios = [a.wall / b.wall for a, b in zip(one, two, strict=True)]
    middle = statistics.median(ratios)
    return middle, f"{middle:.2f}x ({min(ratios):.2f}–{max(ratios):.2f})"


def of_file(file, results):
    """The targets for a file of that size."""
    rows, name = [], file.name
    if file.json_bytes <= 1.01e9:
        rows += faster("CPU against HTA", name, results, "HTA", "cpu", 15, 25)
        rows += faster("wall against HTA", name, results, "HTA", "wall", 20, 35)
    if file.json_bytes >= 0.99e8:
        rows += faster("CPU against polars `read_json`", name, results, "polars read_json", "cpu", 6, 10)
    if file.json_bytes >= 2.49e8 and results.get("gunzip alone"):
        rows += of_gunzip(name, results)
    return rows + memory(name, results[OURS]) + per_event(name, results[OURS])

"""The section of `docs/benchmarks.md` about engines: what was measured, and what follows for larger clusters."""

from dataclasses import dataclass

BEGIN = "<!-- scale: written by `make bench-scale SCALE_WRITE=1` -->"
END = "<!-- end of scale -->"
HEAD = "| ranks | of JSON each | engine | tasks | s | fixed s | ratio | again s | program MiB | driver MiB | equal |"
LINE = "| ---: | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |"
MOST_RATIO, MOST_MEMORY = 1.3, 300
CLUSTERS = ((512, 64), (4096, 64), (4096, 256), (10_000, 256), (10_000, 1024))
PACKED, JSON = 0.1, 1.45
"""GB of a rank of the table of clusters, packed and as JSON."""
CPU, COLUMNS = 1.19, 0.35
"""CPU seconds and GB of columns per GB of JSON: the rows `tracebook` of this page."""
HOST_CORES, HOST_BYTES = 16, 1.25
"""Cores of a host, and the GB that its network brings in a second (10 Gbit/s)."""


@dataclass
class Row:
    engine: str
    ranks: int
    rank_bytes: int
    seconds: float
    again: float
    tasks: int
    peak: int
    driver: int
    is_equal: bool


def of(rows, engine, ranks, rank_bytes):
    return next(row for row in rows if (row.engine, row.ranks, row.rank_bytes) == (engine, ranks, rank_bytes))


def fixed(rows, engine):
    """Seconds of a run with one rank, which is the first."""
    return next(row.seconds for row in rows if (row.engine, row.ranks) == (engine, 1))


def ratio(rows, row):
    """Wall to that of this process, the fixed part taken off on both sides; `None` if too little is left."""
    local = of(rows, "local", row.ranks, row.rank_bytes).seconds - fixed(rows, "local")
    own = row.seconds - fixed(rows, row.engine)
    return own / local if local > 0 and own > 0 else None


def table(rows):
    return [HEAD, LINE, *(line(rows, row) for row in rows if row.ranks > 1)]


def line(rows, row):
    compared = "" if row.engine == "local" else shown(ratio(rows, row))
    tasks = f"{row.tasks:,}" if row.tasks else ""
    driver = f"{row.driver / 2**20:.0f}" if row.driver else ""
    equal = "yes" if row.is_equal else "NO"
    times = f"{row.seconds:.2f} | {fixed(rows, row.engine):.2f} | {compared} | {row.again:.2f}"
    return f"| {row.ranks:,} | {row.rank_bytes / 1e6:g} MB | {row.engine} | {tasks} | {times} | {row.peak / 2**20:.0f} | {driver} | {equal} |"


def shown(of_walls):
    return "–" if of_walls is None else f"{of_walls:.2f}"


def verdicts(rows):
    """What was aimed at, and whether it is met: the ratio for the largest ranks, whose tasks take longest, memory for the most ranks."""
    largest, most = max(row.rank_bytes for row in rows), max(row.ranks for row in rows)
    met = lambda is_met: "met" if is_met else "not met"  # noqa: E731
    lines = []
    for row in rows:
        if row.engine == "local" or row.ranks == 1:
            continue
        if row.rank_bytes == largest:
            own = ratio(rows, row)
            aim = f"at most {MOST_RATIO}: {met(own is not None and own <= MOST_RATIO)}"
            lines.append(f"* {row.engine}, ranks of {largest / 1e6:g} MB: ratio {shown(own)} ({aim}).")
        if row.ranks == most:
            memory = max(row.peak, row.driver) / 2**20
            lines.append(f"* {row.engine}, {most:,} ranks: {memory:.0f} MiB (below {MOST_MEMORY}: {met(memory < MOST_MEMORY)}).")
    return lines


def arithmetic(rows, cores):
    """What the measured overhead means for clusters that were not measured."""
    engines = {row.engine for row in rows if row.engine != "local"}
    engine = "ray" if "ray" in engines else "processes"
    # The smallest ranks are nearly all overhead.
    least = min(row.rank_bytes for row in rows)
    sizes = sorted({row.ranks for row in rows if row.rank_bytes == least} - {1})
    small, large = of(rows, engine, sizes[0], least), of(rows, engine, sizes[-1], least)
    once = fixed(rows, engine)
    local = of(rows, "local", sizes[-1], least).seconds - fixed(rows, "local")
    # Seconds of a core per rank, beyond what this process needs.
    overhead = max(0.0, (large.seconds - once - local) * cores / large.ranks)
    kernel = lambda row: max(row.peak, row.driver)  # noqa: E731
    slope = (kernel(large) - kernel(small)) / max(1, large.ranks - small.ranks)
    at_most = (kernel(large) + slope * max(0, 10_000 - large.ranks)) / 2**20
    text = (
        f"Not measured, but computed, for ranks of {PACKED * 1000:.0f} MB packed ({JSON} GB of JSON each): reading takes {CPU} CPU s and "
        f"{COLUMNS} GB of columns per GB of JSON (above); `{engine}` adds {1000 * overhead:.1f} ms of a core per rank, and {once:.1f} s to the two jobs "
        f"(this table); hosts have {HOST_CORES} cores and 10 Gbit/s. The first load takes what takes longer, cores or network. Memory of the program "
        f"or its driver grows by {slope / 2**10:.1f} KiB a rank, to some {at_most:.0f} MiB for 10,000 ranks."
    )
    head = [
        "| ranks | cores | hosts | packed | CPU h | cores busy s | network s | load s | cache per host |",
        "| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    lines = []
    for ranks, of_cluster in CLUSTERS:
        hosts = of_cluster / HOST_CORES
        seconds = ranks * (CPU * JSON + overhead)
        busy, network = seconds / of_cluster, ranks * PACKED / (hosts * HOST_BYTES)
        lines.append(
            f"| {ranks:,} | {of_cluster:,} | {hosts:.0f} | {amount(ranks * PACKED)} | {seconds / 3600:.1f} | {busy:.0f} | {network:.0f} "
            f"| {max(busy, network) + once:.0f} | {amount(ranks * JSON * COLUMNS / hosts)} |"
        )
    return [text, "", *head, *lines]


def amount(gigabytes):
    return f"{gigabytes / 1000:.1f} TB" if gigabytes >= 1000 else f"{gigabytes:.0f} GB"


def written(rows, lines, options, machine):
    """Returns the section."""
    times = "once" if options.rounds == 1 else f"{options.rounds} times; medians"
    text = (
        "`make bench-scale SCALE_WRITE=1` writes this section. Generated jobs "
        "are loaded and described, by threads of one process (local), by children, and by a Ray of "
        f"one-core nodes on the same machine, on {options.cores} cores each, {times}. The answers must be equal, byte by byte. Engines bundle small ranks: "
        "tasks are the processes that were started. A run begins with an empty cache; *again* is the same with what that left (Ray then has the answer in the log of its job). The fixed part is the run "
        "with one rank; the ratio is that of the walls without it, to local. Tasks of small ranks take some 50 ms, and show what a task costs; those of "
        "large ones take seconds, as tasks should. Memory is the system's own peak (`VmHWM`) of the program that asks, and of "
        "Ray's driver. All nodes are on one machine: this is the cost of distributing, not how it scales."
    )
    body = ["", "## Engines and many ranks", "", text, "", machine, "", *lines, "", *verdicts(rows), ""]
    return "\n".join([BEGIN, *body, "### Larger clusters", "", *arithmetic(rows, options.cores), "", END])

"""First calls of magics on a replay of CUDA graphs, alone and with the capture of its graph, for 100,000 events.

    python benches/companions.py REPLAY CAPTURE [--runs 3] [--times 68] [--magics flame,explain]

The recorded replay is repeated until it has about 100,000 events. Each measurement is one of a new kernel, so that no answer
of another magic is reused.
"""

import argparse
import gzip
import json
import statistics
import sys
import tempfile
import time
from pathlib import Path

from cells import TARGET, Kernel

SHARED = "SELECT name, COUNT(*) AS n FROM kernels GROUP BY name ORDER BY n DESC LIMIT 5"
BORROWED = "SELECT operator, COUNT(*) AS n FROM kernels GROUP BY operator ORDER BY n DESC LIMIT 5"

# Cell without and with a companion: {0} and {1} are loaded traces.
MAGICS = {
    "timeline": ("%timeline {0}",) * 2,
    "events": ("%events {0} --top 5",) * 2,
    "trace_sql": (f"%trace_sql {SHARED}", f"%trace_sql {BORROWED}"),
    "flame": ("%flame {0}",) * 2,
    "operators": ("%operators {0}",) * 2,
    "roofline": ("%roofline {0}",) * 2,
    "critical_path": ("%critical_path {0}",) * 2,
    "explain": ("%explain {0} {1}",) * 2,
    "tree_diff": ("%tree_diff {0} {1}",) * 2,
    "kernels": ("%kernels {0}",) * 2,
    "validate": ("%validate {0}",) * 2,
    "collectives": ("%collectives {0}",) * 2,
    "serving": ("%serving {0}",) * 2,
}

# Numbers of a repetition are moved by so much, times of the trace by its length.
NUMBERS = 1_000_000
MOVED = ("correlation", "External id", "Python id", "Python parent id", "Ev Idx")

# A new kernel builds its completion index in the first seconds.
IDLE_AFTER_SECONDS = 2.5


def text_of(path):
    data = Path(path).read_bytes()
    return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data


def repeated(recording, times):
    """Repeats the events of a recording, one repetition after the other."""
    events = recording["traceEvents"]
    timed = [event for event in events if event.get("ph") == "X"]
    begin = min(event["ts"] for event in timed)
    length = max(event["ts"] + event["dur"] for event in timed) - begin + 10
    copies = [event for event in events if "ts" not in event or event.get("ph") == "M"]
    for copy in range(times):
        for event in events:
            if "ts" not in event or event.get("ph") == "M":
                continue
            moved = {**event, "ts": event["ts"] + copy * length}
            if isinstance(event.get("id"), int):
                moved["id"] = event["id"] + copy * NUMBERS
            if "args" in event:
                args = dict(event["args"])
                for key in MOVED:
                    if isinstance(args.get(key), int):
                        args[key] += copy * NUMBERS
                moved["args"] = args
            copies.append(moved)
    return {**recording, "traceEvents": copies}


def first_call(command, replay, companion, magic):
    kernel = Kernel(command, {"TRACEBOOK_LOG": "error"})
    try:
        flag = f" --companion {companion}" if companion else ""
        for label in ("a", "b") if "{1}" in magic else ("a",):
            kernel.run(f"%trace_load {replay} --as {label}{flag} --quiet")
        time.sleep(IDLE_AFTER_SECONDS)
        cell = magic.format("a", "b")
        return kernel.run(cell), kernel.run(cell)
    finally:
        kernel.close()


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("replay")
    arguments.add_argument("capture")
    arguments.add_argument("--runs", type=int, default=3)
    arguments.add_argument("--times", type=int, default=68)
    arguments.add_argument("--magics", default=",".join(MAGICS))
    arguments.add_argument("--binary", default=str(TARGET / "tracebook"))
    options = arguments.parse_args()
    unknown = set(options.magics.split(",")) - set(MAGICS)
    if unknown:
        sys.exit(f"unknown magics: {', '.join(sorted(unknown))}; known: {', '.join(MAGICS)}")
    with tempfile.TemporaryDirectory() as folder:
        replay = Path(folder) / "replay.json"
        replay.write_text(json.dumps(repeated(json.loads(text_of(options.replay)), options.times)))
        measure(options, replay)


def measure(options, replay):
    command = [options.binary, "run", "--connection-file"]
    # The first load fills the cache, which all others read.
    kernel = Kernel(command)
    kernel.run(f"%trace_load {replay} --as a --quiet")
    kernel.close()
    print("| magic | alone, ms | again | with its capture, ms | again | added |\n| --- | ---: | ---: | ---: | ---: | ---: |")
    for name in options.magics.split(","):
        alone, with_capture = MAGICS[name]
        times = [
            [first_call(command, replay, companion, magic) for _ in range(options.runs)]
            for companion, magic in ((None, alone), (Path(options.capture).resolve(), with_capture))
        ]
        (first, again), (capture_first, capture_again) = (
            [statistics.median(run[at] for run in runs) * 1e3 for at in (0, 1)] for runs in times
        )
        print(
            f"| `%{name}` | {first:.0f} | {again:.0f} | {capture_first:.0f} | {capture_again:.0f} | {capture_first - first:.0f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()

"""Writes operators.json: the self time of each operator in each iteration of recorded traces, in µs, and the time of the steps.

    python crates/statistics/tests/answers/operators.py TRACES

TRACES contains `recorded_iterations` and `recorded_runs`. Of several ranks the first is read. The first iteration of each run is left out.
An operator is unchanged if every iteration of both sides calls it as often, with the same shapes and types.
"""

import bisect
import gzip
import json
import pathlib
import sys
from collections import defaultdict


def recorded(folder):
    """The steps of a trace: time, self time by operator, inputs by operator."""
    text = gzip.decompress(sorted(folder.glob("*.json.gz"))[0].read_bytes())
    events = [event for event in json.loads(text)["traceEvents"] if event.get("ph") == "X"]
    is_step = [event["name"].startswith("ProfilerStep") and event.get("cat") == "user_annotation" for event in events]
    steps = sorted((event for event, step in zip(events, is_step, strict=True) if step), key=lambda event: event["ts"])
    starts = [step["ts"] for step in steps]
    times, inputs = [defaultdict(float) for _ in steps], [defaultdict(list) for _ in steps]
    threads = defaultdict(list)
    for event, step in zip(events, is_step, strict=True):
        if event.get("cat") in ("cpu_op", "user_annotation") and not step:
            threads[event["pid"], event["tid"]].append(event)
    for thread in threads.values():
        thread.sort(key=lambda event: (event["ts"], -event["dur"]))
        own, stack = [], []
        for at, event in enumerate(thread):
            while stack and thread[stack[-1]]["ts"] + thread[stack[-1]]["dur"] <= event["ts"]:
                stack.pop()
            own.append(event["dur"])
            if stack:
                own[stack[-1]] -= event["dur"]
            stack.append(at)
        for event, time in zip(thread, own, strict=True):
            at = bisect.bisect_right(starts, event["ts"]) - 1
            if at >= 0 and event["ts"] < steps[at]["ts"] + steps[at]["dur"]:
                args = event.get("args", {})
                times[at][event["name"]] += max(time, 0)
                inputs[at][event["name"]].append(str((args.get("Input Dims"), args.get("Input type"))))
    return [step["dur"] for step in steps][1:], times[1:], inputs[1:]


def pair(control, test):
    sides = [[recorded(folder) for folder in side] for side in (control, test)]
    names = sorted({name for side in sides for _, times, _ in side for step in times for name in step})

    def values(side, of):
        return [[round(of(run, at)) for at in range(len(run[0]))] for run in side]

    def is_unchanged(name):
        calls = {tuple(sorted(step.get(name, []))) for side in sides for run in side for step in run[2]}
        return len(calls) == 1

    rows = [["step", False, *(values(side, lambda run, at: run[0][at]) for side in sides)]]
    rows += [
        [name, is_unchanged(name), *(values(side, lambda run, at, name=name: run[1][at][name]) for side in sides)]
        for name in names
    ]
    return rows


def main():
    traces = pathlib.Path(sys.argv[1])
    iterations, runs = traces / "recorded_iterations", traces / "recorded_runs"
    pairs = {
        "same_program": pair([iterations / "control"], [iterations / "control_again"]),
        "two_programs": pair([runs / f"control-{run}" for run in range(1, 5)], [runs / f"test-{run}" for run in range(1, 5)]),
    }
    text = ",\n".join(f'"{name}": [\n' + ",\n".join(map(json.dumps, rows)) + "\n]" for name, rows in pairs.items())
    pathlib.Path(__file__).with_name("operators.json").write_text("{\n" + text + "\n}\n")


if __name__ == "__main__":
    main()

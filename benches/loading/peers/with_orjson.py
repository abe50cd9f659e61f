"""`with_orjson.py FILE [--digest]`: orjson and a list per column, to a pandas frame of HTA's columns."""

import gzip
import json
import sys

import orjson
import pandas as pd


def load(file):
    from arguments import ARGUMENTS

    with gzip.open(file) as text:
        events = orjson.loads(text.read())["traceEvents"]
    kept = [event for event in events if event.get("dur") is not None and event.get("cat") not in (None, "Trace")]
    columns = {key: [event.get(key) for event in kept] for key in ("cat", "name", "pid", "tid", "ts", "dur")}
    args = [event.get("args") or {} for event in kept]
    columns |= {column: [arg.get(key) for arg in args] for key, column, _ in ARGUMENTS}
    return pd.DataFrame(columns)


def digest(frame):
    from arguments import ARGUMENTS, inexact, letters, nanoseconds, whole

    args = {}
    for _, column, kind in ARGUMENTS:
        values = frame[column].dropna()
        if kind == "int":
            args[column] = whole(values)
        elif kind == "float":
            args[column] = inexact(values)
        elif kind == "text":
            args[column] = letters(values)
        else:
            args[column] = letters(json.dumps(value, ensure_ascii=False) for value in values)
    times = {column: nanoseconds(frame[column]) for column in ("ts", "dur")}
    return {"rows": len(frame), "ts_ns": times["ts"], "dur_ns": times["dur"], "args": args}


if __name__ == "__main__":
    loaded = load(sys.argv[1])
    print(json.dumps(digest(loaded) if "--digest" in sys.argv else {"rows": len(loaded)}), flush=True)

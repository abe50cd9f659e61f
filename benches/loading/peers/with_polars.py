"""`with_polars.py FILE [--digest]`: polars' read_json with a schema, to a frame of HTA's columns."""

import gzip
import json
import sys

import polars as pl

TYPES = {
    "int": pl.Int64,
    "float": pl.Float64,
    "text": pl.String,
    "texts": pl.List(pl.String),
    "lists": pl.List(pl.List(pl.Int64)),
}


def load(file):
    from arguments import ARGUMENTS

    args = pl.Struct({key: TYPES[kind] for key, _, kind in ARGUMENTS})
    # pid and tid are texts in the profiler's own events.
    event = {"cat": pl.String, "name": pl.String, "pid": pl.String, "tid": pl.String, "ts": pl.Float64, "dur": pl.Float64}
    with gzip.open(file) as text:
        frame = pl.read_json(text.read(), schema={"traceEvents": pl.List(pl.Struct({**event, "args": args}))})
    kept = pl.col("dur").is_not_null() & pl.col("cat").is_not_null() & (pl.col("cat") != "Trace")
    return frame.explode("traceEvents").unnest("traceEvents").filter(kept).unnest("args")


def digest(frame):
    from arguments import ARGUMENTS, inexact, letters, nanoseconds, whole

    args = {}
    for key, column, kind in ARGUMENTS:
        values = frame[key].drop_nulls()
        if kind == "int":
            args[column] = whole(values.to_numpy())
        elif kind == "float":
            args[column] = inexact(values)
        elif kind == "text":
            args[column] = letters(values)
        else:
            args[column] = letters(json.dumps(value.to_list(), ensure_ascii=False) for value in values)
    times = {column: nanoseconds(frame[column].to_numpy()) for column in ("ts", "dur")}
    return {"rows": frame.height, "ts_ns": times["ts"], "dur_ns": times["dur"], "args": args}


if __name__ == "__main__":
    loaded = load(sys.argv[1])
    print(json.dumps(digest(loaded) if "--digest" in sys.argv else {"rows": loaded.height}), flush=True)

"""`with_duckdb.py FILE [--digest]`: DuckDB's read_json with types, to a table of HTA's columns."""

import json
import sys

import duckdb

TYPES = {"int": "BIGINT", "float": "DOUBLE", "text": "VARCHAR", "texts": "JSON", "lists": "JSON"}


def load(file):
    from arguments import ARGUMENTS

    args = ", ".join(f'"{key}" {TYPES[kind]}' for key, _, kind in ARGUMENTS)
    event = "cat VARCHAR, name VARCHAR, pid VARCHAR, tid VARCHAR, ts DOUBLE, dur DOUBLE"
    # DuckDB reads the file as one object.
    connection = duckdb.connect()
    connection.execute(
        f"""create table events as
            select e.cat as cat, e.name as name, e.pid as pid, e.tid as tid, e.ts as ts, e.dur as dur, unnest(e.args)
            from (select unnest(traceEvents) as e from read_json(?, maximum_object_size = 4000000000,
                  columns = {{'traceEvents': 'STRUCT({event}, args STRUCT({args}))[]'}}))
            where e.dur is not null and e.cat is not null and e.cat <> 'Trace'""",
        [file],
    )
    return connection


def digest(connection):
    from arguments import ARGUMENTS, inexact, letters, nanoseconds, whole

    def column(name):
        values = connection.execute(f'select "{name}" as value from events where "{name}" is not null').fetchnumpy()
        return values["value"]

    args = {}
    for key, name, kind in ARGUMENTS:
        read = {"int": whole, "float": inexact}.get(kind, letters)
        args[name] = read(column(key))
    rows = connection.execute("select count(*) from events").fetchone()[0]
    return {"rows": rows, "ts_ns": nanoseconds(column("ts")), "dur_ns": nanoseconds(column("dur")), "args": args}


if __name__ == "__main__":
    loaded = load(sys.argv[1])
    print(json.dumps(digest(loaded) if "--digest" in sys.argv else {}), flush=True)

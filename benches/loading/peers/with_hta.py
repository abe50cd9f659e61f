"""`with_hta.py FILE [--digest]`: HTA's own parse, to the DataFrame with index_correlation and iterations."""

import json
import logging
import sys

logging.disable(logging.WARNING)

from hta.common.trace import parse_trace_file  # noqa: E402


def load(file):
    _, frame, _ = parse_trace_file(file)
    return frame


def digest(frame):
    from arguments import ARGUMENTS, inexact, letters, whole

    args = {}
    for _, column, kind in ARGUMENTS:
        values = frame[column]
        if kind == "int":
            args[column] = whole(values)
        elif kind == "float":
            args[column] = inexact(values)
        else:
            # HTA's defaults of lists are texts: "-1" and "[]".
            texts = (value if isinstance(value, str) else json.dumps(value, ensure_ascii=False) for value in values)
            args[column] = letters(text for text in texts if text != "-1")
    for column in ("in_split_size", "out_split_size"):
        # "[]" is HTA's default, and also the value of a collective without splits.
        args[column] = None
    micros = {column: whole(frame[column].round()) for column in ("ts", "dur")}
    return {"rows": len(frame), "ts_ns": micros["ts"] * 1000, "dur_ns": micros["dur"] * 1000, "args": args}


if __name__ == "__main__":
    loaded = load(sys.argv[1])
    print(json.dumps(digest(loaded) if "--digest" in sys.argv else {"rows": len(loaded)}), flush=True)

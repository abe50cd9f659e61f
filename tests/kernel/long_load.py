"""Traces that take seconds to load on any machine: one compressed block of events, repeated."""

import gzip

REPEATED = 2000


def repeated(path, head, events, times, end):
    """Writes head, `times` times the events, and end, each as a gzip member."""
    again = gzip.compress(events)
    with path.open("wb") as out:
        out.write(gzip.compress(head))
        for _ in range(times):
            out.write(again)
        out.write(gzip.compress(end))


def long_load(path):
    """Writes 16 GB of JSON that yields no row, compressed to some MB: a load that takes time and no memory."""
    event = b'{"ph":"M","name":"process_name","cat":"cpu_op","pid":1,"tid":1,"ts":1},\n'
    repeated(path, b'{"traceEvents": [', 110_000 * event, REPEATED, b'{"ph":"M"}]}')

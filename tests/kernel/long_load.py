"""A trace that takes seconds to load on any machine, and no memory: 16 GB of JSON without a row, packed into some MB."""

import gzip

REPEATED = 2000


def long_load(path):
    """Writes it, as gzip in members one behind the other."""
    event = b'{"ph":"M","name":"process_name","cat":"cpu_op","pid":1,"tid":1,"ts":1},\n'
    again = gzip.compress(110_000 * event)
    with path.open("wb") as out:
        out.write(gzip.compress(b'{"traceEvents": ['))
        for _ in range(REPEATED):
            out.write(again)
        out.write(gzip.compress(b'{"ph":"M"}]}'))

"""`decimal_reading.py FILE`: the digest of a trace's columns, computed with Python's json and Decimal.

It is the reference for the timed readers and shares no code with them. Numbers with a point are `Decimal`, times are integer
nanoseconds, sums are exact. It reads one event at a time, so that gigabytes fit into memory.
"""

import gzip
import io
import json
import math
import sys
from decimal import Decimal
from pathlib import Path

BLOCK = 1 << 20

# Key in `args`, HTA's column. The names are HTA's (its default event arguments). Deliberately not shared with the peers' list.
NUMBERS = {
    "stream": "stream",
    "correlation": "correlation",
    "bytes": "bytes",
    "wait_on_stream": "wait_on_stream",
    "wait_on_cuda_event_record_corr_id": "wait_on_cuda_event_record_corr_id",
    "External id": "external_id",
    "Python id": "python_id",
    "Python parent id": "python_parent_id",
    "In msg nelems": "in_msg_nelems",
    "Out msg nelems": "out_msg_nelems",
    "Group size": "group_size",
    "Rank": "process_rank",
}
TEXTS = {
    "Input Dims": "input_dims",
    "Input type": "input_type",
    "Input Strides": "input_strides",
    "Collective name": "collective_name",
    "dtype": "msg_dtype",
    "In split size": "in_split_size",
    "Out split size": "out_split_size",
}
# Tracebook reads these where an event has them; the peers do not.
OWN_NUMBERS = {
    "Seq": "seq_num",
    "Comms Id": "comms_id",
    "Src Rank": "src_rank",
    "Dst Rank": "dst_rank",
    "original_stream": "original_stream",
}
OWN_TEXTS = {"Process Group Name": "process_group_name", "kernel_file": "kernel_file"}
# The arguments of one text, an object in this order.
LAUNCH = [
    "registers per thread",
    "shared memory",
    "grid",
    "block",
    "est. achieved occupancy %",
    "occupancy",
    "kernel_backend",
    "kernel_kwargs",
    "num_warps",
    "num_stages",
]
LAUNCH_COLUMN = "launch_configuration"
OWN = [*OWN_NUMBERS.values(), *OWN_TEXTS.values(), LAUNCH_COLUMN]
NUMBERS |= OWN_NUMBERS
TEXTS |= OWN_TEXTS
BANDWIDTH = ("memory bandwidth (GB/s)", "memory_bw_gbps")


def text_of(path):
    with open(path, "rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
    binary = (gzip.open if packed else open)(path, "rb")
    return io.TextIOWrapper(binary, encoding="utf-8", errors="replace")


def events(stream):
    """The events of the first `traceEvents` list."""
    decode = json.JSONDecoder(parse_float=Decimal).raw_decode
    text, at = "", -1
    while at < 0:
        block = stream.read(BLOCK)
        if not block:
            raise ValueError("no traceEvents")
        text += block
        at = text.find('"traceEvents"')
    at = text.index("[", at) + 1
    while True:
        while at < len(text) and text[at] in ", \n\r\t":
            at += 1
        if at < len(text) and text[at] == "]":
            return
        try:
            event, at = decode(text, at)
        except json.JSONDecodeError:
            block = stream.read(BLOCK)
            if not block:
                raise ValueError("the list of events does not end") from None
            text, at = text[at:] + block, 0
            continue
        yield event


def nanoseconds(micros):
    nanos = micros * 1000
    whole = int(nanos)
    if whole != nanos:
        raise ValueError(f"{micros} us is no whole number of nanoseconds")
    return whole


def read(path):
    """Returns rows, sums of times, and two sums of each argument: `sum` of all values, and `lenient`, which leaves out what the
    peers cannot distinguish (-1, HTA's value for none; the blanks within a list)."""
    rows = ts = dur = 0
    whole = {column: [0, 0] for column in NUMBERS.values()}
    texts = {column: {} for column in [*TEXTS.values(), LAUNCH_COLUMN]}
    bandwidths = []
    with text_of(path) as stream:
        for event in events(stream):
            if event.get("dur") is None or event.get("cat") in (None, "Trace"):
                continue
            rows += 1
            ts += nanoseconds(event["ts"])
            dur += nanoseconds(event["dur"])
            args = event.get("args") or {}
            launch = {key: args[key] for key in LAUNCH if args.get(key) is not None}
            if launch:
                text = json.dumps(launch, ensure_ascii=False, default=float)
                texts[LAUNCH_COLUMN][text] = texts[LAUNCH_COLUMN].get(text, 0) + 1
            for key, value in args.items():
                if key in NUMBERS:
                    if not isinstance(value, int) or (value < 0 and key == "stream") or (value == -1 and key == "correlation"):
                        # A stream "0x0" is ROCm's sign for none; neither id is ever negative.
                        continue
                    sums = whole[NUMBERS[key]]
                    sums[0] += value
                    sums[1] += value if value != -1 else 0
                elif key in TEXTS:
                    # Counted, since few of them differ; a list as it is written, with blanks.
                    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
                    counts = texts[TEXTS[key]]
                    counts[text] = counts.get(text, 0) + 1
                elif key == BANDWIDTH[0]:
                    bandwidths.append(float(value))
    args = {column: {"sum": sums[0], "lenient": sums[1]} for column, sums in whole.items()}
    for column, counts in texts.items():
        both = {"sum": 0, "lenient": 0}
        for text, count in counts.items():
            encoded = text.encode()
            both["sum"] += count * sum(encoded)
            both["lenient"] += count * sum(byte for byte in encoded if byte > 32)
        args[column] = both
    args[BANDWIDTH[1]] = {"sum": math.fsum(bandwidths), "lenient": math.fsum(bandwidths)}
    return {"rows": rows, "ts_ns": ts, "dur_ns": dur, "args": args, "own": OWN}


if __name__ == "__main__":
    print(json.dumps(read(Path(sys.argv[1]))))

"""The 20 arguments that HTA reads by default, and the digest of a reader's columns."""

import math

import numpy as np

# Key in `args`, HTA's column, kind of value.
ARGUMENTS = [
    ("stream", "stream", "int"),
    ("correlation", "correlation", "int"),
    ("bytes", "bytes", "int"),
    ("memory bandwidth (GB/s)", "memory_bw_gbps", "float"),
    ("wait_on_stream", "wait_on_stream", "int"),
    ("wait_on_cuda_event_record_corr_id", "wait_on_cuda_event_record_corr_id", "int"),
    ("Input Dims", "input_dims", "lists"),
    ("Input type", "input_type", "texts"),
    ("Input Strides", "input_strides", "lists"),
    ("External id", "external_id", "int"),
    ("Python id", "python_id", "int"),
    ("Python parent id", "python_parent_id", "int"),
    ("Collective name", "collective_name", "text"),
    ("In msg nelems", "in_msg_nelems", "int"),
    ("Out msg nelems", "out_msg_nelems", "int"),
    ("dtype", "msg_dtype", "text"),
    ("Group size", "group_size", "int"),
    ("Rank", "process_rank", "int"),
    ("In split size", "in_split_size", "text"),
    ("Out split size", "out_split_size", "text"),
]

# HTA's values for events without the argument.
DEFAULTS = {"lists": "-1", "texts": "-1", "text": ""}


def whole(values):
    """The sum of integers; -1 means none, as in HTA."""
    values = np.asarray(values).astype(np.int64)
    values = values[values != -1]
    # A sum of 64-bit values could overflow; sums of the halves cannot.
    return int((values >> 32).sum()) * 2**32 + int((values & 0xFFFFFFFF).sum())


def nanoseconds(micros):
    """The exact sum of times that are doubles, each rounded to the nanosecond."""
    micros = np.asarray(micros, dtype=np.float64)
    # Whole and fraction separately: a thousand times today's timestamp exceeds the precision of a double, which is not the reader's fault.
    before_the_point = np.floor(micros)
    return whole(before_the_point.astype(np.int64)) * 1000 + whole(np.rint((micros - before_the_point) * 1000).astype(np.int64))


def inexact(values):
    return math.fsum(values)


def letters(texts):
    """The sum of the bytes of texts without blanks, since readers space lists differently."""
    total, block = 0, []
    for text in texts:
        block.append(text)
        if len(block) == 100_000:
            total += dense(block)
            block = []
    return total + dense(block)


def dense(texts):
    encoded = np.frombuffer("".join(texts).encode(), dtype=np.uint8)
    return int(encoded[encoded > 32].sum(dtype=np.int64))

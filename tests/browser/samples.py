"""Sample tables as notebooks contain them, and notebooks with given outputs."""

import nbformat

WORDS = [
    "aten::mm",
    "aten::add_",
    "void at::native::vectorized_elementwise_kernel<4, float>",
    "ncclDevKernel_AllReduce",
    "Memcpy DtoH",
]

KINDS = ["added", "deleted", "increased", "decreased", "unchanged"]

COLUMNS = [
    ("name", "", "name", 0),
    ("a_counts", "", "number", 0),
    ("a_total_duration", "ms", "number", 3, {"scale": "total_duration"}),
    ("b_counts", "", "number", 0),
    ("b_total_duration", "ms", "number", 3, {"scale": "total_duration"}),
    ("diff_counts", "", "difference", 0),
    ("diff_duration", "ms", "difference", 3),
    ("diff", "%", "difference", 1),
    ("counts_change_categories", "", "category", 0, {"short": "±"}),
]


def table(columns, rows, caption="a table", **more):
    """The JSON of a table. A column is given as name, unit, kind, decimals and, optionally, more keys."""
    keys = ("name", "unit", "kind", "decimals")
    heads = [
        {**dict(zip(keys, column, strict=False)), "meaning": "", **(column[4] if len(column) > 4 else {})} for column in columns
    ]
    return {"version": 1, "caption": caption, "columns": heads, "rows": rows, "total_rows": len(rows), "notes": [], **more}


def comparison(count, **more):
    """The table of `%compare_traces a b` for `count` operators: a fifth are added, a fifth deleted."""
    rows = []
    for at in range(count):
        control, test = [(0, 3), (4, 0), (2, 5), (7, 1), (6, 6)][at % 5]
        before, after = control * (at + 1) / 8, test * (at + 3) / 8
        sign = "=" if control == test else "+" if test > control else "-"
        name = f"{WORDS[at % 3]} {at}"
        percent = 100 * (after - before) / before if before else None
        rows.append([name, control, before, test, after, test - control, after - before, percent, sign])
    changes = {"column": "counts_change_categories", "kinds": KINDS, "rows": [at % 5 for at in range(count)]}
    cells = [
        {"title": f"events in {label}", "before": f"%events {label} --name ", "after": " --rank 3", "counts": f"{label}_counts"}
        for label in "ab"
    ]
    events = {"name": "name", "rank": None, "cells": cells}
    return table(COLUMNS, rows, caption=f"compare_traces · {count:,} operators", changes=changes, events=events, **more)


def write_samples(path, bundles):
    """A notebook with an output per bundle."""
    notebook = nbformat.v4.new_notebook(metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}})
    for number, bundle in enumerate(bundles):
        output = nbformat.v4.new_output("display_data", data=bundle["data"], metadata=bundle["metadata"])
        notebook.cells.append(nbformat.v4.new_code_cell(f"# sample {number}", outputs=[output], execution_count=number + 1))
    nbformat.validate(notebook)
    nbformat.write(notebook, path)

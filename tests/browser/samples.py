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


TREE_COLUMNS = [
    ("name", "", "name", 0),
    ("grade", "", "category", 0),
    ("control", "µs", "number", 1, {"scale": "time"}),
    ("test", "µs", "number", 1, {"scale": "time"}),
    ("delta", "µs", "difference", 1),
]


def tree(layers, **more):
    """The tree of a step with `layers` layers of ten rows each; the last layer has a new operator, and is open."""
    rows, level, opened = [], [], []

    def add(depth, name, grade, control, test, is_open=False):
        rows.append([name, grade, control, test, (test or 0) - (control or 0)])
        level.append(depth)
        opened.append(is_open)

    add(0, "ProfilerStep#7", "name", 90.0 * layers, 90.0 * layers + 5, True)
    for layer in range(layers):
        last = layer == layers - 1
        add(1, f"nn.Module: Layer_{layer}", "name" if last else "exact", 90.0, 95.0 if last else 90.0, last)
        for at in range(4):
            add(2, f"aten::linear {at}", "exact", 20.0, 20.0)
            add(3, f"{WORDS[2]} {layer}", "exact", 20.0, 20.0)
        add(
            2,
            "my::slow <b>gelu</b>" if last else "aten::gelu",
            "added" if last else "exact",
            None if last else 10.0,
            15.0 if last else 10.0,
        )
    return table(TREE_COLUMNS, rows, caption=f"tree_diff · {layers} layers", tree={"level": level, "open": opened}, **more)


def write_samples(path, bundles):
    """A notebook with an output per bundle."""
    notebook = nbformat.v4.new_notebook(metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}})
    for number, bundle in enumerate(bundles):
        output = nbformat.v4.new_output("display_data", data=bundle["data"], metadata=bundle["metadata"])
        notebook.cells.append(nbformat.v4.new_code_cell(f"# sample {number}", outputs=[output], execution_count=number + 1))
    nbformat.validate(notebook)
    nbformat.write(notebook, path)

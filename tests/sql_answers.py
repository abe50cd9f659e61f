"""Answers of another SQL engine, compared with those of DuckDB over the same rows.

A folder contains the tables and the answers: `tables.json` lists the tables, `[{"name": …, "columns": [{"name": …, "kind": "int"}]}]`
(kinds are `int`, `real` and `text`), `NAME.jsonl` contains the rows of a table as arrays, `answers.jsonl` an object per statement:
`{"statement": …, "ordered": true, "differs": null, "rows": [[…], …]}`. Statements with a reason in `differs` are not compared.
"""

import json
import math
from collections import defaultdict
from decimal import Decimal
from pathlib import Path

import duckdb

TYPES = {"int": "BIGINT", "real": "DOUBLE", "text": "VARCHAR"}
TOLERANCE = 1e-9


def differences(folder):
    """The number of compared answers, a text for each statement whose answer by DuckDB has other rows, and DuckDB's errors."""
    folder = Path(folder)
    connection = loaded(folder)
    count, found, errors = 0, [], []
    with open(folder / "answers.jsonl", encoding="utf-8") as lines:
        for answer in map(json.loads, lines):
            if answer["differs"] is None:
                count += 1
                try:
                    difference = compared(connection, answer)
                except duckdb.Error as error:
                    errors.append(f"{answer['statement']}\n  {str(error).splitlines()[0]}")
                    continue
                if difference is not None:
                    found.append(f"{answer['statement']}\n{difference}")
    return count, found, errors


def loaded(folder):
    """A database with the tables of `folder`."""
    connection = duckdb.connect()
    # Division by zero is NULL, as in SQLite.
    connection.execute("SET error_on_division_by_zero = false")
    for table in json.loads((folder / "tables.json").read_text(encoding="utf-8")):
        columns = [
            f"CAST(line ->> '$[{at}]' AS {TYPES[column['kind']]}) AS {quoted(column['name'])}"
            for at, column in enumerate(table["columns"])
        ]
        connection.execute(
            f"CREATE TABLE {quoted(table['name'])} AS SELECT {', '.join(columns)} "
            "FROM read_json(?, format = 'newline_delimited', records = false, columns = {line: 'JSON'})",
            [str(folder / f"{table['name']}.jsonl")],
        )
    return connection


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def compared(connection, answer):
    """How the answer of DuckDB differs, or None."""
    rows = connection.execute(answer["statement"]).fetchall()
    theirs = [tuple(map(plain, row)) for row in rows]
    ours = [tuple(map(plain, row)) for row in answer["rows"]]
    if len(ours) != len(theirs):
        return f"  {len(ours)} rows, DuckDB: {len(theirs)} rows"
    if answer["ordered"]:
        unequal = next((pair for pair in zip(ours, theirs, strict=True) if not are_equal(*pair)), None)
    else:
        unequal = unequal_rows(ours, theirs)
    return None if unequal is None else f"  {unequal[0]}, DuckDB: {unequal[1]}"


def plain(value):
    """A value without the types that only DuckDB has."""
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, Decimal):
        return float(value)
    return value


def are_equal(left, right):
    return len(left) == len(right) and all(map(are_equal_cells, left, right))


def are_equal_cells(left, right):
    if (isinstance(left, float) and isinstance(right, (int, float))) or (isinstance(right, float) and isinstance(left, int)):
        return math.isclose(left, right, rel_tol=TOLERANCE)
    return left == right


def unequal_rows(ours, theirs):
    """Rows of `ours` and of `theirs` without a partner on the other side, the first of each, or None."""
    real = {at for row in ours + theirs for at, cell in enumerate(row) if isinstance(cell, float)}
    groups = defaultdict(lambda: ([], []))
    for side, rows in enumerate((ours, theirs)):
        for row in rows:
            exact = tuple(None if at in real else cell for at, cell in enumerate(row))
            groups[exact][side].append(row)
    lone = ([], [])
    for left, right in groups.values():
        for side, rows in zip(lone, without_partners(left, right), strict=True):
            side.extend(rows)
    return (lone[0][:1], lone[1][:1]) if lone[0] or lone[1] else None


def without_partners(left, right):
    """The rows of both sides that are left when equal ones are taken away in pairs. They differ in real numbers at most."""
    left, right = sorted(left, key=in_order), sorted(right, key=in_order)
    if len(left) == len(right) and all(map(are_equal, left, right)):
        return [], []
    # Real numbers that differ in the last digits can change the order.
    lone = []
    for row in left:
        at = next((at for at, other in enumerate(right) if are_equal(row, other)), None)
        if at is None:
            lone.append(row)
        else:
            del right[at]
    return lone, right


def in_order(row):
    """A key that orders numbers and NULL."""
    return [(cell is not None, cell if cell is not None else 0) for cell in row]

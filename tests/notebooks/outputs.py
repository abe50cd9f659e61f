"""Outputs of executed notebooks."""

import base64
import json
import re
from html import unescape
from pathlib import Path

PLAIN = "text/plain"
HTML = "text/html"
PNG = "image/png"
PLOTLY = "application/vnd.plotly.v1+json"
TABLE = "application/vnd.tracebook.table.v1+json"


class Executed:
    """An executed notebook and the folder it could write to."""

    def __init__(self, notebook, folder):
        self.notebook = notebook
        self.folder = Path(folder)

    def cells(self):
        return [cell for cell in self.notebook.cells if cell.cell_type == "code"]

    def cell(self, name):
        return next(cell for cell in self.cells() if cell.id == name)

    def printed(self, name):
        """The standard output of a cell."""
        return "".join(out.text for out in self.cell(name).outputs if out.output_type == "stream" and out.name == "stdout")

    def bundles(self, name=None):
        """The MIME bundles of one cell, or of all."""
        cells = self.cells() if name is None else [self.cell(name)]
        return [out.data for cell in cells for out in cell.outputs if "data" in out]

    def text(self, name):
        """All plain text of a cell: standard output, and that of its bundles."""
        return self.printed(name) + "\n".join(data[PLAIN] for data in self.bundles(name))

    def table(self, name):
        """The rows of the only table of a cell, by column name."""
        (data,) = [data[TABLE] for data in self.bundles(name) if TABLE in data]
        columns = [column["name"] for column in data["columns"]]
        return [dict(zip(columns, row, strict=True)) for row in data["rows"]]

    def bars(self, name):
        """The only figure of a cell: series name → {name at the axis: value}."""
        (figure,) = [data[PLOTLY] for data in self.bundles(name) if PLOTLY in data]
        return {series["name"]: dict(zip(map(unescape, series["x"]), series["y"], strict=True)) for series in figure["data"]}


def is_png(data):
    return base64.b64decode(data).startswith(b"\x89PNG\r\n\x1a\n")


def debug_list(text, head):
    """The strings of a list that Rust printed with `{:#?}` behind `head`."""
    body = text.split(head, 1)[1].split("]", 1)[0]
    return [json.loads(f'"{name}"') for name in re.findall(r'"((?:[^"\\]|\\.)*)"', body)]

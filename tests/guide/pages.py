"""The pages of the guide, and the cells that stand in them."""

import re
from dataclasses import dataclass, field

from places import ROOT

GUIDE = ROOT / "docs" / "guide"
# What a reader would type into a notebook; other languages are shown only.
CELLS = {"tracebook", "rust"}
BLOCK = re.compile(r"^```([\w,]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass
class Cell:
    """A block of a page that is executed, and lines that its output must have."""

    source: str
    fails: bool
    lines: list = field(default_factory=list)


def cells(page):
    """The cells of a page, in order. A block ```output belongs to the cell above it."""
    found = []
    for language, text in BLOCK.findall(page.read_text()):
        name, _, flag = language.partition(",")
        if name in CELLS:
            found.append(Cell(text, fails=flag == "error"))
        elif name == "output":
            found[-1].lines += [line for line in text.splitlines() if line.strip()]
    return found


def rows(page):
    """The rows of the tables of a page: of each column the pieces of code in it."""
    lines = [line for line in page.read_text().splitlines() if line.startswith("| `")]
    return [[re.findall(r"`([^`]+)`", column) for column in line.strip("| ").split(" | ")] for line in lines]


def plain(output):
    """An output as a terminal would show it."""
    if output["output_type"] == "stream":
        return output["text"]
    if output["output_type"] == "error":
        return re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(output["traceback"]))
    return output["data"].get("text/plain", "")

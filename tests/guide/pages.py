"""The pages of the guide, and their cells."""

import re
from dataclasses import dataclass, field

from places import ROOT

GUIDE = ROOT / "docs" / "guide"
# Blocks in these languages are executed; others are only shown.
CELLS = {"tracebook", "rust"}
BLOCK = re.compile(r"^```([\w,]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass
class Cell:
    """An executed block of a page, and the lines that its output must contain."""

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
    """The rows of the tables of a page: for each column the code in it."""
    lines = [line for line in page.read_text().splitlines() if line.startswith("| `")]
    return [[re.findall(r"`([^`]+)`", column) for column in line.strip("| ").split(" | ")] for line in lines]


def plain(output):
    """An output as a terminal would show it."""
    if output["output_type"] == "stream":
        return output["text"]
    if output["output_type"] == "error":
        return re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(output["traceback"]))
    return output["data"].get("text/plain", "")

"""Tables of commands on terminals of several widths."""

import fcntl
import os
import pty
import struct
import subprocess
import termios

import pytest

from places import DATA
from terminals import read_to_the_end


def shown(argv, width):
    """What a command writes on a terminal of a width."""
    ours, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 50, width, 0, 0))
    command = subprocess.Popen(argv, stdout=terminal, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    os.close(terminal)
    said = read_to_the_end(ours)
    assert command.wait(60) == 0
    return said.replace("\r\n", "\n")


def rows(text):
    """The lines of the tables: from the headers to the last row, without sentences, captions and footers."""
    lines = text.split("\n")
    for at, line in enumerate(lines):
        if line.startswith("──"):
            yield line
            for row in lines[at + 1 :]:
                if " × " in row or not row:
                    break
                yield row


@pytest.mark.parametrize("width", [60, 80, 200])
@pytest.mark.parametrize(
    "words",
    [
        ["diff", "control", "test"],
        ["explain", "control", "test"],
        ["tree-diff", "control", "test"],
        ["describe", "control"],
        ["ask", "%operators control --no-figure", "control"],
        ["critical-path", "control", "test"],
    ],
    ids=lambda words: words[0],
)
def test_tables_are_no_wider_than_the_terminal(tracebook_argv, words, width):
    line = [tracebook_argv[0], *(str(DATA / word) if word in ("control", "test") else word for word in words)]
    text = shown(line, width)
    found = list(rows(text))
    assert len(found) > 3, text
    assert max(map(len, found)) <= width, max(found, key=len)
    left_out = "that do not fit the width: " in text or "that does not fit the width: " in text
    assert left_out or width > 60 or words[0] in ("describe", "tree-diff"), text
    piped = subprocess.run(line, capture_output=True, text=True, check=True).stdout
    assert "fit the width" not in piped, "a file has all columns"

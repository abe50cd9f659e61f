"""The page for users of HTA names only what exists."""

import os
import re
import subprocess
from pathlib import Path

from pages import GUIDE
from places import ROOT

PAGE = (GUIDE / "from-hta.md").read_text()
# Rows of its tables: HTA, magic, Rust.
ROWS = [line.strip("|").split("|") for line in PAGE.splitlines() if line.startswith("| ") and not line.startswith("| ---")]
LIBRARY = "\n".join(path.read_text() for path in ROOT.glob("crates/trace*/src/**/*.rs"))


def codes(column):
    return [code for row in ROWS for code in re.findall(r"`([^`]+)`", row[column])]


def magics():
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    program = os.environ.get("TRACEBOOK_BIN") or target / "release" / "tracebook"
    page = subprocess.run([program, "reference"], capture_output=True, text=True, check=True).stdout
    shared = page.split("\n## Shared flags\n")[1]
    sections = re.split(r"\n## `%+(\w+)`\n", page.split("\n## Shared flags\n")[0])[1:]
    return {name: text + shared for name, text in zip(sections[::2], sections[1::2], strict=True)}


def test_every_magic_and_each_of_its_flags_exists():
    known = magics()
    named = [code for code in codes(1) if code.startswith("%")]
    assert len(named) > 20
    for code in named:
        name, *rest = code.removeprefix("%").split()
        assert name in known, code
        for flag in (word for word in rest if word.startswith("--")):
            assert f"`{flag} " in known[name] or f"`{flag}`" in known[name], code


def test_every_name_in_rust_exists():
    named = {name for code in codes(2) for name in re.findall(r"[A-Za-z_]\w+", re.sub(r'"[^"]*"', "", code))}
    assert len(named) > 60
    known = set(re.findall(r"\b(?:fn|struct|enum|mod|const) (\w+)", LIBRARY)) | {"CPU", "GPU", "ALL"}
    assert named - known - {"control", "test", "df", "with", "not"} == set()


def test_every_public_analysis_of_hta_exists():
    questions = [path.stem for path in (ROOT / "crates" / "trace-analysis" / "src" / "analysis").glob("*.rs")]
    questions = [name for name in questions if f'NAME: &\'static str = "{name}"' in LIBRARY]
    assert len(questions) > 15
    # HTA neither compares ranks or collectives nor sums up operators or compares them with a device.
    ours = {"collectives", "compare_ranks", "operators", "roofline"}
    assert [name for name in set(questions) - ours if f"`%{name} " not in PAGE] == []

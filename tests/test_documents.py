"""Documents and notebooks agree with the code."""

import json
import re
import tempfile
from pathlib import Path

import pytest
import tomllib

from places import ROOT

NOTEBOOKS = sorted(path for path in (ROOT / "notebooks").glob("*.ipynb") if ".executed." not in path.name)


def test_page_of_dependencies_lists_the_direct_dependencies():
    manifest = (ROOT / "Cargo.toml").read_text()
    section = manifest.split("[workspace.dependencies]\n", 1)[1].split("\n[", 1)[0]
    # Crates with a path are our own.
    named = set(re.findall(r"^([A-Za-z0-9_-]+) *=(?! *\{ path)", section, re.MULTILINE))
    rows = re.findall(r"^\| ([a-z0-9_, ()-]+) \|", (ROOT / "docs" / "dependencies.md").read_text(), re.MULTILINE)
    listed = {name.split(" (")[0] for row in rows[2:] for name in row.split(", ")}
    assert listed == named


def test_page_of_dependencies_lists_the_crates_that_use_each():
    used, tests = {}, {}
    for manifest in [ROOT / "Cargo.toml", *sorted((ROOT / "crates").glob("*/Cargo.toml"))]:
        described = tomllib.loads(manifest.read_text())
        crate = described["package"]["name"]
        for part in [described, *described.get("target", {}).values()]:
            for section, users in (("dependencies", used), ("dev-dependencies", tests)):
                for name in part.get(section, {}) if crate != "workspace-hack" else []:
                    users.setdefault(name, set()).add(crate)
    rows = re.findall(r"^\| ([a-z0-9_, ()-]+) \| ([^|]+) \|", (ROOT / "docs" / "dependencies.md").read_text(), re.MULTILINE)
    assert len(rows) > 30
    for row, users in rows[2:]:
        names = [name.split(" (")[0] for name in row.split(", ")]
        normal = sorted(set().union(*(used.get(name, set()) for name in names)))
        only_tests = sorted(set().union(*(tests.get(name, set()) for name in names)))
        assert users == (", ".join(normal) or ", ".join(only_tests) + " (tests)"), row


@pytest.mark.parametrize("folder", ["tests", "benches"])
def test_every_python_requirement_is_pinned(folder):
    lines = (ROOT / folder / "requirements.txt").read_text().splitlines()
    assert all(re.fullmatch(r"[A-Za-z0-9_-]+==[0-9.]+", line) for line in lines if line and not line.startswith("#"))


def test_page_of_front_ends_has_the_pinned_versions():
    pinned = dict(re.findall(r"^([A-Za-z0-9_-]+)==([0-9.]+)$", (ROOT / "tests" / "requirements.txt").read_text(), re.MULTILINE))
    rows = re.findall(r"^\| ([A-Za-z_ ]+) \| ([0-9.]+) \|", (ROOT / "docs" / "front-ends.md").read_text(), re.MULTILINE)
    assert len(rows) >= 8
    assert [row for row in rows if pinned[row[0].lower().replace(" ", "_")] != row[1]] == []


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.name)
def test_committed_notebook_has_outputs_and_no_local_paths(notebook):
    text = notebook.read_text()
    cells = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
    silent = [cell["id"] for cell in cells if not cell["outputs"]]
    assert not silent, "cells without output"
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    # Folders around this checkout, but for the temporary ones, which examples may name.
    around = [f"{folder}/" for folder in ROOT.parents if folder not in (Path("/"), Path(tempfile.gettempdir()))]
    assert not [folder for folder in (*around, str(ROOT), str(Path.home()), "/home/", "/Users/", "/root/") if folder in text]


def test_committed_notebooks_are_small():
    sizes = {path.name: path.stat().st_size for path in NOTEBOOKS}
    assert sum(sizes.values()) < 3_000_000, sizes


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.name)
def test_the_notebook_names_our_kernel(notebook):
    metadata = json.loads(notebook.read_text())["metadata"]
    assert metadata["kernelspec"] == {"display_name": "Rust (Tracebook)", "language": "rust", "name": "tracebook"}

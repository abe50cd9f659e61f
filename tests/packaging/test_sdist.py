"""The source distribution: all that the program and the library for Rust cells are built from, and not much else."""

import json
import os
import re
import subprocess
import sys
import tarfile

import pytest

from places import ROOT

CARGO = os.environ.get("CARGO", "cargo")
# Megabytes; it had 2.4 when the bound was set.
LARGEST = 4


@pytest.fixture(scope="module")
def sdist(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sdist")
    ran = subprocess.run(
        [sys.executable, "packaging/backend.py", "--sdist", folder], cwd=ROOT, capture_output=True, text=True, timeout=300
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    (path,) = folder.iterdir()
    return path


@pytest.fixture(scope="module")
def extracted(sdist, tmp_path_factory):
    folder = tmp_path_factory.mktemp("extracted")
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
    (root,) = folder.iterdir()
    return root


def files(root):
    return {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()}


def test_sdist_has_what_the_build_needs_and_no_more(sdist, extracted):
    found = files(extracted)
    needed = {
        "Cargo.lock",
        "LICENSE",
        "NOTICE",
        "PKG-INFO",
        "build.rs",
        "pyproject.toml",
        "packaging/backend.py",
        "packaging/pypi.md",
    }
    assert needed <= found
    sources = ["src", "crates/*/src", "crates/*/Cargo.toml", "crates/*/build.rs", "labextension", "kernelspec"]
    line = ["git", "ls-files", "--", *(f":(glob){source}{'' if '.' in source else '/**'}" for source in sources)]
    tracked = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    assert len(tracked) > 1000
    assert set(tracked) <= found
    top = {path.split("/")[0] for path in found if "/" in path}
    assert not top & {"benches", "conda", "docs", "fuzz", "notebooks", "tests", ".ci", ".github"}
    assert not [path for path in found if re.match(r"crates/[^/]+/(tests|examples)/", path)]
    assert sdist.stat().st_size < LARGEST * 1_000_000


def test_page_of_pypi_has_no_links_into_the_repository(extracted):
    text = (extracted / "PKG-INFO").read_text()
    assert "Description-Content-Type: text/markdown" in text and "\n# Tracebook\n" in text
    assert re.findall(r"\]\((?!https:)[^)]*\)|<img", text) == []


def test_files_that_sources_embed_are_in_the_sdist(extracted):
    embedded = []
    for path in [*extracted.glob("src/**/*.rs"), *extracted.glob("crates/*/src/**/*.rs")]:
        if "tests" in path.parts or path.name.endswith("tests.rs"):
            continue
        names = re.findall(r'include(?:_str|_bytes|_dir)?!\(\s*"([^"]+)"', path.read_text())
        embedded += [path.parent / name for name in names]
    assert len(embedded) > 50
    assert [path for path in embedded if not path.exists()] == []


def test_cargo_reads_the_sdist_with_its_lock_file(extracted):
    def cargo(*words):
        ran = subprocess.run(
            [CARGO, *words, "--locked", "--offline"],
            cwd=extracted,
            env={**os.environ, "RUSTC_BOOTSTRAP": "1"},
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert ran.returncode == 0, ran.stderr
        return ran.stdout

    packages = {package["name"] for package in json.loads(cargo("metadata", "--no-deps", "--format-version=1"))["packages"]}
    assert {"tracebook", "cells", "trace", "workspace-hack"} <= packages
    # `metadata` and `tree` forgive a test or example without its file; a build does not.
    assert '"tracebook"' in cargo("build", "--release", "--bin=tracebook", "--unit-graph", "-Zunstable-options")
    assert "polars v" in cargo("tree", "--prefix=none") and "polars v" in cargo("tree", "--prefix=none", "-p", "cells")
    assert (extracted / "Cargo.lock").read_bytes() == (ROOT / "Cargo.lock").read_bytes()

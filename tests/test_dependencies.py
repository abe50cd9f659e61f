"""Every crate comes from crates.io under a licence that deny.toml allows. `make deny` checks this, too, with cargo-deny."""

import json
import os
import re
import subprocess

import pytest
import tomllib

from places import ROOT

CRATES_IO = "registry+https://github.com/rust-lang/crates.io-index"


@pytest.fixture(scope="module")
def crates():
    line = [os.environ.get("CARGO", "cargo"), "metadata", "--locked", "--format-version=1"]
    metadata = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=True, timeout=120)
    return json.loads(metadata.stdout)["packages"]


@pytest.fixture(scope="module")
def rules():
    return tomllib.loads((ROOT / "deny.toml").read_text())


def fits(licence, allowed):
    """Whether the allowed licences satisfy an SPDX expression."""
    words = re.findall(r"[()]|\bAND\b|\bOR\b|[A-Za-z0-9.+-]+(?: WITH [A-Za-z0-9.-]+)?", licence.replace("/", " OR "))
    known = {"AND": "and", "OR": "or", "(": "(", ")": ")"}
    return eval(" ".join(known.get(word, str(word in allowed)) for word in words))


@pytest.mark.parametrize(
    ("licence", "answer"),
    [
        ("MIT", True),
        ("GPL-3.0", False),
        ("MIT OR GPL-3.0", True),
        ("MIT/GPL-3.0", True),
        ("(MIT OR X) AND GPL-3.0", False),
        ("Apache-2.0 WITH LLVM-exception", False),
    ],
)
def test_licence_expressions_are_evaluated(licence, answer):
    assert fits(licence, {"MIT"}) is answer


def test_every_crate_has_a_licence_that_is_allowed(crates, rules):
    special = {rule["crate"]: rule["allow"] for rule in rules["licenses"]["exceptions"]}
    strangers = [crate for crate in crates if crate["source"]]
    assert len(strangers) > 100
    for crate in strangers:
        allowed = {*rules["licenses"]["allow"], *special.get(crate["name"], [])}
        assert crate["license"] and fits(crate["license"], allowed), f"{crate['name']}: {crate['license']}"


def test_every_crate_is_from_the_registry(crates):
    assert {crate["source"] for crate in crates} <= {None, CRATES_IO}


def test_no_crate_is_built_that_is_banned(rules):
    line = [os.environ.get("CARGO", "cargo"), "tree", "--locked", "--workspace", "--target=all", "--prefix=none"]
    built = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=True, timeout=120).stdout
    names = {row.split()[0] for row in built.splitlines() if row.strip()}
    assert "polars" in names
    assert not names & {rule["crate"] for rule in rules["bans"]["deny"]}

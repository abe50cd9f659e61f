"""Unit tests of the extension's modules: the exported functions of tests/browser/units/*.js, in a page without JupyterLab."""

import json
import re

import pytest

import chromium
from modules import UNITS, served
from places import ROOT

HELPERS = {"assert.js", "samples.js", "timeline-samples.js", "flame-samples.js"}
TESTS = [
    (path.name, name)
    for path in sorted(UNITS.glob("*.js"))
    if path.name not in HELPERS
    for name in re.findall(r"^export (?:async )?function (\w+)\(\)", path.read_text(), re.MULTILINE)
]


@pytest.fixture(scope="module")
def units(browser):
    """A page that can import the modules and the tests."""
    with served() as address, chromium.page(browser) as page:
        page.open(address)
        yield page


def test_every_module_exports_only_tests(units):
    """A function that the regular expression misses would never run."""
    for file in {file for file, _ in TESTS}:
        exports = units.evaluate(f"import('/units/{file}').then(Object.keys)")
        assert sorted(exports) == sorted(name for other, name in TESTS if other == file), file
        assert all(len(name) <= 60 for name in exports), file


@pytest.mark.parametrize(("file", "name"), TESTS, ids=[f"{file}::{name}" for file, name in TESTS])
def test_unit(units, file, name):
    failure = units.evaluate(f"import('/units/{file}').then((tests) => tests.{name}()).then(() => '', String)")
    assert not failure, failure


def test_magic_lines_are_those_of_the_kernel(units):
    cases = json.loads((ROOT / "tests" / "magic-lines.json").read_text())
    found = units.play.evaluate(
        """async (cells) => {
          const { pieces } = await import('/static/magic.js');
          return cells.map((cell) => pieces(cell).filter((piece) => piece.head).map(({ from, to }) => cell.slice(from, to)));
        }""",
        [case["cell"] for case in cases],
    )
    for case, magics in zip(cases, found, strict=True):
        assert magics == case["magics"], case["cell"]

"""The book: its pages exist and are listed, links have targets, generated pages are up to date."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from pages import BLOCK, GUIDE
from places import ROOT

DOCS = ROOT / "docs"
SUMMARY = DOCS / "SUMMARY.md"
LINK = re.compile(r"\]\(([^)\s]+)\)")
LISTED = [DOCS / link for link in LINK.findall(SUMMARY.read_text())]


def links(page):
    return LINK.findall(re.sub(r"`[^`\n]*`", "", BLOCK.sub("", page.read_text())))


def anchor(heading):
    """The anchor of a heading, as mdBook and GitHub make it."""
    return re.sub(r"[^\w -]", "", heading.lower()).strip().replace(" ", "-")


def test_every_page_of_the_guide_is_listed_once():
    assert len(set(LISTED)) == len(LISTED)
    assert set(GUIDE.glob("*.md")) <= set(LISTED)


@pytest.mark.parametrize("page", [SUMMARY, ROOT / "README.md", *LISTED], ids=lambda page: page.stem)
def test_links_have_targets(page):
    for link in links(page):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, part = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), f"{page.name}: {link}"
        if part:
            headings = re.findall(r"^#+ (.*)$", target.read_text(), re.MULTILINE)
            assert part in map(anchor, headings), f"{page.name}: {link}"
        if page in LISTED and path.endswith(".md"):
            assert target in LISTED, f"{page.name}: {link} is not a page of the book"


def reference(*arguments):
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    program = os.environ.get("TRACEBOOK_BIN") or target / "release" / "tracebook"
    return subprocess.run([program, "reference", *arguments], capture_output=True, text=True, check=True).stdout


def test_page_of_magics_is_up_to_date():
    assert (GUIDE / "magics.md").read_text() == reference(), "run `make reference`"


def test_readme_is_short_and_names_magics_that_exist():
    readme = (ROOT / "README.md").read_text()
    assert len(readme.splitlines()) <= 150
    named = set(re.findall(r"(?<![\w%])%%?([a-z_]+)", readme))
    known = set(re.findall(r"^## `%%?(\w+)`$", reference(), re.MULTILINE))
    assert len(named) >= 20
    assert named <= known, named - known

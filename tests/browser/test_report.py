"""The page of `tracebook report`, opened from disk: it requests nothing, draws its figures, and prints."""

import gzip
import json
import os
import subprocess

import pytest

import chromium
from places import DATA, ROOT

PROGRAM = os.environ.get("TRACEBOOK_BIN") or str(ROOT / "target" / "release" / "tracebook")


def open_drawn(page, report):
    """Opens the page and waits for both figures. Its policy forbids what `page.wait` does."""
    page.open(f"file://{report}")
    for figure in ["flame", "timeline"]:
        page.play.wait_for_selector(f"#{figure}.live .drawn canvas", state="attached")


def write_report(control, test, path):
    words = [PROGRAM, "report", control, test, "--html", path, "--no-cache"]
    subprocess.run(words, check=True, capture_output=True, timeout=60)
    assert path.stat().st_size < 3_000_000
    return path


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    return write_report(DATA / "control", DATA / "test", tmp_path_factory.mktemp("report") / "why.html")


# Text that is wider than a sheet of A4, in pixels of a browser between margins of 10 mm.
SHEET = 718
SIDES = [("control", "rank-3.json.gz"), ("test", "rank-1.json.gz")]
HOSTILE = "<img src=x onerror=\"document.title='stolen'\"></script><script>document.title='stolen'</script><svg onload=alert(1)>"


def write_hostile(source, target):
    """A copy of a trace whose operators, kernels and Python functions have hostile names."""
    trace = json.loads(gzip.decompress(source.read_bytes()))
    for event in trace["traceEvents"]:
        if event.get("cat") in {"cpu_op", "kernel", "python_function"}:
            event["name"] += HOSTILE
    target.write_text(json.dumps(trace))
    return target


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_page_from_disk_draws_its_figures_without_network(browser, report, scheme, screenshots):
    with chromium.page(browser, color_scheme=scheme, offline=True) as page:
        open_drawn(page, report)
        background = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert background == ("rgb(255, 255, 255)" if scheme == "light" else "rgb(20, 22, 28)")
        lead = page.evaluate("document.querySelector('.lead').textContent")
        assert "step" in lead.lower(), lead
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        page.play.screenshot(path=screenshots / f"report-{scheme}.png", full_page=True)
        assert page.errors == []
        assert [url for url in page.foreign_requests if not url.startswith("file://")] == []


def test_printed_page_is_light_and_shows_pictures(browser, report, screenshots):
    with chromium.page(browser, color_scheme="dark", offline=True) as page:
        open_drawn(page, report)
        page.play.pdf(path=screenshots / "report.pdf")
        page.play.emulate_media(media="print")
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        assert page.evaluate("[...document.querySelectorAll('.picture')].every((image) => image.offsetHeight > 100)")
        assert page.evaluate("[...document.querySelectorAll('.drawn')].every((node) => node.offsetHeight === 0)")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_waterfall_has_the_colours_of_the_page(browser, report, scheme):
    with chromium.page(browser, color_scheme=scheme, offline=True) as page:
        open_drawn(page, report)
        texts = "[...document.querySelectorAll('svg.figure text')]"
        assert page.evaluate(f"{texts}.length > 10 && {texts}.every((text) => getComputedStyle(text).visibility === 'visible')")
        colours = page.evaluate(f"[...new Set({texts}.map((text) => getComputedStyle(text).fill))]")
        assert colours == [page.evaluate("getComputedStyle(document.body).color")]
        # No picture on white is left on the screen.
        assert page.evaluate("[...document.images].every((image) => image.offsetHeight === 0)")


def test_nothing_is_cut_in_print(browser, report):
    with chromium.page(browser, color_scheme="dark", offline=True) as page:
        open_drawn(page, report)
        page.size(SHEET, 1000)
        page.play.emulate_media(media="print")
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        wide = """[...document.querySelectorAll('body *')].filter((node) => node.getBoundingClientRect().right > innerWidth + 1)
            .map((node) => `${node.tagName} ${node.textContent.slice(0, 40)}`)"""
        assert page.evaluate(wide) == []
        # Nor does anything scroll on paper.
        scrolls = """[...document.querySelectorAll('section, section div')].filter((node) => getComputedStyle(node).overflowX !== 'visible'
            && node.offsetHeight > 0).length"""
        assert page.evaluate(scrolls) == 0
        assert page.evaluate("getComputedStyle(document.querySelector('svg.figure text')).fill") == "rgb(0, 0, 0)"


def test_hostile_names_are_only_text(browser, tmp_path, screenshots):
    sides = [write_hostile(DATA / side / file, tmp_path / f"{side}.json") for side, file in SIDES]
    hostile = write_report(*sides, tmp_path / "hostile.html")
    with chromium.page(browser, offline=True) as page:
        dialogs = []
        page.play.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
        open_drawn(page, hostile)
        page.play.screenshot(path=screenshots / "report-hostile.png", full_page=True)
        assert "onerror=" in page.evaluate("document.body.textContent")
        assert (page.evaluate("document.title"), dialogs, page.errors) == ("control → test", [], [])
        assert page.evaluate("document.querySelectorAll('img[src=x], svg[onload], [onerror]').length") == 0
        # The import map, two figures, and what happens before it is printed.
        assert page.evaluate("document.scripts.length") == 4
        assert [url for url in page.foreign_requests if not url.startswith("file://")] == []

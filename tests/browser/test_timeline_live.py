"""Timelines of the real kernel in JupyterLab: zoom, arguments, arrows, and the selection as a filter of the next cell."""

import re

import pytest
from playwright.sync_api import expect

from looks import DRAWN, own_errors, switch_theme
from places import KERNEL, ROOT
from test_cells import cell, notebook, open_cells, run_all

CELLS = [
    "%trace_load data/control --as control\n%trace_load data/test --as test",
    "%timeline control",
    "%timeline control test",
    "%flame control test",
    "%events control --where sel",
]
LOAD, ONE, TWO, FLAME, SELECTED = range(len(CELLS))


@pytest.fixture
def executed(page, server):
    if not (server.folder / "data").exists():
        (server.folder / "data").symlink_to(ROOT / "notebooks" / "data")
    notebook(server.folder / "timelines-live.ipynb", KERNEL, CELLS[:SELECTED])
    open_cells(page, server.url("timelines-live.ipynb"), SELECTED)
    run_all(page)
    expect(page.play.locator(".tl-root")).to_have_count(3)
    yield page
    assert own_errors(page) == []


def focus(page, timeline, key, *keys):
    """Presses keys on the stage."""
    timeline.get_by_role("application").focus()
    for each in (key, *keys):
        page.play.keyboard.press(each)


def test_kernel_answers_what_the_output_does_not_contain(executed, screenshots):
    page = executed
    timeline = cell(page, ONE).locator(".tl-root")
    panel = timeline.locator(".tl-panel")
    stream = timeline.get_by_role("button", name=re.compile("^stream")).first
    stream.scroll_into_view_if_needed()
    stream.focus()
    page.play.keyboard.press("ArrowRight")
    expect(panel.locator(".tl-args dt").first).to_be_visible()
    expect(panel.locator(".tl-links")).to_contain_text("launched by")
    page.play.keyboard.press("[")
    expect(panel.locator(".tl-links")).to_contain_text("launches")
    page.play.keyboard.press("]")
    expect(panel.locator(".tl-links")).to_contain_text("launched by")
    page.screenshot(screenshots / "timeline-arrows.png")
    focus(page, timeline, "m", "ArrowRight", "m")
    expect(panel.locator("tbody tr").first).to_be_visible()
    expect(panel).to_contain_text("--where sel")
    timeline.get_by_role("searchbox").fill("gemm")
    expect(timeline.locator(".tl-found")).to_have_text(re.compile(r"^\d+$|none"))
    page.screenshot(screenshots / "timeline-selected.png")


#: The labels that are wider than their place.
CUT = "labels => labels.filter((label) => label.scrollWidth > label.clientWidth).map((label) => label.textContent)"


def test_two_traces_and_flames_are_drawn(executed, screenshots):
    page = executed
    two = cell(page, TWO).locator(".tl-root")
    expect(two.locator(".tl-lane-group .tl-name")).to_have_text(["GPU", "CPU threads", "bandwidth"])
    labels = two.locator(".tl-lane-lane .tl-name").all_text_contents()
    assert labels[2:4] == ["control: stream 7, GPU 3", "test: stream 7, GPU 1"], labels
    # Labels are shortened in the middle, and the browser cuts none of their ends off.
    cut = two.locator(".tl-lane-lane .tl-name").evaluate_all(CUT)
    assert labels[0].startswith("control: ann") and labels[0].endswith(" of stream 7") and not cut, (labels[0], cut)
    two.scroll_into_view_if_needed()
    page.evaluate(DRAWN)
    page.screenshot(screenshots / "timeline-two.png")
    flame = cell(page, FLAME).locator(".tl-root")
    flame.scroll_into_view_if_needed()
    page.evaluate(DRAWN)
    page.screenshot(screenshots / "flame-two.png")
    focus(page, flame, "Enter", "ArrowDown")
    expect(flame.locator(".tl-panel")).to_contain_text("difference")
    switch_theme(page, "JupyterLab Dark")
    page.screenshot(screenshots / "flame-two-dark.png")
    # The server keeps the theme for the tests that follow.
    switch_theme(page, "JupyterLab Light")

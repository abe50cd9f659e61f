"""Timelines and flame graphs in JupyterLab: in a saved notebook that is not trusted, without a kernel, light and dark."""

import json

import pytest
from playwright.sync_api import expect

from looks import open_notebook, own_errors, switch_theme
from modules import UNITS
from samples import write_samples

TIMELINE = "application/vnd.tracebook.timeline.v1+json"
FLAME = "application/vnd.tracebook.flame.v1+json"


def two_traces():
    """The sample, twice: the second trace is slower."""
    sent = json.loads((UNITS / "timeline.json").read_text())
    sent["title"] = "Timeline of control and test"
    sent["sides"] = [{"label": side, "base": "1682725898237042123"} for side in ("control", "test")]
    lanes, view = sent["lanes"], sent["view"]
    sent["lanes"] = lanes + [{**lane, "id": lane["id"] + len(lanes), "side": 1} for lane in lanes]
    view["tracks"] = [*view["tracks"], *([lane + len(lanes), level, 0] for lane, level, _ in view["tracks"])]
    return sent


@pytest.fixture
def opened(page, server):
    contents = [
        (TIMELINE, json.loads((UNITS / "timeline.json").read_text())),
        (FLAME, json.loads((UNITS / "flame.json").read_text())),
        (TIMELINE, two_traces()),
        (TIMELINE, {"version": 9}),
    ]
    bundles = [{"data": {mime: content, "text/plain": "a picture"}, "metadata": {}} for mime, content in contents]
    write_samples(server.folder / "timelines.ipynb", bundles)
    open_notebook(page, server.url("timelines.ipynb"), 0, 0)
    expect(page.play.locator(".tl-root")).to_have_count(3)
    yield page
    assert own_errors(page) == []


def test_untrusted_notebook_shows_and_pans_without_a_kernel(opened, screenshots):
    timeline = opened.play.locator(".tracebook-timeline").first
    expect(timeline.locator(".tl-title")).to_have_text("Timeline of control, rank 0")
    expect(timeline.get_by_role("button", name="stream 7, 4 events, 2 levels")).to_be_visible()
    stage = timeline.get_by_role("application")
    stage.click(position={"x": 5, "y": 5})
    expect(stage).to_be_focused()
    for key in ("Enter", "ArrowDown", "ArrowDown", "d", "d", "f"):
        opened.play.keyboard.press(key)
    panel = timeline.locator(".tl-panel")
    expect(panel).to_contain_text("timestamp")
    expect(timeline.locator(".tl-live")).to_contain_text("start ")
    expect(opened.play.locator(".jp-Notebook .jp-Cell")).to_have_count(4)
    label = timeline.get_by_role("button", name="stream 7, 4 events, 2 levels")
    label.focus()
    opened.play.keyboard.press("ArrowRight")
    expect(panel).to_contain_text("stream 7, level")
    assert opened.evaluate("document.querySelectorAll('.tl-root script').length") == 0
    expect(opened.play.locator(".tracebook-timeline").last).to_contain_text(
        "cannot draw this timeline: a newer version of Tracebook wrote it"
    )
    opened.screenshot(screenshots / "timelines-light.png")


def test_theme_colours_lanes_and_text(opened, screenshots):
    corner = "(() => { const c = document.querySelector('.tl-stage canvas'); return [...c.getContext('2d').getImageData(c.width - 2, 8, 1, 1).data] })()"
    # JupyterLab keeps the theme of an earlier test.
    switch_theme(opened, "JupyterLab Light")
    opened.wait(f"{corner}[3] > 0")
    light = opened.evaluate(corner)
    switch_theme(opened, "JupyterLab Dark")
    opened.wait(f"{corner}[0] !== {light[0]}")
    paper = "getComputedStyle(document.querySelector('.tl-top')).backgroundColor"
    assert opened.evaluate(paper) != "rgb(255, 255, 255)"
    opened.play.locator(".tracebook-flame").scroll_into_view_if_needed()
    opened.screenshot(screenshots / "timelines-dark.png")


def test_two_traces_have_groups_and_a_legend(opened):
    timeline = opened.play.locator(".tracebook-timeline").nth(1)
    expect(timeline.locator(".tl-lane-group .tl-name")).to_have_text(["control", "test"])
    expect(timeline.locator(".tl-legend")).to_contain_text("slower in test")
    timeline.get_by_role("button", name="colour by change").click()
    expect(timeline.get_by_role("button", name="colour by change")).to_have_attribute("aria-pressed", "false")
    timeline.get_by_role("button", name="control, group of lanes").click()
    expect(timeline.locator(".tl-lane")).to_have_count(7)


def test_notebook_7_leaves_the_keys_to_the_timeline(page, server):
    """Notebook 7 looks for shortcuts before the page's elements get a key: `x` would cut the cell."""
    contents = [(TIMELINE, json.loads((UNITS / "timeline.json").read_text()))] * 2
    write_samples(server.folder / "timelines-7.ipynb", [{"data": {mime: sent}, "metadata": {}} for mime, sent in contents])
    page.open(server.notebook_url("timelines-7.ipynb"))
    timeline = page.play.locator(".tl-root").first
    stage = timeline.get_by_role("application")
    stage.click(position={"x": 5, "y": 5})
    for key in ("Enter", "ArrowDown", "w", "x", "x", "d", "d", "ArrowUp"):
        page.play.keyboard.press(key)
        expect(stage).to_be_focused()
    expect(timeline.locator(".tl-panel")).to_contain_text("timestamp")
    expect(page.play.locator(".jp-Notebook .jp-Cell")).to_have_count(2)
    assert own_errors(page) == []

"""Timelines of a million events from the real kernel in JupyterLab, and the same in a saved notebook that is not trusted.

`TRACEBOOK_TIMELINE_EVENTS=10000000` draws as many. `make bench-browser` measures it.
"""

import json
import os
import re

import pytest
from playwright.sync_api import expect

import chromium
from looks import own_errors
from places import KERNEL
from test_cells import cell, notebook, open_cells
from timelines import COVERED, assert_pans, hover, press, tip, zoom_to
from timelines_trace import HOSTILE, kernel_of, write_trace

EVENTS = int(os.environ.get("TRACEBOOK_TIMELINE_EVENTS") or 1_000_000)
MANY = 20
CELLS = [
    "%trace_load million.json --quiet\n%trace_load small.json --quiet",
    "%timeline million",
    "%timeline small",
    "%timeline million\n" * MANY,
    "%trace_list",
    "%events million --where sel --top 0",
]
LOAD, MILLION, SMALL, OPEN, LISTED, SELECTED = range(len(CELLS))
# A kernel that nothing overlaps, and one that runs into the next.
ALONE, FIRST = 123_457, 100_000

# Runs a cell and waits until it is done, and drawn if it is a timeline. Returns milliseconds: until its first picture, what of them the
# kernel took (by the dates of its messages), and what the page took once it had the output.
RUN = """
async ([number, drawn]) => {
  const { content, sessionContext } = jupyterapp.shell.currentWidget;
  window.viewsOf = (number) => [...content.widgets[number].outputArea.widgets]
    .flatMap((panel) => [...(panel.widgets ?? [])]).flatMap(({ mounted }) => (mounted ? [mounted.view] : []));
  content.activeCellIndex = number;
  content.deselectAll();
  const begun = performance.now();
  const seen = {};
  const note = (_, { header, content }) => {
    if (header.msg_type === 'status' && content.execution_state === 'busy') seen.busy ??= Date.parse(header.date);
    if (header.msg_type === 'display_data') {
      seen.sent ??= Date.parse(header.date);
      seen.arrived ??= performance.now();
    }
  };
  sessionContext.iopubMessage.connect(note);
  const done = jupyterapp.commands.execute('notebook:run-cell');
  for (let views = []; drawn && !(views.length && views[0].frames); views = viewsOf(number)) {
    await new Promise(requestAnimationFrame);
    if (performance.now() - begun > 90_000) throw new Error('no timeline');
  }
  const drew = performance.now();
  sessionContext.iopubMessage.disconnect(note);
  await done;
  window.view = viewsOf(number)[0];
  return { appears_ms: drew - begun, kernel_ms: seen.sent - seen.busy, page_ms: drew - seen.arrived };
}
"""
IDLE = "window.jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel?.status === 'idle'"
LANE = "view.timeline.lanes.find(({ label }) => label === 'stream 7').id"
LIVE = "view.source.live && !view.pending && !view.tiles.waiting"


def run(page, number, drawn=False):
    page.wait(IDLE)
    return page.play.evaluate(RUN, [number, drawn])


def use(page, number, saved=False):
    """Makes the timeline of a cell `view`, in sight."""
    cell(page, number).locator(".tl-root").first.scroll_into_view_if_needed()
    page.evaluate(f"window.view = viewsOf({number})[0]")
    page.wait("view.frames > 0" if saved else LIVE)


@pytest.fixture(scope="module")
def page(server, browser):
    file = server.folder / "million.json"
    write_trace(file, EVENTS)
    write_trace(server.folder / "small.json", 4_000)
    notebook(server.folder / "million.ipynb", KERNEL, CELLS)
    with chromium.page(browser) as opened:
        open_cells(opened, server.url("million.ipynb"), len(CELLS))
        run(opened, LOAD)
        run(opened, MILLION, drawn=True)
        yield opened
        assert own_errors(opened) == []
    file.unlink()


@pytest.fixture
def million(page):
    use(page, MILLION)
    return page


def test_a_million_events_appear(million):
    assert million.evaluate(COVERED) > 0.2
    expect(cell(million, MILLION).locator(".tl-summary")).to_contain_text("events in")


def test_a_million_events_pan(million):
    for share in (0.5, 0.01, 0.0001):
        assert_pans(million, share)
        assert million.evaluate(COVERED) > 0.05


def test_zoom_shows_exact_times_of_the_recording(million):
    page, lane = million, million.evaluate(LANE)
    name, start, dur = kernel_of(ALONE)
    page.evaluate(f"view.show({{ from: {start} - 5e7, to: {start} + 5e7 }})")
    zoom_to(page, lane, 0, start, dur)
    found, facts = hover(page, lane, 0, start + dur / 2)
    assert found == name
    assert facts["start"].endswith(f"({start:,} ns)") and facts["duration"] == "4.25 µs (4,250 ns)", facts
    page.wait("[...document.querySelectorAll('.tl-tip dt')].some((key) => key.textContent === 'correlation')")
    assert tip(page)[1]["correlation"] == str(ALONE)


def both_are_hit(page, first):
    """Two kernels of one stream at a time: each has a row, a colour and a hit of its own."""
    lane = page.evaluate(LANE)
    (one, start, dur), (other, second, _) = kernel_of(first), kernel_of(first + 1)
    page.evaluate(f"view.show({{ from: {start} - 20_000, to: {start} + 40_000 }})")
    page.wait(f"view.tiles.of({lane}, view.state.span).some(({{ slices }}) => slices.start.includes({second}))")
    page.wait("!view.pending && !view.tiles.waiting")
    time = (second + start + dur) / 2
    hits = [hover(page, lane, row, time) for row in (0, 1)]
    assert [name for name, _ in hits] == [one, other]
    assert [facts["start"].split("(")[1] for _, facts in hits] == [f"{start:,} ns)", f"{second:,} ns)"]
    assert [facts["lane"] for _, facts in hits] == ["stream 7, level 1 of 2", "stream 7, level 2 of 2"]
    colours = page.play.evaluate(
        """([lane, time]) => [0, 1].map((row) => {
          const { base } = view.parts, { from, to } = view.state.span;
          const placed = view.layout.placed.find((part) => part.lane?.id === lane);
          const x = (time - from) / (to - from) * base.width, y = (placed.top - view.state.scrolled + row * placed.pitch + 2) * base.height / view.height;
          return [...base.getContext('2d').getImageData(x, y, 1, 1).data];
        })""",
        [lane, time],
    )
    assert colours[0] != colours[1] and all(colour[3] == 255 for colour in colours), colours


def test_overlapping_kernels_are_both_seen_and_hit(million):
    both_are_hit(million, FIRST)


def test_hostile_names_stay_text(million):
    page = million
    page.evaluate(f"view.cursor.search({json.dumps(HOSTILE[:8])})")
    page.wait("/^[1-9]/.test(view.parts.root.querySelector('.tl-found').textContent)")
    page.evaluate("view.cursor.step(1)")
    page.wait("view.parts.panel.querySelectorAll('.tl-args dt').length > 3")
    assert HOSTILE in page.evaluate("view.parts.panel.textContent")
    assert page.evaluate("document.querySelectorAll('.tl-root :is(img, script, b, iframe)').length") == 0
    page.evaluate("view.cursor.search('')")


def test_keyboard_selects_what_the_next_cell_filters(million):
    page = million
    timeline = cell(page, MILLION).locator(".tl-root").first
    expect(timeline.get_by_role("application")).to_have_attribute("aria-label", re.compile("."))
    stream = timeline.get_by_role("button", name=re.compile("^stream 7"))
    stream.focus()
    page.evaluate(f"view.show({{ from: {kernel_of(FIRST)[1]} - 2_000, to: {kernel_of(FIRST)[1]} + 100_000 }})")
    page.wait(LIVE)
    press(page, "ArrowRight")
    page.wait("view.parts.live.textContent.includes('start ')")
    number = (page.evaluate("view.cursor.place.start") - 3_625) // 10_000
    name, start, dur = kernel_of(number)
    said = page.evaluate("view.parts.live.textContent")
    seconds, micros = f"{start / 1e9:.9f}".rstrip("0"), dur / 1000
    assert said == f"{name}, stream 7, level 1 of 2, start {seconds} s, duration {micros:g} µs"
    assert timeline.locator(".tl-live").get_attribute("aria-live") == "polite"
    page.wait("view.parts.panel.querySelectorAll('.tl-links button').length > 0")
    press(page, "m", "ArrowRight", "m")
    page.wait("view.parts.panel.querySelectorAll('tbody tr').length > 0")
    press(page, "f", "Escape", "0")
    run(page, SELECTED)
    rows = cell(page, SELECTED).locator(".tracebook-table tbody tr")
    expect(rows).not_to_have_count(0)
    # From the start of a kernel to the end of its neighbour on the first level, with those between them on the other.
    shown = rows.all_text_contents()
    assert len(shown) in (2, 3, 4), shown
    assert all("kernel" in row and str(number + at) in row for at, row in enumerate(shown)), shown


def test_memory_stays_flat_over_pans_and_open_timelines(page):
    session = page.play.context.new_cdp_session(page.play)

    def heap():
        session.send("HeapProfiler.collectGarbage")
        return page.play.evaluate("performance.memory.usedJSHeapSize") / 2**20

    def listed():
        run(page, LISTED)
        table = cell(page, LISTED).locator(".tracebook-table")
        expect(table.locator("tbody tr")).to_have_count(2)
        return table.locator("tbody").text_content()

    before = listed()
    run(page, OPEN, drawn=True)
    page.wait(f"viewsOf({OPEN}).length === {MANY}")
    page.evaluate("document.querySelectorAll('.tl-root').length")
    # Each is looked at, so that it asks the kernel.
    for number in range(MANY):
        cell(page, OPEN).locator(".tl-root").nth(number).scroll_into_view_if_needed()
        page.wait(f"viewsOf({OPEN})[{number}].source.live && viewsOf({OPEN})[{number}].frames > 0")
    assert listed() == before, "open timelines share the lanes of their trace"
    pans = """
    async ([number, count]) => {
      for (let at = 0; at < count; at += 1) {
        for (const view of viewsOf(number).slice(-3)) {
          view.pan(at % 40 < 20 ? 0.7 : -0.7);
        }
        if (at % 10 === 0) viewsOf(number).slice(-3).forEach((view) => view.zoom(at % 20 ? 2 : 0.5));
        await new Promise((done) => setTimeout(done, 10));
      }
    }
    """
    cell(page, OPEN).locator(".tl-root").last.scroll_into_view_if_needed()
    page.evaluate(f"viewsOf({OPEN}).forEach((view) => view.show({{ from: 2e7, to: 2.1e7 }}))")
    page.play.evaluate(pans, [OPEN, 60])
    first = heap()
    page.play.evaluate(pans, [OPEN, 200])
    last = heap()
    assert last - first < 10, (first, last)
    drawn = page.evaluate(f"viewsOf({OPEN}).filter((view) => view.parts.base.width > 0).length")
    assert 1 <= drawn <= 6, "timelines off screen give their pictures back"


def test_saved_notebook_shows_the_same_without_a_kernel(page, server):
    run(page, SMALL, drawn=True)
    page.evaluate("window.jupyterapp.commands.execute('docmanager:save')")
    page.wait("!document.querySelector('.jp-mod-dirty')")
    saved = json.loads((server.folder / "million.ipynb").read_text())
    saved["cells"] = [saved["cells"][LOAD], saved["cells"][MILLION], saved["cells"][SMALL]]
    # Changed outside of Jupyter, so it is not trusted; another kernel.
    saved["cells"][0]["source"] += "\n# not trusted"
    saved["metadata"]["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    (server.folder / "million-saved.ipynb").write_text(json.dumps(saved))
    opened = chromium.Page(page.play.context.new_page())
    open_cells(opened, server.url("million-saved.ipynb"), 3)
    expect(opened.play.locator(".tl-root")).to_have_count(2)
    opened.evaluate(
        """(() => {
          const { content } = jupyterapp.shell.currentWidget;
          window.viewsOf = (number) => [...content.widgets[number].outputArea.widgets]
            .flatMap((panel) => [...(panel.widgets ?? [])]).flatMap(({ mounted }) => (mounted ? [mounted.view] : []));
        })()"""
    )
    assert opened.evaluate("jupyterapp.shell.currentWidget.content.widgets.every(({ model }) => !model.trusted)")
    use(opened, SMALL, saved=True)
    assert not opened.evaluate("view.source.live")
    both_are_hit(opened, 100)
    use(opened, MILLION, saved=True)
    assert opened.evaluate(COVERED) > 0.2 and not opened.evaluate("view.source.live")
    assert_pans(opened, 0.2)
    assert opened.evaluate("document.querySelectorAll('.tl-root :is(img, script, b, iframe)').length") == 0
    assert own_errors(opened) == []

"""Timelines and flame graphs in Chromium without a GPU, with real mouse, touch and keys, on pages without JupyterLab. The kernel is
`units/timeline-samples.js`."""

import base64
import json

import pytest

import chromium
from looks import DRAWN
from modules import UNITS, served
from places import ROOT
from timelines import COVERED, PLACE, SAID, SPAN, assert_pans, hover, press, tip, zoom_to

STATIC = ROOT / "labextension" / "static"

# Draws a timeline of a generated trace, or of the sample of the format; returns how many milliseconds that took.
MOUNT = """
async ({ events, threads, listed, sample, kernel, backend, many }) => {
  const { mountTimeline } = await import('/static/timeline.js');
  const samples = await import('/units/timeline-samples.js');
  const trace = threads ? samples.threads(threads) : events ? samples.trace(events) : null;
  const sent = trace ? samples.bundle(trace, 1400, listed) : await (await fetch('/units/' + sample)).json();
  window.sent = sent;
  window.trace = trace;
  window.log = [];
  window.mounted = [];
  const begun = performance.now();
  for (let at = 0; at < (many ?? 1); at += 1) {
    const node = document.createElement('div');
    document.body.append(node);
    mounted.push(mountTimeline(node, JSON.parse(JSON.stringify(sent)), { backend, connect: kernel ? samples.kernel(trace, log) : undefined }));
  }
  window.view = mounted[0].view;
  while (!view.frames) await new Promise(requestAnimationFrame);
  return performance.now() - begun;
}
"""


@pytest.fixture(scope="module")
def address():
    with served() as there:
        yield there


@pytest.fixture(scope="module")
def one_page(browser):
    """One page for all tests."""
    with chromium.page(browser) as opened:
        yield opened


@pytest.fixture
def page(one_page):
    one_page.errors.clear()
    one_page.foreign_requests.clear()
    return one_page


@pytest.fixture
def mount(page, address):
    """Draws a timeline; returns the page."""

    def draw(events=0, **options):
        page.open(address)
        page.play.evaluate(MOUNT, {"events": events, "sample": "timeline.json", **options})
        return page

    yield draw
    assert page.errors == [] and page.foreign_requests == []


def test_a_million_events_appear_and_pan_with_every_frame(mount):
    page = mount(1_000_000, kernel=True)
    assert page.evaluate(COVERED) > 0.2
    for share in (0.5, 0.01, 0.0001):
        assert_pans(page, share)
        assert page.evaluate(COVERED) > 0.05


def test_lanes_that_are_not_listed_are_shown_on_demand(mount):
    page = mount(threads=999_999, listed=50, kernel=True)
    more = page.play.get_by_role("button", name="999,950 more lanes")
    assert page.evaluate("view.timeline.lanes.length") == 50
    # The stream is below the threads that are not listed.
    assert page.evaluate("view.layout.placed.slice(-2).map(({ label }) => label)") == ["999,950 more lanes", "stream 7"]
    more.scroll_into_view_if_needed()
    more.click()
    page.wait("view.timeline.lanes.length === 250")
    assert page.evaluate("view.layout.placed.at(-2).label") == "999,750 more lanes"
    # The keyboard does the same, and stays there.
    page.play.keyboard.press("Enter")
    page.wait("view.timeline.lanes.length === 450")
    page.evaluate(DRAWN)
    page.wait("view.tiles.kept.some(({ asked }) => asked.has(49))")
    assert page.evaluate("view.tiles.of(49, view.state.span)[0].slices.start[0]") == 4900


def test_thread_among_a_million_is_found_and_shown(mount):
    page = mount(threads=999_999, listed=50, kernel=True)
    page.play.get_by_role("searchbox", name="Search names and lanes").fill("thread 701000")
    page.wait("document.querySelector('.tl-found').textContent === '1'")
    page.play.keyboard.press("Enter")
    page.wait("view.cursor.place?.lane === 700_000")
    assert "thread 701000" in page.evaluate(SAID)
    assert page.evaluate("view.timeline.lanes.length") == 51
    placed = page.evaluate("view.inSight().map(({ label }) => label)")
    assert "thread 701000" in placed, placed
    found = page.evaluate("view.layout.placed.slice(-5).map(({ label }) => label)")
    assert found == ["thread 1048", "699,951 more lanes", "thread 701000", "299,998 more lanes", "stream 7"]


def test_lanes_that_are_not_listed_are_counted_without_a_kernel(mount):
    page = mount(threads=2_000, listed=50)
    assert "1,951 lanes are missing" in page.evaluate("view.parts.status.textContent")
    page.play.get_by_role("button", name="1,951 more lanes").click()
    page.wait("view.parts.status.textContent.includes('run the cell')")
    assert page.evaluate("view.timeline.lanes.length") == 50


def test_ten_million_events_still_pan(mount):
    page = mount(10_000_000, kernel=True)
    for share in (0.5, 0.0001):
        assert_pans(page, share)


def test_zoom_to_a_kernel_shows_its_exact_start_and_duration(mount):
    page = mount(1_000_000, kernel=True)
    lane, event = 3, 60_123
    start, dur, name = page.play.evaluate(
        "([lane, event]) => (({ start, dur, name }) => [start[event], dur[event], trace.texts[name[event]]])(trace.tracks.find((track) => track.lane === lane))",
        [lane, event],
    )
    zoom_to(page, lane, 0, start, dur)
    found, facts = hover(page, lane, 0, start + dur / 2)
    assert found == name
    assert facts["start"].endswith(f"({start:,} ns)") and facts["duration"].endswith(f"({dur:,} ns)"), facts
    assert "here" not in facts
    page.wait("[...document.querySelectorAll('.tl-tip dt')].some((key) => key.textContent === 'correlation')")
    assert tip(page)[1]["correlation"] == str(event)


def test_overlapping_kernels_are_both_seen_and_hit_without_a_kernel(mount):
    page = mount()
    # 12 to 42 µs and 30 to 50 µs on stream 7, on two levels.
    both = [hover(page, 2, 0, 35_000), hover(page, 2, 1, 35_000)]
    assert [name for name, _ in both] == ["gemm <script>alert(1)</script>", "vectorized_add"]
    assert [facts["start"] for _, facts in both] == ["12 µs (12,000 ns)", "30 µs (30,000 ns)"]
    assert both[0][1]["lane"] == "stream 7, level 1 of 2"
    colours = page.evaluate(
        """[0, 1].map((row) => {
          const { base } = view.parts, { from, to } = view.state.span;
          const placed = view.layout.placed.find((part) => part.lane?.id === 2);
          const x = (38_000 - from) / (to - from) * base.width, y = (placed.top + row * placed.pitch + 2) * base.height / view.height;
          return [...base.getContext('2d').getImageData(x, y, 1, 1).data];
        })"""
    )
    assert colours[0] != colours[1] and all(colour[3] == 255 for colour in colours), colours


def test_events_that_the_output_only_counts_are_marked(mount):
    page = mount(1_000_000)
    page.evaluate("view.show({ from: 100_000_000, to: 102_000_000 })")
    page.wait("!view.pending")
    start, window, count = page.evaluate(
        """(() => {
          const { slices, level } = view.tiles.of(3, view.state.span)[0];
          const at = slices.start.findIndex((start, at) => start > view.state.span.from && slices.count[at] > 1);
          return [slices.start[at], 2 ** level, slices.count[at]];
        })()"""
    )
    beside = (start // window) * window + (0.2 if start % window > window / 2 else 0.8) * window
    _, facts = hover(page, 3, 0, beside)
    assert facts["start"].endswith(f"({start:,.0f} ns)") and f"the longest of {count} events" in facts["here"], facts


def test_names_stay_text(mount):
    page = mount(20_000, kernel=True)
    page.evaluate("view.timeline.names.text.forEach((_, at, all) => { all[at] = '<img src=x onerror=alert(1)>' + at })")
    page.evaluate("{ view.cursor.begin(view.timeline.lanes[3]); view.cursor.search('img'); }")
    page.wait("document.querySelectorAll('.tl-panel .tl-args dt').length === 3")
    page.wait("document.querySelector('.tl-found').textContent !== ''")
    assert page.evaluate("document.querySelectorAll('.tl-root :is(img, script, b, iframe)').length") == 0
    assert "<img src=x onerror=alert(1)>" in page.evaluate("document.querySelector('.tl-panel').textContent")


def test_mouse_moves_measures_and_chooses(mount):
    page = mount(20_000, kernel=True)
    play = page.play
    play.evaluate("view.show({ from: 100_000, to: 300_000 })")
    x, y = play.evaluate(PLACE, [3, 0, 200_000])
    play.mouse.move(x, y)
    play.mouse.down()
    play.mouse.move(x - 100, y, steps=4)
    play.mouse.up()
    first, _ = page.evaluate(SPAN)
    assert 100_000 < first < 130_000
    play.keyboard.down("Shift")
    play.mouse.move(x, y - 20)
    play.mouse.down()
    play.mouse.move(x + 150, y + 45, steps=4)
    play.mouse.up()
    play.keyboard.up("Shift")
    page.wait("document.querySelector('.tl-table tbody tr')")
    request = page.evaluate("log.find(({ type }) => type === 'selection')")
    assert request["lanes"] == [2, 3, 4] and request["end"] > request["start"]
    assert "--where sel" in page.evaluate("document.querySelector('.tl-panel').textContent")
    start, dur = page.evaluate("(({ start, dur }) => [start[20], dur[20]])(trace.tracks.find(({ lane }) => lane === 3))")
    play.mouse.click(*play.evaluate(PLACE, [3, 0, start + dur / 2]))
    page.wait("document.querySelector('.tl-links button')")
    assert page.evaluate("view.cursor.arrows.length") == 1
    assert f"({dur:,} ns)" in page.evaluate("document.querySelector('.tl-panel').textContent")


def test_page_scrolls_over_a_timeline_with_the_plain_wheel(mount):
    page = mount(20_000)
    page.evaluate("document.body.style.paddingBottom = '3000px'")
    before = page.evaluate(SPAN)
    page.play.mouse.move(*page.play.evaluate(PLACE, [3, 0, 100_000]))
    page.play.mouse.wheel(0, 300)
    page.wait("document.scrollingElement.scrollTop > 0")
    assert page.evaluate(SPAN) == before


def test_two_fingers_zoom_and_one_moves(mount):
    page = mount(20_000)
    page.evaluate("view.show({ from: 4_000_000, to: 6_000_000 })")
    session = page.play.context.new_cdp_session(page.play)
    x, y = page.play.evaluate(PLACE, [3, 0, 5_000_000])

    def touch(kind, *points):
        session.send(
            "Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": at, "y": y, "id": n} for n, at in enumerate(points)]}
        )

    touch("touchStart", x - 40, x + 40)
    for step in range(1, 9):
        touch("touchMove", x - 40 - 20 * step, x + 40 + 20 * step)
    touch("touchEnd")
    first, last = page.evaluate(SPAN)
    assert last - first < 700_000 and first < 5_000_000 < last
    touch("touchStart", x)
    for step in range(1, 9):
        touch("touchMove", x + 25 * step)
    touch("touchEnd")
    assert page.evaluate(SPAN)[0] < first - 50_000


def test_keyboard_alone_reaches_everything(mount):
    page = mount(20_000, kernel=True)
    page.evaluate("document.querySelector('.tl-lane').focus()")
    press(page, "ArrowDown", "ArrowDown", "ArrowDown")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "stream 7, 3,125 events, 2 levels"
    assert press(page, "Enter") == "lane collapsed"
    assert page.evaluate("document.activeElement.getAttribute('aria-expanded')") == "false"
    press(page, "Enter")
    said = press(page, "ArrowRight")
    assert "stream 7, level 1 of 2, start " in said and ", duration " in said, said
    assert page.evaluate("document.activeElement.className") == "tl-stage"
    first = page.evaluate("view.cursor.place.start")
    press(page, "ArrowRight")
    assert page.evaluate("view.cursor.place.start") > first
    assert "level 2 of 2" in press(page, "ArrowDown")
    assert "stream 20" in press(page, "ArrowDown")
    before = page.evaluate(SPAN)
    press(page, "f")
    after = page.evaluate(SPAN)
    assert after[1] - after[0] < (before[1] - before[0]) / 10
    press(page, "m", "ArrowRight", "m")
    page.wait("document.querySelector('.tl-table tbody tr')")
    assert page.evaluate("log.filter(({ type }) => type === 'selection').length") == 1
    assert page.evaluate(SAID).startswith("selected ")
    press(page, "Escape")
    press(page, "/")
    page.play.keyboard.type("nccl")
    page.wait("/^[1-9]/.test(document.querySelector('.tl-found').textContent)")
    assert press(page, "Enter").startswith("ncclDevKernel")
    press(page, "Escape", "Escape")
    page.evaluate("view.parts.stage.focus()")
    zoomed = page.evaluate(SPAN)
    press(page, "s", "s", "d")
    wider = page.evaluate(SPAN)
    assert wider[1] - wider[0] > 1.5 * (zoomed[1] - zoomed[0])
    height = page.evaluate("view.height")
    page.evaluate("document.querySelector('.tl-grip').focus()")
    press(page, "ArrowUp", "ArrowUp")
    assert page.evaluate("view.height") == height - 80
    page.evaluate("document.querySelector('.tl-split').focus()")
    gutter = page.evaluate("view.gutter")
    assert press(page, "ArrowRight") == f"width {gutter + 40} pixels"


def test_thousands_of_lanes_pan_and_only_near_ones_have_labels(mount):
    page = mount(20_000)
    page.play.evaluate(
        """async () => {
          const { mountTimeline } = await import('/static/timeline.js');
          const lanes = Array.from({ length: 4000 }, (_, id) => ({ ...sent.lanes[3], id, rank: id >> 3, label: `stream ${id}`, levels: 1 }));
          const start = btoa(String.fromCharCode(...new Uint8Array(new Float64Array(lanes.keys()).buffer.slice(0, 8000))));
          const columns = ['start', 'dur', 'name', 'event'].map((name) => ({ name, type: 'f64', data: start }));
          const view = { ...sent.view, tracks: lanes.slice(0, 1000).map(({ id }) => [id, 0, 1]), slices: columns, counters: [], samples: [] };
          document.body.replaceChildren();
          window.view = mountTimeline(document.body, { ...sent, lanes, view }).view;
          while (!window.view.frames) await new Promise(requestAnimationFrame);
        }"""
    )
    assert page.evaluate("document.querySelectorAll('.tl-lane').length") < 200
    assert_pans(page, 0.3)
    page.evaluate("document.querySelector('.tl-lane').focus()")
    press(page, "End")
    assert page.evaluate("document.activeElement.textContent") == "▾stream 3999"
    assert page.evaluate("document.querySelectorAll('.tl-lane').length") < 200


def test_memory_stays_flat(mount):
    page = mount(300_000, kernel=True, many=20)
    session = page.play.context.new_cdp_session(page.play)

    def heap():
        session.send("HeapProfiler.collectGarbage")
        return page.play.evaluate("performance.memory.usedJSHeapSize") / 2**20

    pans = """
    async (count) => {
      for (let at = 0; at < count; at += 1) {
        for (const { view } of mounted.slice(0, 3)) {
          view.pan(at % 40 < 20 ? 0.7 : -0.7);
        }
        if (at % 10 === 0) view.zoom(at % 20 ? 2 : 0.5);
        await new Promise((done) => setTimeout(done, 10));
      }
    }
    """
    page.play.evaluate("mounted.forEach(({ view }) => view.show({ from: 2e7, to: 2.1e7 }))")
    page.play.evaluate(pans, 60)
    before = heap()
    page.play.evaluate(pans, 200)
    after = heap()
    assert after - before < 8, (before, after)
    drawn = page.evaluate("mounted.filter(({ view }) => view.parts.base.width > 0).length")
    assert 1 <= drawn <= 6, "timelines off screen give their pictures back"
    assert page.evaluate("mounted.every(({ view }) => view.tiles.kept.length <= 5)")
    page.evaluate("mounted.forEach((each) => each.dispose())")
    assert page.evaluate("mounted.every(({ view }) => view.parts.base.width === 0)")


def test_webgl_draws_the_same_survives_loss_and_is_shared(mount, page):
    page.play.add_init_script(
        """
        window.contexts = [];
        const get = OffscreenCanvas.prototype.getContext;
        OffscreenCanvas.prototype.getContext = function (kind, options) {
          const made = get.call(this, kind, options);
          if (kind === 'webgl2' && made && !contexts.includes(made)) contexts.push(made);
          return made;
        };
        """
    )
    mount(20_000, backend="emulated", many=3)
    page.evaluate("view.show({ from: 1_000_000, to: 1_200_000 })")
    page.wait("view.drawn === 'webgl' && !view.pending")
    pixels = (
        "(() => { const { base } = view.parts; return base.getContext('2d').getImageData(0, 0, base.width, base.height).data })()"
    )
    page.evaluate(f"(() => {{ window.drawn = {pixels}; }})()")
    assert page.evaluate("contexts.length") == 1
    page.evaluate("window.lost = contexts[0].getExtension('WEBGL_lose_context'); lost.loseContext()")
    page.wait("contexts[0].isContextLost()")
    page.evaluate(DRAWN)
    page.evaluate("view.dirty()")
    page.wait("view.drawn === 'canvas' && !view.pending")
    different = page.evaluate(f"{pixels}.reduce((sum, part, at) => sum + (part !== drawn[at]), 0) / drawn.length")
    assert different < 0.01, different
    page.evaluate("lost.restoreContext()")
    page.wait("!contexts[0].isContextLost()")
    page.wait("(view.dirty(), view.drawn === 'webgl')")


def test_first_picture_does_not_wait_for_webgl(mount, page):
    page.play.add_init_script(
        """
        window.asked = [];
        const before = OffscreenCanvas.prototype.getContext;
        OffscreenCanvas.prototype.getContext = function (kind, options) {
          if (kind === 'webgl2') asked.push(window.view?.frames ?? 0);
          return before.call(this, kind, options);
        };
        """
    )
    mount(20_000)
    page.wait("asked.length > 0")
    assert page.evaluate("asked[0]") >= 1
    assert page.evaluate("view.settled") and page.evaluate(COVERED) > 0.05


def test_static_page_needs_no_server(page, tmp_path):
    """As `--html` writes it: modules as `data:` addresses of an import map, since a file cannot import files."""
    modules = {}
    for path in STATIC.glob("*.js"):
        text = path.read_text().replace('from "./', 'from "tracebook/')
        modules[f"tracebook/{path.name}"] = "data:text/javascript;base64," + base64.b64encode(text.encode()).decode()
    sent = (UNITS / "timeline.json").read_text().replace("<", "\\u003c")
    (tmp_path / "page.html").write_text(
        f'<!doctype html><meta charset="utf-8"><script type="importmap">{json.dumps({"imports": modules})}</script><div id="here"></div>'
        f'<script type="module">import {{ mountTimeline }} from "tracebook/timeline.js"; window.view = mountTimeline(here, {sent}).view;</script>'
    )
    page.open(f"file://{tmp_path / 'page.html'}")
    page.wait("window.view?.frames > 0")
    assert hover(page, 2, 1, 35_000)[0] == "vectorized_add"
    assert page.errors == []


FLAME = """
async (two) => {
  const [{ mountFlame }, { flame }] = await Promise.all([import('/static/flame.js'), import('/units/flame-samples.js')]);
  const node = document.createElement('div');
  document.body.append(node);
  window.view = mountFlame(node, flame(600, two)).view;
  while (!view.frames) await new Promise(requestAnimationFrame);
}
"""


@pytest.fixture
def flame(page, address):
    page.open(address)
    page.play.evaluate(FLAME, True)
    yield page
    assert page.errors == []


def test_flame_zooms_by_a_click_and_back(flame):
    whole = flame.evaluate(SPAN)
    box = flame.evaluate("(({ start, end, first }) => [start[first[2]], end[first[2]]])(view.tiles.base.lanes.get(0))")
    _, facts = hover(flame, 0, 2, sum(box) / 2)
    assert {"control", "test", "difference", "self"} <= set(facts), facts
    flame.play.mouse.click(*flame.play.evaluate(PLACE, [0, 2, sum(box) / 2]))
    flame.wait("!view.jump && !view.pending")
    first, last = flame.evaluate(SPAN)
    assert abs(first - box[0]) < 0.02 * (box[1] - box[0]) and last - first < 1.05 * (box[1] - box[0])
    flame.evaluate("view.parts.stage.focus()")
    press(flame, "Escape", "Escape")
    flame.wait("!view.jump && !view.pending")
    assert flame.evaluate(SPAN) == pytest.approx(whole, rel=0.03, abs=1e6)


def test_flame_has_both_orders_search_and_keys(flame):
    heavy = flame.evaluate("[...view.tiles.base.lanes.get(0).start].join()")
    flame.evaluate("view.parts.stage.focus()")
    assert press(flame, "t") == "in the order of time"
    assert flame.evaluate("[...view.tiles.base.lanes.get(0).start].join()") != heavy
    said = press(flame, "Enter", "ArrowDown", "ArrowDown")
    assert "difference" in said and flame.evaluate("view.cursor.place.row") == 2
    press(flame, "/")
    flame.play.keyboard.type("addmm")
    flame.wait("/^[1-9]/.test(document.querySelector('.tl-found').textContent)")
    assert press(flame, "Enter").startswith("aten::addmm")
    assert flame.evaluate("view.cursor.hitOf(view.cursor.place) !== null"), "the search knows the order of time"
    assert " %" in flame.evaluate("document.querySelector('.tl-found').textContent")
    assert flame.evaluate("document.querySelectorAll('.tl-root :is(b, script)').length") == 0

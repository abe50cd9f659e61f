"""Questions to a drawn timeline, in JavaScript. `view` of the page is its `TimelineView`."""

from looks import DRAWN

# Moves the view with each of so many frames of the page; returns how many the timeline drew, and the milliseconds that they took.
PAN = """
async ([share, frames]) => {
  const all = view.timeline.bounds.to;
  view.show({ from: all * 0.3, to: all * 0.3 + all * share });
  do { await new Promise(requestAnimationFrame); } while (view.pending || view.jump || view.tiles.waiting);
  const [begun, before] = [performance.now(), view.frames];
  for (let at = 0; at < frames; at += 1) {
    view.pan(at % 100 < 50 ? 0.02 : -0.02);
    await new Promise(requestAnimationFrame);
  }
  return [view.frames - before, performance.now() - begun];
}
"""
FRAMES = 40

# The place on the page of a slice: its middle.
PLACE = """
([lane, row, time]) => {
  const box = view.parts.stage.getBoundingClientRect();
  const placed = view.layout.placed.find((part) => part.lane?.id === lane);
  const { from, to } = view.state.span;
  return [box.left + ((time - from) / (to - from)) * view.width, box.top + placed.top - view.state.scrolled + (row + 0.5) * placed.pitch];
}
"""

# The share of the pixels of the lanes that slices cover.
COVERED = """
(() => {
  const { base } = view.parts;
  const { data } = base.getContext('2d').getImageData(0, 0, base.width, base.height);
  let covered = 0;
  for (let at = 3; at < data.length; at += 4) covered += data[at] > 60 ? 1 : 0;
  return covered / (data.length / 4);
})()
"""
SPAN = "(({ from, to }) => [from, to])(view.state.span)"
SAID = "document.querySelector('.tl-live').textContent"


def tip(page):
    """What the box beside the pointer says: name, and value by key."""
    return page.evaluate(
        """(() => {
          const box = view.parts.root.querySelector('.tl-tip');
          if (box.hidden) return null;
          const texts = (tag) => [...box.querySelectorAll(tag)].map((node) => node.textContent);
          return [box.querySelector('.tl-tip-name').textContent, Object.fromEntries(texts('dt').map((key, at) => [key, texts('dd')[at]]))];
        })()"""
    )


def hover(page, lane, row, time):
    x, y = page.play.evaluate(PLACE, [lane, row, time])
    page.play.mouse.move(x, y)
    return tip(page)


def assert_pans(page, share):
    """Asserts that the timeline draws every frame while a share of it moves."""
    drawn, _ = page.play.evaluate(PAN, [share, FRAMES])
    assert drawn >= FRAMES - 1, (share, drawn)


def press(page, *keys):
    """Presses keys; returns what is said once the view stands still."""
    for key in keys:
        page.play.keyboard.press(key)
    page.evaluate(DRAWN)
    page.wait("!view.jump && !view.pending")
    return page.evaluate(SAID)


def zoom_to(page, lane, row, start, dur):
    """Zooms in with the mouse, until a few kernels fill the screen."""
    for _ in range(60):
        x, y = page.play.evaluate(PLACE, [lane, row, start + dur / 2])
        page.play.mouse.move(x, y)
        page.play.keyboard.down("Control")
        page.play.mouse.wheel(0, -300)
        page.play.keyboard.up("Control")
        first, last = page.evaluate(SPAN)
        if last - first < 12 * dur:
            break
    page.wait(f"view.tiles.of({lane}, view.state.span).some(({{ slices }}) => slices.start.includes({start}))")

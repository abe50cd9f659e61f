// @ts-check
// Mouse, pen and touch: drag moves, Shift and drag selects, Ctrl and the wheel or two fingers zoom, a click chooses. The plain wheel
// scrolls lanes and page, since a page that zooms under a scrolling hand is a trap.

import { placeOf } from "./timeline-cursor.js";
import { BAR, RULER } from "./timeline-ruler.js";
import { width } from "./timeline-scale.js";

/** @import { TimelineView } from "./timeline-view.js" */

/** A pointer that has moved less than this clicks, in pixels. */
const CLICK = 4;
/** The zoom of a step of the wheel. */
const WHEEL = 0.0022;

/** Listens to pointers until the returned function is called. @param {TimelineView} view */
export function listenToPointers(view) {
  const { stage, ruler, grip, split } = view.parts;
  const control = new AbortController();
  const { signal } = control;
  /** The pointers that are down. @type {Map<number, { x: number, y: number }>} */
  const down = new Map();
  /** @type {{ kind: "pan" | "select" | "pinch", x: number, y: number, moved: boolean, time: number, top: number } | null} */
  let drag = null;

  /** @param {MouseEvent} event @param {Element} [node] */
  const point = (event, node = stage) => {
    const box = node.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  const pinch = () => {
    const [one, two] = [...down.values()];
    return { middle: (one.x + two.x) / 2, apart: Math.max(Math.abs(one.x - two.x), 12) };
  };

  /** @param {{ x: number, y: number }} at */
  const select = (at, final = false) => {
    if (!drag) {
      return;
    }
    const [from, to] = [drag.time, view.timeAt(at.x)].sort((a, b) => a - b);
    const [first, last] = [drag.y, at.y].sort((a, b) => a - b).map((y) => y + view.state.scrolled);
    const lanes = view.layout.placed.flatMap(({ lane, top, height }) => (lane && top - 4 <= last && top + height + 4 >= first ? [lane.id] : []));
    const { bounds } = view.timeline;
    const inside = { from: Math.max(Math.floor(from), bounds.from), to: Math.min(Math.ceil(to), bounds.to) };
    view.cursor.select({ ...inside, lanes: lanes.length ? lanes : view.cursor.lanesBetween(-1, -1) }, final);
  };

  stage.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) {
      return;
    }
    const at = point(event);
    stage.setPointerCapture(event.pointerId);
    down.set(event.pointerId, at);
    if (down.size === 2) {
      drag = { kind: "pinch", ...at, moved: true, time: 0, top: 0 };
    } else {
      const kind = event.shiftKey && view.timeline.kind === "timeline" ? "select" : "pan";
      drag = { kind, ...at, moved: false, time: view.timeAt(at.x), top: view.parts.scroll.scrollTop };
    }
  }, { signal });

  stage.addEventListener("pointermove", (event) => {
    const at = point(event);
    const before = down.get(event.pointerId);
    if (!before || !drag) {
      if (event.pointerType !== "touch") {
        view.cursor.hover(view.cursor.hitAt(at.x, at.y), at);
      }
      return;
    }
    const moved = Math.abs(at.x - drag.x) > CLICK || Math.abs(at.y - drag.y) > CLICK;
    drag.moved ||= moved;
    if (!drag.moved) {
      return;
    }
    view.cursor.hover(null);
    if (drag.kind === "pinch" && down.size === 2) {
      const old = pinch();
      down.set(event.pointerId, at);
      const now = pinch();
      view.pan((old.middle - now.middle) / view.width);
      view.zoom(old.apart / now.apart, view.timeAt(now.middle));
      return;
    }
    down.set(event.pointerId, at);
    if (drag.kind === "pan") {
      stage.classList.add("tl-dragged");
      view.pan((before.x - at.x) / view.width);
      if (event.pointerType === "mouse") {
        view.parts.scroll.scrollTop = drag.top + drag.y - at.y;
      }
    } else if (drag.kind === "select") {
      select(at);
    }
  }, { signal });

  /** @param {PointerEvent} event */
  const end = (event) => {
    const at = point(event);
    down.delete(event.pointerId);
    stage.classList.remove("tl-dragged");
    if (!drag || down.size) {
      return;
    }
    if (event.type === "pointerup" && !drag.moved) {
      const hit = view.cursor.hitAt(at.x, at.y);
      if (!event.shiftKey) {
        view.cursor.choose(hit && placeOf(hit, view.timeline.names.text), hit);
        if (hit) {
          view.options.clicked?.(hit);
        }
      }
    } else if (drag.kind === "select" && event.type === "pointerup") {
      select(at, true);
    }
    drag = null;
  };
  stage.addEventListener("pointerup", end, { signal });
  stage.addEventListener("pointercancel", end, { signal });
  stage.addEventListener("pointerleave", () => view.cursor.hover(null), { signal });

  stage.addEventListener("dblclick", (event) => {
    const { x, y } = point(event);
    const hit = view.cursor.hitAt(x, y);
    if (hit && !view.options.clicked) {
      view.cursor.go(placeOf(hit, view.timeline.names.text), { zoom: true });
    }
  }, { signal });

  /** @param {WheelEvent} event @param {Element} node */
  const wheel = (event, node) => {
    const { deltaX, deltaY, deltaMode } = event;
    const unit = deltaMode === 1 ? 16 : deltaMode === 2 ? 400 : 1;
    const { x } = point(event, node);
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      view.zoom(Math.exp(Math.min(Math.max(deltaY * unit, -240), 240) * WHEEL), view.timeAt(x));
    } else if (event.shiftKey || Math.abs(deltaX) > Math.abs(deltaY)) {
      event.preventDefault();
      view.pan(((Math.abs(deltaX) > Math.abs(deltaY) ? deltaX : deltaY) * unit) / view.width);
    }
  };
  stage.addEventListener("wheel", (event) => wheel(event, stage), { signal, passive: false });
  ruler.addEventListener("wheel", (event) => wheel(event, ruler), { signal, passive: false });

  // The bar moves the view; below it, the ruler selects a span of all lanes.
  ruler.addEventListener("pointerdown", (event) => {
    const at = point(event, ruler);
    ruler.setPointerCapture(event.pointerId);
    if (at.y <= BAR + 2) {
      const move = (/** @type {PointerEvent} */ moved) => {
        const { bounds } = view.timeline;
        const time = bounds.from + (point(moved, ruler).x / view.width) * width(bounds);
        const half = width(view.state.span) / 2;
        view.show({ from: time - half, to: time + half });
      };
      move(event);
      ruler.onpointermove = move;
    } else if (view.timeline.kind === "timeline") {
      drag = { kind: "select", x: at.x, y: -RULER, moved: false, time: view.timeAt(at.x), top: 0 };
      ruler.onpointermove = (moved) => select({ x: point(moved, ruler).x, y: 1e7 });
    }
  }, { signal });
  /** @param {PointerEvent} event */
  const endRuler = (event) => {
    if (ruler.onpointermove) {
      ruler.onpointermove = null;
      if (drag && Math.abs(point(event, ruler).x - drag.x) > CLICK) {
        select({ x: point(event, ruler).x, y: 1e7 }, true);
      }
      drag = null;
    }
  };
  ruler.addEventListener("pointerup", endRuler, { signal });
  ruler.addEventListener("pointercancel", endRuler, { signal });

  /** Drags a handle. @param {HTMLElement} handle @param {() => number} size @param {"clientX" | "clientY"} axis @param {(size: number) => void} set */
  const handle = (handle, size, axis, set) => {
    handle.addEventListener("pointerdown", (event) => {
      handle.setPointerCapture(event.pointerId);
      const [begun, before] = [event[axis], size()];
      handle.onpointermove = (moved) => set(before + moved[axis] - begun);
    }, { signal });
    for (const kind of ["pointerup", "pointercancel"]) {
      handle.addEventListener(kind, () => (handle.onpointermove = null), { signal });
    }
  };
  handle(grip, () => view.height, "clientY", (height) => view.resize(height));
  handle(split, () => view.gutter, "clientX", (width) => view.widen(width));
  return () => control.abort();
}

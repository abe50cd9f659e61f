// @ts-check
// The keyboard can do all that pointers can: on the stage from slice to slice, on the labels from lane to lane.

import { suppressShortcuts } from "./keys.js";

/** @import { TimelineView } from "./timeline-view.js" */

/** A step of zoom, and of a move as a share of the screen. */
const ZOOM = 1.3;
const MOVE = 0.12;
/** A step of the height, and of the width of the labels, in pixels. */
const HEIGHT = 40;

/** Chooses a slice if none is chosen, or shows it; of a flame graph, zooms to it. @param {TimelineView} view */
function enter(view) {
  const { place } = view.cursor;
  return place ? view.cursor.go(place, { zoom: view.timeline.kind === "flame" }) : view.cursor.begin();
}

/** What keys do on the stage. @type {Record<string, (view: TimelineView) => unknown>} */
const STAGE = {
  w: (view) => view.zoom(1 / ZOOM),
  s: (view) => view.zoom(ZOOM),
  "+": (view) => view.zoom(1 / ZOOM),
  "-": (view) => view.zoom(ZOOM),
  a: (view) => view.pan(-MOVE),
  d: (view) => view.pan(MOVE),
  ArrowLeft: (view) => (view.cursor.place ? view.cursor.beside(-1) : view.pan(-MOVE)),
  ArrowRight: (view) => (view.cursor.place ? view.cursor.beside(1) : view.pan(MOVE)),
  ArrowUp: (view) => (view.cursor.place ? view.cursor.across(-1) : view.parts.scroll.scrollBy(0, -HEIGHT)),
  ArrowDown: (view) => (view.cursor.place ? view.cursor.across(1) : view.parts.scroll.scrollBy(0, HEIGHT)),
  Enter: (view) => enter(view),
  " ": (view) => enter(view),
  f: (view) => view.cursor.place && view.cursor.go(view.cursor.place, { zoom: true }),
  0: (view) => view.use("all"),
  Home: (view) => view.use("all"),
  m: (view) => view.timeline.kind === "timeline" && view.cursor.measure(),
  "[": (view) => view.cursor.follow(-1),
  "]": (view) => view.cursor.follow(1),
  n: (view) => view.cursor.step(1),
  p: (view) => view.cursor.step(-1),
  "/": (view) => view.parts.search.focus(),
  "?": (view) => view.parts.helper.click(),
  x: (view) => {
    const { place } = view.cursor;
    view.toggle(place ? `lane ${place.lane}` : view.cursor.lane || view.layout.placed[0]?.key);
  },
};

/** Keys with Shift on the stage. @type {Record<string, (view: TimelineView) => unknown>} */
const SHIFTED = {
  ArrowLeft: (view) => view.timeline.kind === "timeline" && view.cursor.stretch(-1),
  ArrowRight: (view) => view.timeline.kind === "timeline" && view.cursor.stretch(1),
};

/** Moves the focus among the labels of lanes, or from them to the stage. @param {TimelineView} view @param {string} key */
function onLabels(view, key) {
  const { placed } = view.layout;
  const focused = /** @type {HTMLElement} */ (document.activeElement).dataset.key;
  const at = placed.findIndex((part) => part.key === focused);
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: placed.length - 1 }[key];
  if (key === "ArrowRight" || key === "ArrowLeft") {
    view.parts.stage.focus({ preventScroll: true });
    view.cursor.begin(placed[at]?.lane);
    return true;
  }
  const next = to === undefined ? undefined : placed[to];
  if (next) {
    view.cursor.lane = next.key;
    view.reveal(next.top, next.top + next.height);
    const all = /** @type {HTMLElement[]} */ ([...view.parts.labels.children]);
    for (const label of all) {
      label.tabIndex = label.dataset.key === next.key ? 0 : -1;
    }
    all.find(({ dataset }) => dataset.key === next.key)?.focus({ preventScroll: true });
  }
  return to !== undefined;
}

/** Keys that are ours wherever the focus is; Tab, Shift + Enter and keys with Ctrl are the notebook's. @param {KeyboardEvent} event */
const isOurs = ({ key, shiftKey, ctrlKey, metaKey, altKey }) =>
  !ctrlKey && !metaKey && !altKey && (key.length === 1 || (key === "Enter" && !shiftKey) || /^(Escape|Home|End|Arrow.*)$/.test(key));

/** Listens to keys until the returned function is called. @param {TimelineView} view */
export function listenToKeys(view) {
  const { root, stage, labels, search, grip, split } = view.parts;
  const control = new AbortController();
  suppressShortcuts(root, isOurs, control.signal);
  root.addEventListener(
    "keydown",
    (event) => {
      const { key, shiftKey, target } = event;
      if (event.ctrlKey || event.metaKey || event.altKey) {
        return;
      }
      let done = false;
      if (key === "Escape") {
        done = view.cursor.clear();
        if (!done && view.timeline.kind === "flame") {
          view.use("all");
          done = true;
        }
        if (target === search) {
          stage.focus({ preventScroll: true });
        }
      } else if (target === search) {
        done = key === "Enter";
        if (done) {
          view.cursor.step(shiftKey ? -1 : 1);
        }
      } else if (target === stage) {
        const known = shiftKey ? (SHIFTED[key] ?? (key.length === 1 ? STAGE[key.toLowerCase()] : undefined)) : STAGE[key.length === 1 ? key.toLowerCase() : key];
        const own = view.options.keysOf?.[key.toLowerCase()];
        (own ?? known)?.(view);
        done = Boolean(own ?? known);
      } else if (labels.contains(/** @type {Node} */ (target))) {
        done = onLabels(view, key);
      } else if (target === grip && (key === "ArrowUp" || key === "ArrowDown")) {
        view.resize(view.height + (key === "ArrowDown" ? HEIGHT : -HEIGHT));
        view.say(`height ${Math.round(view.height)} pixels`);
        done = true;
      } else if (target === split && (key === "ArrowLeft" || key === "ArrowRight")) {
        view.widen(view.gutter + (key === "ArrowRight" ? HEIGHT : -HEIGHT));
        view.say(`width ${Math.round(view.gutter)} pixels`);
        done = true;
      }
      if (done) {
        event.preventDefault();
      }
      if (done || isOurs(event)) {
        event.stopPropagation();
      }
    },
    { signal: control.signal },
  );
  return () => control.abort();
}

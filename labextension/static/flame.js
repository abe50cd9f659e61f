// @ts-check
// The renderer of flame graphs (`application/vnd.tracebook.flame.v1+json`), on that of timelines. `mountFlame` draws one in any page.

import { button } from "./element.js";
import { readFlame } from "./flame-read.js";
import { changeLegend, rendererOf } from "./timeline-renderer.js";
import { addTimelineStyle } from "./timeline-style.js";
import { TimelineView, freshState } from "./timeline-view.js";

/**
 * @import { WidgetClass } from "../types/jupyterlab"
 * @import { Flame as Sent } from "../types/timeline"
 * @import { ViewState } from "../types/timeline-view"
 * @typedef {{ state?: ViewState, backend?: "webgl" | "canvas" | "emulated" }} MountOptions
 */

export const MIME = "application/vnd.tracebook.flame.v1+json";

/** The keys of a flame graph. @type {[string, string][]} */
const KEYS = [
  ["click, Enter", "zoom to a box"],
  ["← → ↑ ↓", "go to the neighbouring box, its caller, its callee"],
  ["W S, Ctrl + wheel, pinch", "zoom in and out"],
  ["A D, drag, Shift + wheel", "move left and right"],
  ["0", "show everything"],
  ["T", "order in time, or the widest first"],
  ["/", "search; Enter and Shift + Enter go through the results"],
  ["Esc", "clear box, search; then show everything"],
];

/**
 * Draws a flame graph in `node`, from the JSON of an output.
 *
 * @param {HTMLElement} node
 * @param {unknown} sent
 * @param {MountOptions} [options]
 */
export function mountFlame(node, sent, { state, backend } = {}) {
  addTimelineStyle();
  const { timeline, use } = readFlame(/** @type {Sent} */ (sent));
  /** @type {TimelineView} */
  let view;
  let inTime = false;
  const toggle = () => {
    inTime = !inTime;
    view.cursor.choose(null);
    timeline.tile = use(inTime ? "time" : "left-heavy");
    view.tiles.replace(timeline.tile);
    view.show(timeline.bounds);
    order.setAttribute("aria-pressed", String(inTime));
    view.cursor.search(view.cursor.text);
    view.say(inTime ? "in the order of time" : "the widest first");
  };
  const order = button("in time order", toggle, { title: "Order in time, or the widest first (T)", aria: { pressed: "false" } });
  const changes = timeline.sides.length > 1 ? changeLegend(() => view, timeline.sides) : null;
  const fresh = freshState(timeline);
  /** @type {ViewState} */
  const shown = state ?? { ...fresh, colour: timeline.sides.length > 1 ? "change" : "name" };
  view = new TimelineView(node, timeline, shown, {
    backend,
    tools: [order],
    legend: changes?.legend,
    recoloured: changes?.draw,
    keys: KEYS,
    clicked: ({ slices, index }) => view.show({ from: slices.start[index], to: slices.end[index] }, { jump: true }),
    keysOf: { t: toggle },
  });
  changes?.draw();
  return { view, dispose: () => view.dispose() };
}

/** Returns the class of the renderer: a subclass of Lumino's Widget. @param {WidgetClass} Widget */
export const renderer = (Widget) =>
  rendererOf(Widget, MIME, { name: "flame graph", className: "tracebook-flame" }, (node, sent, state) => mountFlame(node, sent, { state }));

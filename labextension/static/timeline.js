// @ts-check
// The renderer of timelines (`application/vnd.tracebook.timeline.v1+json`). `mountTimeline` draws one in any page, without JupyterLab.

import { changeLegend, rendererOf } from "./timeline-renderer.js";
import { fromKernel } from "./timeline-source.js";
import { addTimelineStyle } from "./timeline-style.js";
import { TimelineView, freshState } from "./timeline-view.js";
import { readTimeline } from "./timeline-wire.js";

/**
 * @import { WidgetClass } from "../types/jupyterlab"
 * @import { Timeline as Sent } from "../types/timeline"
 * @import { Connect, Connection, ViewState } from "../types/timeline-view"
 * @typedef {{ connect?: Connect, state?: ViewState, backend?: "webgl" | "canvas" | "emulated" }} MountOptions
 */

export const MIME = "application/vnd.tracebook.timeline.v1+json";

/**
 * Draws a timeline in `node`, from the JSON of an output. With `connect` it asks the kernel for more than the output contains.
 *
 * @param {HTMLElement} node
 * @param {unknown} sent
 * @param {MountOptions} [options]
 */
export function mountTimeline(node, sent, { connect, state, backend } = {}) {
  addTimelineStyle();
  const timeline = readTimeline(/** @type {Sent} */ (sent));
  /** @type {TimelineView} */
  let view;
  const changes = timeline.sides.length > 1 ? changeLegend(() => view, timeline.sides) : null;
  const partial = [...timeline.tile.lanes.values()].some(({ count }) => count.some((many) => many > 1));
  const hidden = timeline.laneCount - timeline.lanes.length;
  const alone = (/** @type {string} */ reason) => view.note(partial || hidden ? reason : "");
  let connected = false;
  // The node has to be in the page, and a kernel may start later.
  const reach = () => {
    if (connected || view.disposed) {
      return;
    }
    const source = fromKernel(connect, timeline, (reason) => {
      alone(reason);
      view.dirty();
    });
    if (source) {
      connected = true;
      view.setSource(source);
    }
    const missing = [hidden ? `${hidden.toLocaleString("en-US")} lanes are missing` : "", partial ? "events shorter than a pixel of the whole are counted, not listed" : ""];
    alone(source ? "" : `without a kernel, ${missing.filter(Boolean).join(", and ")}`);
  };
  view = new TimelineView(node, timeline, state ?? freshState(timeline), { backend, legend: changes?.legend, recoloured: changes?.draw, reach });
  changes?.draw();
  return { view, dispose: () => view.dispose() };
}

/**
 * Returns the class of the renderer: a subclass of Lumino's Widget.
 *
 * @param {WidgetClass} Widget
 * @param {(target: string, node: Node, data: object) => Connection | null} [connect] reaches the kernel of an output, as `comm.js` does
 */
export const renderer = (Widget, connect = () => null) =>
  rendererOf(Widget, MIME, { name: "timeline", className: "tracebook-timeline" }, (node, sent, state) =>
    mountTimeline(node, sent, { state, connect: (target, data) => connect(target, node, data) }),
  );

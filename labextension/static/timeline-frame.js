// @ts-check
// The elements of a timeline: head with tools, ruler, lanes with their labels, the stage with its canvases, and what is below.

import { button, element } from "./element.js";
import { elideApart } from "./names.js";
import { styleOf } from "./theme.js";
import { PAGE } from "./timeline-lane-list.js";
import { RULER } from "./timeline-ruler.js";

/** @import { Layout, Placed, Timeline } from "../types/timeline-view" */

/** What a label has beside its text, and the width of a narrow character, in pixels. */
const BESIDE_LABEL = 28;
const CHAR = 5;
/** Labels get no shorter than this, in characters. */
const FEWEST_CHARS = 6;
/** What is between a label and the largest value behind it, in pixels, and the size of that text. */
const BESIDE_MOST = 4;
const MOST_SIZE = "10px";

/** The largest value of a counter, which is written behind its label. @param {Placed} placed */
function mostOf({ lane, collapsed }) {
  if (lane?.kind !== "counter" || lane.max === undefined || collapsed) {
    return "";
  }
  return `to ${lane.max.toLocaleString("en-US", { maximumSignificantDigits: 4 })}${lane.unit ? ` ${lane.unit}` : ""}`;
}

/** The keys, for the help and for screen readers. @type {[string, string][]} */
export const KEYS = [
  ["W S, Ctrl + wheel, pinch", "zoom in and out"],
  ["A D, drag, Shift + wheel", "move left and right"],
  ["← → ↑ ↓", "go to the neighbouring slice, or move if none is chosen"],
  ["Enter, click", "choose a slice: details and arrows"],
  ["[ ]", "follow an arrow back or on"],
  ["F, double-click", "zoom to the chosen slice"],
  ["0", "show everything"],
  ["M, Shift + drag", "measure and sum up: mark here, M again ends it"],
  ["Shift + ← →", "make the selected span shorter or longer"],
  ["/", "search; Enter and Shift + Enter go through the results"],
  ["X", "collapse or expand the lane"],
  ["Esc", "clear selection, slice, search"],
];

/** @param {string} name @param {string} label @param {() => unknown} act */
const tool = (name, label, act) => button(name, act, { title: label, aria: { label } });

/**
 * Creates the elements. `act` gets the names of tools.
 *
 * @param {Timeline} timeline
 * @param {(tool: "in" | "out" | "all" | "next" | "previous" | "colour" | "order") => void} act
 * @param {{ tools?: HTMLElement[], legend?: HTMLElement | null, keys?: [string, string][] }} [more]
 */
export function frame(timeline, act, { tools = [], legend = null, keys = KEYS } = {}) {
  // Lanes that are not on the page can be found.
  const searched = timeline.lanes.length < timeline.laneCount ? "names and lanes" : "names";
  const search = element("input", {
    type: "search",
    className: "tl-search",
    placeholder: `search ${searched}`,
    aria: { label: `Search ${searched}` },
  });
  const found = element("span", { className: "tl-found", aria: { role: "status" } });
  const help = element("div", { className: "tl-help", hidden: true }, list(keys));
  const helper = tool("?", "Keys", () => {
    help.hidden = !help.hidden;
    helper.setAttribute("aria-expanded", String(!help.hidden));
  });
  helper.setAttribute("aria-expanded", "false");
  const steps = element("span", { className: "tl-group", hidden: true }, tool("‹", "Previous result", () => act("previous")), tool("›", "Next result", () => act("next")));
  const status = element("span", { className: "tl-status", aria: { role: "status" } });
  const head = element(
    "div",
    { className: "tl-head" },
    element("span", { className: "tl-title", text: timeline.title }),
    element("span", { className: "tl-summary", text: timeline.summary }),
    status,
    element(
      "span",
      { className: "tl-tools" },
      ...tools,
      element("span", { className: "tl-group" }, search, steps, found),
      element(
        "span",
        { className: "tl-group" },
        tool("−", "Zoom out", () => act("out")),
        tool("+", "Zoom in", () => act("in")),
        tool("all", "Show everything", () => act("all")),
        helper,
      ),
    ),
  );
  const corner = element("div", { className: "tl-corner" });
  const ruler = element("canvas", { className: "tl-ruler", aria: { hidden: "true" } });
  ruler.style.height = `${RULER}px`;
  const labels = element("div", { className: "tl-labels", aria: { role: "group", label: "Lanes" } });
  const base = element("canvas", { aria: { hidden: "true" } });
  const over = element("canvas", { aria: { hidden: "true" } });
  const tip = element("div", { className: "tl-tip", hidden: true, aria: { hidden: "true" } });
  const stage = element(
    "div",
    {
      className: "tl-stage",
      tabIndex: 0,
      aria: { role: "application", roledescription: timeline.kind === "flame" ? "flame graph" : "timeline", label: `${timeline.title}. ${timeline.summary}. Arrow keys go from slice to slice, W A S D zoom and move, question mark lists all keys.` },
    },
    base,
    over,
  );
  const sheet = element("div", { className: "tl-sheet" }, labels, stage);
  const scroll = element("div", { className: "tl-scroll", tabIndex: -1 }, sheet);
  const grip = element("div", {
    className: "tl-grip",
    tabIndex: 0,
    title: "drag to change the height",
    aria: { role: "separator", orientation: "horizontal", label: "Height" },
  });
  const split = element("div", {
    className: "tl-split",
    tabIndex: 0,
    title: "drag to change the width of the labels",
    aria: { role: "separator", orientation: "vertical", label: "Width of the labels" },
  });
  const panel = element("div", { className: "tl-panel", hidden: true });
  const live = element("div", { className: "tl-live", aria: { live: "polite", atomic: "true" } });
  const body = element("div", { className: "tl-body" }, element("div", { className: "tl-top" }, corner, split, ruler), scroll, tip);
  const root = element("div", { className: `tl-root tl-${timeline.kind}` }, head, help, ...(legend ? [legend] : []), body, grip, panel, live);
  return { root, search, found, steps, status, help, helper, corner, ruler, labels, base, over, tip, stage, sheet, scroll, grip, split, panel, live, body };
}

/** @typedef {ReturnType<typeof frame>} Parts */

/** @param {[string, string][]} keys */
const list = (keys) =>
  element("dl", {}, ...keys.map(([key, does]) => element("div", {}, element("dt", { text: key }), element("dd", { text: does }))));

/** What a lane's button says. @param {Placed} placed */
function spoken({ lane, label, collapsed, gap }) {
  if (gap) {
    return `${label}: show ${gap.count > PAGE ? `${PAGE} of them` : "them"}, or search for one by name or number`;
  }
  if (!lane) {
    return `${label}, group of lanes`;
  }
  const some = lane.kind === "counter" ? "counter" : `${lane.events.toLocaleString("en-US")} event${lane.events === 1 ? "" : "s"}`;
  const levels = lane.levels > 1 ? `, ${lane.levels} levels` : "";
  return `${label}, ${some}${levels}${collapsed ? ", collapsed" : ""}`;
}

/**
 * Shortens labels that do not fit their place in the font of `node`, each as little as possible. Labels that begin alike stay different:
 * `control: annotations of thread 40711`.
 *
 * @param {HTMLElement} node
 * @param {Placed[]} placed
 * @param {number} width of labels and what is beside them, in pixels
 * @returns {Map<string, string>} the short labels, by the whole ones
 */
function fitted(node, placed, width) {
  const pen = document.createElement("canvas").getContext("2d");
  if (!pen) {
    return elideApart(placed.map(({ label }) => label), FEWEST_CHARS);
  }
  const { font } = styleOf(node);
  pen.font = font.replace(/[\d.]+px/, MOST_SIZE);
  const beside = (/** @type {string} */ most) => BESIDE_LABEL + (most ? BESIDE_MOST + pen.measureText(most).width : 0);
  const rooms = new Map(placed.map((part) => [part.label, width - beside(mostOf(part))]));
  pen.font = font;
  const fits = (/** @type {string} */ text, /** @type {string} */ label) => pen.measureText(text).width <= (rooms.get(label) ?? 0);
  /** @type {Map<string, string>} */
  const short = new Map();
  let long = [...rooms.keys()].filter((label) => !fits(label, label));
  for (let most = Math.max(Math.floor(width / CHAR), FEWEST_CHARS); long.length > 0; most -= 1) {
    const tried = elideApart(long, most);
    tried.forEach((text, label) => (fits(text, label) || most === FEWEST_CHARS) && short.set(label, text));
    long = long.filter((label) => !short.has(label));
  }
  return short;
}

/**
 * Draws the labels of lanes between two heights: buttons that collapse them, of which Tab reaches one, `active` or the first.
 *
 * @param {HTMLElement} node
 * @param {Layout} layout
 * @param {{ toggle: (key: string) => void, active: string, width: number, from: number, to: number }} options
 */
export function drawLabels(node, { placed: all }, { toggle, active, width, from, to }) {
  const placed = all.filter(({ key, top, height }) => (top < to && top + height > from) || key === active);
  const focused = node.contains(document.activeElement) ? /** @type {HTMLElement} */ (document.activeElement).dataset.key : undefined;
  const reached = placed.some(({ key }) => key === active) ? active : placed[0]?.key;
  const short = fitted(node, placed, width);
  const made = placed.map((part) => {
    const label = element("span", { className: "tl-name", text: short.get(part.label) ?? part.label });
    const lane = button(undefined, () => toggle(part.key), {
      className: `tl-lane tl-lane-${part.kind}${part.collapsed ? " tl-closed" : ""}`,
      title: spoken(part),
      tabIndex: part.key === reached ? 0 : -1,
      aria: { label: spoken(part), ...(part.gap ? {} : { expanded: String(!part.collapsed) }) },
    });
    lane.dataset.key = part.key;
    lane.append(element("span", { className: "tl-twist", text: part.gap ? "+" : part.collapsed ? "▸" : "▾", aria: { hidden: "true" } }), label);
    const most = mostOf(part);
    if (most) {
      lane.append(element("span", { className: "tl-most", text: most }));
    }
    lane.style.top = `${part.lane ? part.top - 2 : part.top}px`;
    lane.style.height = `${part.lane ? part.height + 4 : part.height}px`;
    return lane;
  });
  node.replaceChildren(...made);
  if (focused !== undefined) {
    made.find(({ dataset }) => dataset.key === focused)?.focus({ preventScroll: true });
  }
}

// @ts-check
// Reads the JSON of a flame graph as a timeline of one lane, whose rows are the depths of stacks and whose times are their widths.

import { changeMeaning } from "./timeline-colour.js";
import { writeCount, writeExact, writeShort } from "./timeline-scale.js";
import { slicesOf } from "./timeline-slices.js";
import { MOST_LEVELS, columnsOf } from "./timeline-wire.js";

/**
 * @import { Flame as Sent, Packed } from "../types/timeline"
 * @import { Lane, Place, Tile, Timeline } from "../types/timeline-view"
 * @typedef {ReturnType<typeof columnsOf>} Boxes
 * @typedef {"left-heavy" | "time"} Order
 */

/** What widths are. */
const WIDTHS = { cpu: "CPU time", gpu: "GPU time", attributed: "attributed time" };

/** Returns the boxes of a layout as slices of lane 0. @param {Boxes} boxes @param {number} levels @returns {Tile} */
export function boxesTile({ start = new Float64Array(), dur = start, depth, name, change }, levels) {
  const end = new Float64Array(start.length);
  for (let at = 0; at < end.length; at += 1) {
    end[at] = start[at] + Math.max(dur[at], 0);
  }
  const rows = Array.from(start, (_, at) => at);
  const slices = slicesOf({ start, end, row: depth, name, id: rows, change }, levels);
  return { from: 0, to: Infinity, level: 0, lanes: new Map([[0, slices]]) };
}

/** Returns how much of a whole a part is. @param {number} part @param {number} whole */
const share = (part, whole) => (whole > 0 ? `${((100 * part) / whole).toFixed(part / whole < 0.0995 ? 2 : 1)} %` : "—");

/**
 * Reads a flame graph. `use` returns the tile of an order, whose boxes `facts` then describes.
 *
 * @param {Sent} sent
 */
export function readFlame(sent) {
  if (sent?.version !== 1 || !sent.layouts || !Array.isArray(sent.names)) {
    throw new Error("a newer version of Tracebook wrote it");
  }
  const read = (/** @type {Packed[] | undefined} */ packed) => columnsOf(packed ?? []);
  /** @type {Record<Order, Boxes>} */
  const layouts = { "left-heavy": read(sent.layouts["left-heavy"]), time: read(sent.layouts.time) };
  /** @type {Order} */
  let order = "left-heavy";
  if (!Array.isArray(sent.total) || !sent.total.every(Number.isFinite) || !Array.isArray(sent.sides)) {
    throw new Error("its total is not a number");
  }
  const deepest = Object.values(layouts).reduce((most, { depth }) => Array.from(depth ?? []).reduce((a, b) => Math.max(a, b), most), 0);
  if (!(deepest < MOST_LEVELS)) {
    throw new Error(`it has ${deepest} levels`);
  }
  // Outputs of older versions have no width: there it is the sum of both sides.
  const whole = Number.isFinite(sent.width) ? Number(sent.width) : sent.total.reduce((sum, total) => sum + total, 0);
  const two = sent.sides.length > 1;
  /** @type {(place: Place) => [string, string][]} */
  const facts = ({ event }) => {
    const box = layouts[order];
    const value = (/** @type {string} */ name) => box[name]?.[event] ?? 0;
    const [dur, self] = [value("dur"), value("self")];
    /** @type {[string, string][]} */
    const pairs = [];
    if (two) {
      const [control, test] = [value("control"), value("test")];
      const [first, last] = sent.sides.map(String);
      const difference = test - control;
      pairs.push(
        [first, `${writeExact(control)}, ${share(control, sent.total[0])} of it`],
        [last, `${writeExact(test)}, ${share(test, sent.total[1])} of it`],
        ["difference", `${difference > 0 ? "▲ +" : difference < 0 ? "▼ " : ""}${writeShort(difference)}${control > 0 ? `, ${difference > 0 ? "+" : "−"}${share(Math.abs(difference), control)}` : ""}`],
        ["change", changeMeaning(value("change"), [{ label: first }, { label: last }])],
      );
    } else {
      pairs.push([WIDTHS[sent.by] ?? "width", `${writeExact(dur)}, ${share(dur, whole)} of all`]);
    }
    const up = value("parent");
    if (up >= 0 && box.dur?.[up]) {
      pairs.push(["of its caller", share(dur, box.dur[up])]);
    }
    pairs.push(["self", `${writeExact(self)}, ${share(self, dur)} of it`], ["count", writeCount(value("count"))]);
    return pairs;
  };
  const use = (/** @type {Order} */ wanted) => {
    order = wanted;
    return boxesTile(layouts[wanted], deepest + 1);
  };
  /** @type {Lane} */
  const lane = {
    id: 0,
    side: 0,
    kind: "thread",
    label: "stacks",
    rank: 0,
    levels: deepest + 1,
    events: layouts["left-heavy"].start?.length ?? 0,
    group: "",
  };
  const bounds = { from: 0, to: Math.max(whole, 1) };
  /** @type {Timeline} */
  const timeline = {
    kind: "flame",
    title: String(sent.title ?? ""),
    summary: String(sent.summary ?? ""),
    lanes: [lane],
    laneCount: 1,
    bounds,
    shown: bounds,
    tile: use("left-heavy"),
    names: { text: sent.names.map(String) },
    sides: sent.sides.map((label) => ({ label: String(label), base: "0" })),
    open: null,
    facts,
  };
  return { timeline, use };
}

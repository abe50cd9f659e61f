// @ts-check
// Places of lanes and rows.

import { PITCH, between, groupKey, laneKey, layOut, placedAt, rowAt } from "/static/timeline-layout.js";

import { equal, ok } from "./assert.js";

/** @import { Lane } from "../../../labextension/types/timeline-view" */

/** @param {number} id @param {Partial<Lane>} [more] @returns {Lane} */
const lane = (id, more = {}) => ({ id, side: 0, kind: "stream", label: `lane ${id}`, rank: 0, levels: 1, events: 1, group: "", ...more });

export function lanes_are_below_each_other() {
  const { placed, height } = layOut([lane(0, { levels: 3 }), lane(1), lane(2, { kind: "counter" })], new Set());
  equal(placed.map(({ height: high }) => high), [3 * PITCH, PITCH, 40]);
  ok(placed.every(({ top }, at) => at === 0 || top >= placed[at - 1].top + placed[at - 1].height), "no overlap");
  ok(height >= placed[2].top + 40, "all fit");
}

export function missing_lanes_are_counted_where_they_are() {
  const lanes = [lane(1), lane(2), lane(1500, { group: "test", side: 1 })];
  const placed = (/** @type {Set<string>} */ collapsed) => layOut(lanes, collapsed, 1503).placed.map(({ label, gap }) => [label, gap?.from ?? -1, gap?.count ?? 0]);
  const all = [["1 more lane", 0, 1], ["lane 1", -1, 0], ["lane 2", -1, 0], ["1,497 more lanes", 3, 1497], ["test", -1, 0], ["lane 1500", -1, 0], ["2 more lanes", 1501, 2]];
  equal(placed(new Set()), all);
  equal(placed(new Set([groupKey(lanes[2])])), all.slice(0, 5));
  const { placed: parts, height } = layOut(lanes, new Set(), 1503);
  ok(parts.every(({ top }, at) => at === 0 || top >= parts[at - 1].top + parts[at - 1].height), "no overlap");
  ok(height >= parts[6].top + parts[6].height, "all fit");
}

export function rows_are_found_by_height() {
  const layout = layOut([lane(0, { levels: 3 }), lane(1)], new Set());
  const first = layout.placed[0];
  equal(placedAt(layout, first.top + PITCH * 2.5)?.lane?.id, 0);
  equal([0.1, 1.5, 2.9, 9].map((rows) => rowAt(first, first.top + rows * PITCH)), [0, 1, 2, 2]);
  equal(placedAt(layout, layout.placed[1].top + 1)?.lane?.id, 1);
  equal(placedAt(layout, layout.height + 50), null);
}

export function collapsed_lane_keeps_its_rows() {
  const { placed } = layOut([lane(0, { levels: 4 })], new Set([laneKey(lane(0))]));
  equal([placed[0].height, placed[0].pitch, placed[0].collapsed], [16, 4, true]);
}

export function collapsed_group_hides_its_lanes() {
  const lanes = [lane(0, { group: "control" }), lane(1, { group: "control" }), lane(2, { group: "test", side: 1 })];
  equal(layOut(lanes, new Set()).placed.map(({ label }) => label), ["control", "lane 0", "lane 1", "test", "lane 2"]);
  equal(layOut(lanes, new Set([groupKey(lanes[0])])).placed.map(({ label }) => label), ["control", "test", "lane 2"]);
}

export function groups_of_the_kernel_hold_lanes_of_both_sides() {
  const both = (/** @type {number} */ id, /** @type {string} */ group) => lane(id, { group, side: id % 2, ofBoth: true });
  const lanes = [both(0, "GPU"), both(1, "GPU"), both(2, "CPU threads"), both(3, "CPU threads")];
  const labels = (/** @type {Set<string>} */ collapsed) => layOut(lanes, collapsed).placed.map(({ label }) => label);
  equal(labels(new Set()), ["GPU", "lane 0", "lane 1", "CPU threads", "lane 2", "lane 3"]);
  equal(labels(new Set([groupKey(lanes[3])])), ["GPU", "lane 0", "lane 1", "CPU threads"]);
}

export function lanes_in_sight_are_those_between() {
  const layout = layOut([lane(0), lane(1), lane(2)], new Set());
  equal(between(layout, layout.placed[1].top, layout.placed[1].top + 2).map(({ label }) => label), ["lane 1"]);
}

// @ts-check
// Flame graphs as lanes.

import { readFlame } from "/static/flame-read.js";

import { coverage } from "/static/timeline-source.js";

import { equal, ok } from "./assert.js";
import { flame } from "./flame-samples.js";

export async function sample_of_the_kernel_is_a_lane_of_depths() {
  const { timeline, use } = readFlame(await (await fetch("/units/flame.json")).json());
  const slices = timeline.tile.lanes.get(0);
  equal([timeline.lanes[0].levels, slices?.length, [...(slices?.first ?? [])]], [4, 4, [0, 1, 2, 3, 4]]);
  equal(timeline.bounds, { from: 0, to: 100_000 });
  equal(use("time").lanes.get(0)?.length, 7);
}

export async function box_says_its_share_of_all_and_of_its_caller() {
  const { timeline } = readFlame(await (await fetch("/units/flame.json")).json());
  const facts = timeline.facts?.({ lane: 0, row: 2, start: 0, end: 58_000, event: 2, name: "aten::addmm" });
  equal(facts, [
    ["CPU time", "58 µs, 58.0 % of all"],
    ["of its caller", "82.9 %"],
    ["self", "51 µs, 87.9 % of it"],
    ["count", "2"],
  ]);
}

export function boxes_inside_of_others_are_covered_once() {
  const box = (/** @type {number} */ start, /** @type {number} */ end) => ({ lane: 0, row: 0, start, end, event: 0, name: "" });
  equal(coverage([box(0, 50), box(10, 20), box(60, 70)], 100), "60.0 %");
}

export function vanished_stacks_keep_their_width() {
  const { timeline } = readFlame(flame(300, true));
  const slices = timeline.tile.lanes.get(0);
  const deleted = [...(slices?.change ?? [])].flatMap((change, at) => (change === 2 && slices ? [slices.end[at] - slices.start[at]] : []));
  ok(deleted.length > 5 && Math.max(...deleted) > 1000, `${deleted.length} vanished`);
}

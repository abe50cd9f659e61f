// @ts-check
// Slices of a lane: order, search by time, sums.

import { firstAfter, markedSlices, rowRange, sameSlice, sliceAt, slicesOf, sumUp } from "/static/timeline-slices.js";

import { equal } from "./assert.js";

/** @import { Lane } from "../../../labextension/types/timeline-view" */

/** Row 0: 0–10, 10–20, 40–41; row 1: 5–30, which overlaps. */
const two = () => slicesOf({ start: [40, 5, 10, 0], end: [41, 30, 20, 10], row: [0, 1, 0, 0], name: [2, 1, 0, 0], id: [3, 2, 1, 0] }, 2);

/** @type {Lane} */
const LANE = { id: 0, side: 0, kind: "stream", label: "stream 7", rank: 0, levels: 2, events: 4, group: "" };

export function slices_are_sorted_by_row_and_start() {
  const slices = two();
  equal([...slices.start], [0, 10, 40, 5]);
  equal([...slices.first], [0, 3, 4]);
  equal([rowRange(slices, 0), rowRange(slices, 1), rowRange(slices, 7)], [[0, 3], [3, 4], [4, 4]]);
}

export function overlapping_kernels_are_both_hit() {
  const slices = two();
  equal([sliceAt(slices, 0, 15, 0), sliceAt(slices, 1, 15, 0)].map((at) => slices.id[at]), [1, 2]);
}

export function nearest_slice_within_the_slack_is_hit() {
  const slices = two();
  equal(sliceAt(slices, 0, 25, 2), -1);
  equal(slices.id[sliceAt(slices, 0, 38, 3)], 3);
  equal(slices.id[sliceAt(slices, 0, 10, 0)], 1);
}

export function event_without_duration_is_hit() {
  const slices = slicesOf({ start: [5, 9], end: [5, 9] }, 1);
  equal([sliceAt(slices, 0, 5.4, 1), sliceAt(slices, 0, 8.8, 1), sliceAt(slices, 0, 7, 1)], [0, 1, -1]);
}

export function long_slice_before_short_ones_is_found() {
  const slices = slicesOf({ start: [0, 1, 3], end: [100, 2, 4] }, 1);
  equal(firstAfter(slices, 0, 3, 50), 0);
  equal(sliceAt(slices, 0, 50, 0), 0);
}

export function same_slice_is_found_again() {
  equal([sameSlice(two(), 0, 10, 20), sameSlice(two(), 1, 5, 30), sameSlice(two(), 0, 10, 21)], [1, 3, -1]);
}

export function sums_are_clipped_to_the_selection() {
  const tile = { from: 0, to: 50, level: 0, lanes: new Map([[0, two()]]) };
  const { rows, count, total, partial } = sumUp(tile, { from: 5, to: 15, lanes: [0] }, { text: ["a", "b", "c"] });
  equal(rows, [{ name: "a", count: 2, total: 10 }, { name: "b", count: 1, total: 10 }]);
  equal([count, total, partial], [3, 20, false]);
}

export function found_slices_are_in_the_order_of_time() {
  const tile = { from: 0, to: 50, level: 0, lanes: new Map([[0, two()]]) };
  equal(markedSlices(tile, Uint8Array.of(1, 1, 0), [LANE]).map(({ slices, index }) => slices.start[index]), [0, 5, 10]);
}

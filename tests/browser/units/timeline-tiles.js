// @ts-check
// Views that are drawn, asked for and kept.

import { slicesOf } from "/static/timeline-slices.js";
import { Tiles } from "/static/timeline-tiles.js";
import { readTimeline } from "/static/timeline-wire.js";

import { equal, ok } from "./assert.js";
import { bundle, trace } from "./timeline-samples.js";

/** @import { Slices, Source, Window } from "../../../labextension/types/timeline-view" */

/** A kernel whose views have one slice per lane, and what it was asked for. */
function answering() {
  /** @type {{ window: Window, lanes: number[] }[]} */
  const asked = [];
  const source = /** @type {Source} */ (
    /** @type {unknown} */ ({
      live: true,
      view: async (/** @type {Window} */ window, /** @type {number[]} */ lanes) => {
        asked.push({ window, lanes });
        const slices = () => slicesOf({ start: [window.from], end: [window.to] }, 1);
        return { ...window, lanes: new Map(lanes.map((lane) => [lane, slices()])) };
      },
    })
  );
  return { asked, source };
}

/** @param {number} events @param {(slices: Iterable<Slices>) => void} [released] */
function tiles(events, released = () => {}) {
  const timeline = readTimeline(/** @type {any} */ (bundle(trace(events), 200)));
  return { timeline, made: new Tiles(timeline, { changed: () => {}, waiting: () => {}, released, failed: () => {} }) };
}

export async function complete_output_asks_for_nothing() {
  const timeline = readTimeline(/** @type {any} */ (bundle(trace(200), 1e9)));
  const made = new Tiles(timeline, { changed: () => {}, waiting: () => {}, released: () => {}, failed: () => {} });
  const { asked, source } = answering();
  await made.want(source, { from: 100, to: 200 }, 100, [0]);
  equal(asked, []);
}

export async function zoom_asks_for_three_screens_of_lanes_in_sight() {
  const { made } = tiles(100_000);
  const { asked, source } = answering();
  const span = { from: 1e6, to: 1.1e6 };
  await made.want(source, span, 1000, [1, 2]);
  equal([asked.length, asked[0].lanes], [1, [1, 2]]);
  ok(asked[0].window.from <= span.from - 1e5 && asked[0].window.to >= span.to + 1e5, "three screens");
  await made.want(source, { from: 1.02e6, to: 1.12e6 }, 1000, [1, 2]);
  equal(asked.length, 1);
  await made.want(source, span, 1000, [1, 2, 3]);
  equal([asked.length, asked[1].lanes], [2, [3]]);
  await made.want(source, { from: 3e6, to: 3.1e6 }, 1000, [1, 2]);
  equal(asked.length, 3);
}

export async function finer_view_is_drawn_beside_the_embedded_one() {
  const { made } = tiles(100_000);
  const { source } = answering();
  equal(made.of(1, { from: 1e6, to: 1.1e6 }).length, 1);
  await made.want(source, { from: 1e6, to: 1.1e6 }, 1000, [1]);
  const [finer] = made.of(1, { from: 1e6, to: 1.1e6 });
  equal(finer.slices.length, 1);
  const parts = made.of(1, { from: 0, to: 10e6 });
  equal(parts.length, 3);
  equal([parts[0].clip.to, parts[2].clip.from], [parts[1].clip.from, parts[1].clip.to]);
  equal(parts[0].slices === made.base.lanes.get(1), true);
}

export async function few_windows_are_kept_and_the_others_given_back() {
  let released = 0;
  const { made } = tiles(1_000_000, (slices) => (released += [...slices].length));
  const { source, asked } = answering();
  for (let at = 0; at < 30; at += 1) {
    await made.want(source, { from: at * 2e7, to: at * 2e7 + 1e5 }, 1000, [1, 2]);
  }
  equal([asked.length, made.kept.length, released], [30, 5, 50]);
}

// @ts-check
// Pixels of slices, colours, labels.

import { CHANGES, Colours, barInk, changeColour, hash, luminance, palette, slot } from "/static/timeline-colour.js";
import { splitTimes } from "/static/timeline-gl.js";
import { fillLine } from "/static/timeline-raster.js";
import { slicesOf } from "/static/timeline-slices.js";
import { startsOf } from "/static/timeline-source.js";
import { brief } from "/static/timeline-text.js";

import { equal, ok } from "./assert.js";

/** @param {number[]} start @param {number[]} end */
const strip = (start, end) => ({
  slices: slicesOf({ start, end }, 1),
  colours: Uint32Array.from(start, (_, at) => at + 1),
  top: 0,
  pitch: 1,
  bar: 1,
  rows: 1,
  clip: { from: 0, to: 100 },
});

export function short_slice_is_a_pixel_and_neighbours_have_a_gap() {
  const line = new Uint32Array(12);
  fillLine(line, strip([0, 5, 10], [5, 10, 10.01]), 0, 1, 0);
  equal([...line], [1, 1, 1, 1, 0, 2, 2, 2, 2, 0, 3, 0]);
}

export function slices_outside_are_cut_off() {
  const line = new Uint32Array(4);
  fillLine(line, strip([-50, 102, 150], [2, 200, 160]), 0, 1, 100);
  equal([...line], [0, 0, 2, 2]);
}

export function nanoseconds_of_a_long_trace_survive_float32() {
  const spans = splitTimes(slicesOf({ start: [86_400_000_000_123], end: [86_400_000_000_124] }, 1));
  equal([spans[0] + spans[1], spans[2] + spans[3]], [86_400_000_000_123, 86_400_000_000_124]);
}

export function text_on_bars_has_contrast() {
  for (const dark of [false, true]) {
    const ink = dark ? 1 : luminance([20, 20, 20]);
    const colours = [...palette(dark), ...CHANGES.map((_, change) => changeColour(change, dark))];
    const least = Math.min(...colours.map(luminance).map((paper) => (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05)));
    ok(least >= 4.5, `contrast ${least} (${barInk(dark)})`);
  }
}

export function numbers_in_names_keep_the_colour() {
  equal(slot("ProfilerStep#12"), slot("ProfilerStep#7"));
  ok(hash("aten::mm") !== hash("aten::add"), "other names have other colours");
}

export function search_fades_other_names() {
  const colours = new Colours({ text: ["a", "b"] }, false, "name");
  const slices = slicesOf({ start: [0, 1], end: [1, 2], name: [0, 1] }, 1);
  const alphas = (/** @type {number} */ lane) => [...colours.slices(slices, 0, lane)].map((colour) => colour >>> 24);
  colours.mark({ names: Uint8Array.of(1, 0), starts: new Map() });
  equal(alphas(3), [255, 62]);
  equal([colours.isMarked(0, 3, 0), colours.isMarked(1, 3, 1)], [true, false]);
  // The second slice of lane 3 was found by its operator.
  colours.mark({ names: Uint8Array.of(0, 0), starts: startsOf([{ lane: 3, start: 1 }, { lane: 3, start: 5 }]) });
  equal(alphas(3), [62, 255]);
  equal([colours.isMarked(0, 3, 0), colours.isMarked(1, 3, 1), colours.isMarked(1, 4, 1)], [false, true, false]);
  colours.mark(null);
  equal(alphas(3), [255, 255]);
}

export function short_slices_are_as_pale_as_their_pixel_is_idle() {
  const colours = new Colours({ text: ["a"] }, false, "name");
  const slices = slicesOf({ start: [0, 8, 16, 40], end: [1, 16, 17, 41], time: [1, 8, 4, 1], count: [1, 1, 4, 1] }, 1);
  const alphas = (/** @type {number} */ level) => [...colours.slices(slices, level, 0)].map((colour) => colour >>> 24);
  // An eighth of the first window of 8 ns, all of the second, half of the third.
  equal(alphas(3), [0.125, 1, 0.5, 0.125].map((share) => Math.round(255 * (0.3 + 0.7 * share))));
  equal(alphas(0), [255, 255, 255, 255]);
  // 13 of the first 32 ns.
  equal(alphas(5), [13, 13, 13, 1].map((time) => Math.round(255 * (0.3 + (0.7 * time) / 32))));
}

export function kernels_are_called_by_what_tells_them_apart() {
  const names = {
    "aten::linear": "aten::linear",
    "void at::native::gemm<float>(int)": "gemm<float>",
    "void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor<float>>(int)": "vectorized_elementwise_kernel",
    "ncclDevKernel_AllReduce(ncclDevKernelArgs)": "ncclDevKernel_AllReduce",
    "Memcpy DtoH (Device -> Pinned)": "Memcpy DtoH",
    "<script>alert(1)</script>": "<script>alert(1)</script>",
  };
  equal(Object.keys(names).map(brief), Object.values(names));
}

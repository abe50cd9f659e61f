// @ts-check
// Zoom, pan, windows, the ruler and how times are written.

import { clamped, covers, levelOf, marks, nearsEnd, panned, windowOf, writeExact, writeShort, zoomed } from "/static/timeline-scale.js";

import { equal, ok } from "./assert.js";

const BOUNDS = { from: 0, to: 1_000_000 };

export function zoom_keeps_the_time_under_the_pointer() {
  const span = { from: 200_000, to: 600_000 };
  const near = zoomed(span, 0.5, 300_000, BOUNDS);
  equal(near, { from: 250_000, to: 450_000 });
  equal((300_000 - near.from) / (near.to - near.from), 0.25);
}

export function zoom_ends_at_the_whole_and_at_20_ns() {
  equal(zoomed({ from: 0, to: 900_000 }, 100, 450_000, BOUNDS), { from: -10_000, to: 1_010_000 });
  const near = zoomed({ from: 500_000, to: 500_100 }, 0.001, 500_050, BOUNDS);
  equal(near.to - near.from, 20);
}

export function pan_stops_at_the_ends() {
  equal(panned({ from: 0, to: 100_000 }, -3, BOUNDS), { from: -10_000, to: 90_000 });
  equal(panned({ from: 0, to: 100_000 }, 0.5, BOUNDS), { from: 50_000, to: 150_000 });
  equal(clamped({ from: 990_000, to: 1_090_000 }, BOUNDS), { from: 910_000, to: 1_010_000 });
}

export function level_is_a_window_of_at_most_a_pixel() {
  equal([0, 0.3, 1, 1.9, 2, 1000].map(levelOf), [0, 0, 0, 0, 1, 9]);
}

export function window_is_three_screens_and_shared_by_neighbours() {
  const bounds = { from: 0, to: 1e9 };
  const one = windowOf({ from: 5e6, to: 6e6 }, 1000, bounds);
  ok(one.from <= 4e6 && one.to >= 7e6 && one.to - one.from < 5e6, `${one.from} ${one.to}`);
  equal(one.level, 9);
  equal(windowOf({ from: 5.05e6, to: 6.05e6 }, 1000, bounds), one);
  ok(covers(one, { from: 4.2e6, to: 6.8e6 }, bounds), "covers");
  ok(!nearsEnd(one, { from: 5e6, to: 6e6 }, bounds), "there is half a screen on both sides");
  ok(nearsEnd(one, { from: 4.1e6, to: 5.1e6 }, bounds), "left end is near");
}

export function end_of_the_timeline_is_no_missing_end() {
  ok(covers({ from: 0, to: 1e6 }, { from: -10_000, to: 500 }, BOUNDS), "nothing is before the first event");
  ok(!nearsEnd({ from: 0, to: 1e6 }, { from: 0, to: 1e6 }, BOUNDS), "nor behind the last");
}

export function exact_times_have_all_digits() {
  const times = [0, 7, 999, 1000, 12_345, 1_234_567, 1_000_000, 61_234_567_890, 1_234_567_890_123_456];
  const written = ["0 ns", "7 ns", "999 ns", "1 µs", "12.345 µs", "1.234567 ms", "1 ms", "61.23456789 s", "1,234,567.890123456 s"];
  equal(times.map(writeExact), written);
  equal(writeExact(-12_345), "−12.345 µs");
}

export function short_times_have_three_digits() {
  equal([5, 999, 12_345, 99_960, 1_234_567, 2e10].map(writeShort), ["5 ns", "999 ns", "12.3 µs", "100 µs", "1.23 ms", "20.0 s"]);
}

export function marks_are_round_and_apart() {
  const { marks: all, step, base } = marks({ from: 0, to: 1e6 }, 1000);
  equal([step, base], [100_000, 0]);
  equal(all.slice(0, 3).map(({ label }) => label), ["0 µs", "100 µs", "200 µs"]);
}

export function marks_far_from_zero_are_relative() {
  const { marks: all, base } = marks({ from: 1_234_567_000, to: 1_234_567_900 }, 900);
  equal(base, 1_234_567_000);
  equal(all.slice(0, 3).map(({ label }) => label), ["+0 ns", "+100 ns", "+200 ns"]);
}

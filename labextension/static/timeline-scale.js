// @ts-check
// Spans of time on the screen: zoom, pan, the windows to ask for, the marks of the ruler, and how times are written.

/** @import { Span, Window } from "../types/timeline-view" */

/** The shortest span on the screen, in nanoseconds. */
const LEAST = 20;
/** The room before the first and after the last event, as a share of the whole. */
const MARGIN = 0.01;
/** The least distance of two marks of the ruler, in pixels. */
const MARK_ROOM = 84;

/** @param {Span} span */
export const width = ({ from, to }) => to - from;

/** Moves and shortens a span so that it shows something. @param {Span} span @param {Span} bounds @returns {Span} */
export function clamped(span, bounds) {
  const margin = Math.max(width(bounds) * MARGIN, 1);
  const [first, last] = [bounds.from - margin, bounds.to + margin];
  const size = Math.min(Math.max(width(span), Math.min(LEAST, last - first)), last - first);
  const from = Math.min(Math.max(span.from, first), last - size);
  return { from, to: from + size };
}

/** Zooms around the time `at`, which keeps its place; a factor above 1 shows more. @param {Span} span @param {number} factor @param {number} at @param {Span} bounds */
export function zoomed(span, factor, at, bounds) {
  const margin = Math.max(width(bounds) * MARGIN, 1);
  const size = Math.min(Math.max(width(span) * factor, LEAST), width(bounds) + 2 * margin);
  const share = (at - span.from) / (width(span) || 1);
  return clamped({ from: at - share * size, to: at + (1 - share) * size }, bounds);
}

/** Moves a span by a share of its width. @param {Span} span @param {number} share @param {Span} bounds */
export function panned(span, share, bounds) {
  const by = share * width(span);
  return clamped({ from: span.from + by, to: span.to + by }, bounds);
}

/** Returns the level of a zoom: 2^level nanoseconds are at most a pixel. @param {number} perPixel */
export const levelOf = (perPixel) => Math.max(0, Math.floor(Math.log2(Math.max(perPixel, 1))));

/**
 * Returns the window to ask for: three screens around the span, whose ends are multiples of a power of two so that neighbouring
 * spans share windows.
 *
 * @param {Span} span
 * @param {number} pixels
 * @param {Span} bounds
 * @returns {Window}
 */
export function windowOf(span, pixels, bounds) {
  const size = width(span);
  const step = 2 ** Math.max(0, Math.ceil(Math.log2(size)) - 1);
  const from = Math.floor((span.from - size) / step) * step;
  const to = Math.ceil((span.to + size) / step) * step;
  return {
    from: Math.max(from, bounds.from),
    to: Math.min(to, bounds.to),
    level: levelOf(size / Math.max(pixels, 1)),
  };
}

/** Whether a window contains all of a span that is within the bounds. @param {Span} window @param {Span} span @param {Span} bounds */
export const covers = (window, span, bounds) =>
  window.from <= Math.max(span.from, bounds.from) && window.to >= Math.min(span.to, bounds.to);

/** Whether the end of a window is nearer than half a screen. @param {Span} window @param {Span} span @param {Span} bounds */
export function nearsEnd(window, span, bounds) {
  const more = width(span) / 2;
  return !covers(window, { from: span.from - more, to: span.to + more }, bounds);
}

/** @type {[number, string][]} */
const UNITS = [
  [1e9, "s"],
  [1e6, "ms"],
  [1e3, "µs"],
  [1, "ns"],
];

/** Separates the thousands of a number's digits. @param {number} whole */
const grouped = (whole) => whole.toLocaleString("en-US", { maximumFractionDigits: 0 });

/** Writes whole nanoseconds in the unit that fits, with all digits: `12.345 µs`. @param {number} ns */
export function writeExact(ns) {
  const sign = ns < 0 ? "−" : "";
  const size = Math.round(Math.abs(ns));
  const [unit, name] = UNITS.find(([unit]) => size >= unit) ?? UNITS[3];
  const fraction = String(size % unit).padStart(Math.log10(unit), "0").replace(/0+$/, "");
  return `${sign}${grouped(Math.floor(size / unit))}${unit > 1 && fraction ? `.${fraction}` : ""} ${name}`;
}

/** Writes nanoseconds with three digits: `12.3 µs`. @param {number} ns */
export function writeShort(ns) {
  const sign = ns < 0 ? "−" : "";
  const size = Math.abs(ns);
  const [unit, name] = UNITS.find(([unit]) => size >= 0.9995 * unit) ?? UNITS[3];
  const value = size / unit;
  const text = value >= 99.95 || unit === 1 ? grouped(Math.round(value)) : value.toFixed(value >= 9.995 ? 1 : 2);
  return `${sign}${text} ${name}`;
}

/** Writes a value without a unit of time. @param {number} value */
export const writeCount = (value) => value.toLocaleString("en-US", { maximumFractionDigits: 3 });

/** Returns the least 1, 2 or 5 times a power of ten that is not below a number. @param {number} least */
export function round125(least) {
  const power = 10 ** Math.floor(Math.log10(least));
  return ([1, 2, 5, 10].find((digit) => digit * power >= least * 0.999999) ?? 10) * power;
}

/**
 * Returns the marks of the ruler. Where times have many digits, `base` is what all labels are relative to.
 *
 * @param {Span} span
 * @param {number} pixels
 * @param {"ns" | "count"} [kind]
 */
export function marks(span, pixels, kind = "ns") {
  const size = width(span);
  const step = Math.max(round125((size / Math.max(pixels, 1)) * MARK_ROOM), kind === "ns" ? 1 : 1e-9);
  const first = Math.ceil(span.from / step - 1e-9);
  const last = Math.floor(span.to / step + 1e-9);
  const [unit, name] = UNITS.find(([unit]) => step >= unit) ?? UNITS[3];
  const far = kind === "ns" && unit < 1e9 && Math.abs(span.to) >= 1e4 * unit;
  const base = far ? Math.floor(span.from / (1e3 * unit)) * 1e3 * unit : 0;
  const write = (/** @type {number} */ time) =>
    kind === "ns" ? `${far ? "+" : ""}${grouped(Math.round((time - base) / unit)).replace("-", "−")} ${name}` : writeCount(time);
  return {
    step,
    base,
    marks: Array.from({ length: Math.max(0, Math.min(last - first + 1, 400)) }, (_, at) => {
      const time = (first + at) * step;
      return { time, label: write(time) };
    }),
  };
}

// @ts-check
// Text on slices, and the areas of counters, by Canvas 2D.

import { firstAfter, rowRange } from "./timeline-slices.js";

/** @import { Names, Span, Strip } from "../types/timeline-view" */

/** Slices that are narrower have no text. */
const LEAST_WIDTH = 26;
const PADDING = 4;
const MOST_KNOWN = 20_000;

/**
 * Shortens the name of a kernel to what tells it from others: `void at::native::gemm<float>(int)` becomes `gemm<float>`; that of a frame
 * of Python begins with its function: `nn/linear.py(12): forward` becomes `forward, linear.py(12)`.
 *
 * @param {string} name
 */
export function brief(name) {
  const frame = /([^/\\]*\.py\(\d+\)): (.+)$/.exec(name);
  if (frame) {
    return `${frame[2]}, ${frame[1]}`;
  }
  if (!/^void |[<(].*[>)]/.test(name)) {
    return name;
  }
  const plain = name.replace(/^void /, "").replace(/\(anonymous namespace\)::/g, "");
  const open = plain.search(/[<(]/);
  const head = open < 0 ? plain : plain.slice(0, open);
  const last = head.split("::").at(-1)?.trim();
  const inner = plain[open] === "<" ? (/^<[^<>()]{1,24}>/.exec(plain.slice(open))?.[0] ?? "") : "";
  return last ? last + inner : name;
}

/** Writes names that fit; measures each name once. */
export class Labels {
  /** @param {Names} names */
  constructor(names) {
    this.names = names;
    /** @type {Map<string, number>} */
    this.widths = new Map();
    /** @type {string[]} */
    this.briefs = [];
    this.font = "";
  }

  /** Returns the width of a text. @param {CanvasRenderingContext2D} context @param {string} text */
  width(context, text) {
    const known = this.widths.get(text);
    if (known !== undefined) {
      return known;
    }
    if (this.widths.size > MOST_KNOWN) {
      this.widths.clear();
    }
    const width = context.measureText(text).width;
    this.widths.set(text, width);
    return width;
  }

  /** Returns as much of a text as fits, with its width. @param {CanvasRenderingContext2D} context @param {string} text @param {number} room @returns {[string, number]} */
  fitted(context, text, room) {
    const width = this.width(context, text);
    if (width <= room) {
      return [text, width];
    }
    let kept = Math.floor(((room - this.width(context, "…")) / width) * text.length);
    // Letters differ in width.
    for (; kept >= 2; kept -= 1) {
      const short = `${text.slice(0, kept)}…`;
      const wide = this.width(context, short);
      if (wide <= room) {
        return [short, wide];
      }
    }
    return ["", 0];
  }

  /**
   * Writes the names of a strip's slices.
   *
   * @param {CanvasRenderingContext2D} context
   * @param {Pick<Strip, "slices" | "top" | "pitch" | "rows" | "clip">} strip
   * @param {Span} span
   * @param {number} width of the page's part, in CSS pixels
   * @param {number} height
   */
  write(context, { slices, top, pitch, rows, clip }, span, width, height, isMarked = /** @type {(name: number, start: number) => boolean} */ (() => true)) {
    if (pitch < 12) {
      return;
    }
    const scale = width / (span.to - span.from);
    for (let row = 0; row < rows; row += 1) {
      const middle = top + row * pitch + (pitch - 1) / 2 + 0.5;
      if (middle < -pitch || middle > height + pitch) {
        continue;
      }
      const [low, high] = rowRange(slices, row);
      const until = Math.min(span.to, clip.to);
      for (let at = firstAfter(slices, low, high, Math.max(span.from, clip.from)); at < high && slices.start[at] < until; at += 1) {
        const left = Math.max((slices.start[at] - span.from) * scale, 0);
        const right = Math.min((slices.end[at] - span.from) * scale, width);
        if (right - left < LEAST_WIDTH) {
          continue;
        }
        const name = slices.name[at];
        this.briefs[name] ??= brief(this.names.text[name] ?? "");
        const room = right - left - 2 * PADDING;
        const [text, wide] = this.fitted(context, this.briefs[name], room);
        if (text) {
          context.globalAlpha = isMarked(name, slices.start[at]) ? 1 : 0.4;
          context.fillText(text, left + PADDING + Math.max((room - wide) / 2, 0), middle);
        }
      }
    }
    context.globalAlpha = 1;
  }
}

/**
 * Marks, behind the slices, the windows in which more events start than are listed, and writes how many.
 *
 * @param {CanvasRenderingContext2D} context
 * @param {Pick<Strip, "slices" | "top" | "pitch" | "bar" | "rows" | "clip">} strip
 * @param {{ span: Span, width: number, window: number, ink: string }} options `window`: its length in nanoseconds
 */
export function countedWindows(context, { slices, top, pitch, bar, rows, clip }, { span, width, window, ink }) {
  context.fillStyle = ink;
  const scale = width / (span.to - span.from);
  if (window * scale < 4) {
    return;
  }
  for (let row = 0; row < rows; row += 1) {
    const [low, high] = rowRange(slices, row);
    const from = Math.max(span.from, clip.from) - window;
    const until = Math.min(span.to, clip.to);
    for (let at = firstAfter(slices, low, high, from); at < high && slices.start[at] < until; at += 1) {
      const begin = Math.floor(slices.start[at] / window) * window;
      if (slices.count[at] < 2 || slices.start[at] < from) {
        continue;
      }
      const [left, right] = [(begin - span.from) * scale, (begin + window - span.from) * scale];
      const end = (slices.end[at] - span.from) * scale;
      if (pitch >= 12 && right - end > 60) {
        context.globalAlpha = 0.75;
        context.fillText(`${slices.count[at] - 1} more`, end + PADDING, top + row * pitch + pitch / 2);
      }
      context.globalAlpha = 0.13;
      context.fillRect(left, top + row * pitch, Math.max(right - left - 1, 1), bar);
    }
  }
  context.globalAlpha = 1;
}

/**
 * Draws the samples of a counter as an area. Of several samples in a pixel, the highest is drawn.
 *
 * @param {CanvasRenderingContext2D} context
 * @param {Pick<Strip, "slices" | "top" | "clip">} strip
 * @param {{ span: Span, width: number, height: number, most: number, fill: string, line: string }} options
 */
export function area(context, { slices, top, clip }, { span, width, height, most, fill, line }) {
  const values = slices.value;
  if (!values || !slices.length || !(most > 0)) {
    return;
  }
  const scale = width / (span.to - span.from);
  const first = Math.max(0, (clip.from - span.from) * scale);
  const last = Math.min(width, (clip.to - span.from) * scale);
  const bottom = top + height;
  const heights = new Float32Array(Math.ceil(width) + 1);
  for (let at = firstAfter(slices, 0, slices.length, span.from); at < slices.length && slices.start[at] < span.to; at += 1) {
    const from = Math.max(Math.floor((slices.start[at] - span.from) * scale), 0);
    const to = Math.min(Math.max(Math.round((slices.end[at] - span.from) * scale), from + 1), heights.length);
    const value = Math.min(Math.max(values[at] / most, 0), 1) * (height - 2);
    for (let x = from; x < to; x += 1) {
      heights[x] = Math.max(heights[x], value);
    }
  }
  context.beginPath();
  context.moveTo(first, bottom);
  for (let x = Math.floor(first); x < last; x += 1) {
    context.lineTo(x, bottom - heights[x]);
    context.lineTo(x + 1, bottom - heights[x]);
  }
  context.lineTo(last, bottom);
  context.fillStyle = fill;
  context.fill();
  context.strokeStyle = line;
  context.lineWidth = 1;
  context.stroke();
}

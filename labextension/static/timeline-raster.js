// @ts-check
// Draws slices without WebGL: fills the pixels of each row once, copies the row as often as it is high, and puts the picture on a
// Canvas 2D. Its cost is that of slices and pixels, and it needs no path per slice.

import { firstAfter, rowRange } from "./timeline-slices.js";

/** @import { Backend, Frame, Strip } from "../types/timeline-view" */

/**
 * Fills the pixels of one row.
 *
 * @param {Uint32Array} line
 * @param {Strip} strip
 * @param {number} row
 * @param {number} scale pixels per nanosecond
 * @param {number} from the time of the first pixel
 * @param {number} [first] the first pixel to fill
 * @param {number} [last] the pixel behind the last to fill
 */
export function fillLine(line, { slices, colours }, row, scale, from, first = 0, last = line.length) {
  const [low, high] = rowRange(slices, row);
  const { start, end } = slices;
  const until = from + last / scale;
  for (let at = firstAfter(slices, low, high, from + (first - 1) / scale); at < high && start[at] < until; at += 1) {
    const left = Math.round((start[at] - from) * scale);
    let right = Math.max(Math.round((end[at] - from) * scale), left + 1);
    // A gap tells neighbours of one colour apart.
    right -= right - left > 3 ? 1 : 0;
    if (right > first) {
      line.fill(colours[at], Math.max(left, first), Math.min(right, last));
    }
  }
}

/** Creates the backend. @returns {Backend} */
export function rasterBackend() {
  /** @type {ImageData | null} */
  let image = null;
  let line = new Uint32Array(0);
  return {
    name: "canvas",
    draw(context, { width, height, span, strips }) {
      if (image?.width !== width || image.height !== height) {
        image = new ImageData(width, height);
        line = new Uint32Array(width);
      }
      const pixels = new Uint32Array(image.data.buffer);
      pixels.fill(0);
      const scale = width / (span.to - span.from);
      for (const strip of strips) {
        const first = Math.max(0, Math.round((strip.clip.from - span.from) * scale));
        const last = Math.min(width, Math.round((strip.clip.to - span.from) * scale));
        for (let row = 0; row < strip.rows && first < last; row += 1) {
          const top = Math.max(Math.round(strip.top + row * strip.pitch), 0);
          const bottom = Math.min(Math.max(Math.round(strip.top + row * strip.pitch + strip.bar), top + 1), height);
          if (top >= bottom || top >= height) {
            continue;
          }
          line.fill(0, first, last);
          fillLine(line, strip, row, scale, span.from, first, last);
          const part = line.subarray(first, last);
          for (let y = top; y < bottom; y += 1) {
            pixels.set(part, y * width + first);
          }
        }
      }
      context.putImageData(image, 0, 0);
      return true;
    },
    release() {
      image = null;
    },
  };
}

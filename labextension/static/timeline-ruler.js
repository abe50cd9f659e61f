// @ts-check
// The ruler above the lanes, and above it a bar that shows which part of the whole is in sight.

import { marks, writeExact } from "./timeline-scale.js";

/**
 * @import { Span } from "../types/timeline-view"
 * @import { Theme } from "./timeline-colour.js"
 */

/** The heights of the bar and of the whole, in pixels. */
export const BAR = 8;
export const RULER = 30;

/**
 * Draws the ruler; returns the time that all its labels are relative to, as text.
 *
 * @param {CanvasRenderingContext2D} context
 * @param {{ span: Span, bounds: Span, width: number, theme: Theme, selection: Span | null }} options
 */
export function drawRuler(context, { span, bounds, width, theme, selection }) {
  context.clearRect(0, 0, width, RULER);
  const all = bounds.to - bounds.from || 1;
  const place = (/** @type {number} */ time) => Math.min(Math.max(((time - bounds.from) / all) * width, 0), width);
  context.fillStyle = theme.line;
  context.fillRect(0, 2, width, BAR - 4);
  const [left, right] = [place(span.from), place(span.to)];
  context.fillStyle = theme.accent;
  context.fillRect(Math.min(left, width - 4), 1, Math.max(right - left, 4), BAR - 2);
  const { marks: shown, base } = marks(span, width);
  const scale = width / (span.to - span.from);
  if (selection) {
    context.globalAlpha = 0.25;
    context.fillRect((selection.from - span.from) * scale, BAR, (selection.to - selection.from) * scale, RULER - BAR);
    context.globalAlpha = 1;
  }
  context.font = `11px ${theme.family}`;
  context.textBaseline = "middle";
  context.textAlign = "left";
  for (const { time, label } of shown) {
    const x = Math.round((time - span.from) * scale) + 0.5;
    context.fillStyle = theme.line;
    context.fillRect(x - 0.5, BAR + 3, 1, RULER - BAR - 3);
    context.fillStyle = theme.faint;
    if (x + 4 + context.measureText(label).width > width) {
      continue;
    }
    context.fillText(label, x + 4, BAR + (RULER - BAR) / 2 + 1);
  }
  return base ? `${writeExact(base)} +` : "";
}

/**
 * Draws the lines of the ruler below what is on the canvas.
 *
 * @param {CanvasRenderingContext2D} context
 * @param {{ span: Span, width: number, height: number, theme: Theme }} options
 */
export function drawGrid(context, { span, width, height, theme }) {
  const scale = width / (span.to - span.from);
  context.fillStyle = theme.line;
  context.globalAlpha = 0.6;
  for (const { time } of marks(span, width).marks) {
    context.fillRect(Math.round((time - span.from) * scale), 0, 1, height);
  }
  context.globalAlpha = 1;
}

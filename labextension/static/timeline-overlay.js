// @ts-check
// Drawing above the slices: the outlines of the slice under the pointer and of the chosen one, arrows, and the selected span.

import { writeExact } from "./timeline-scale.js";

/**
 * @import { Arrow, Layout, Place, Selection, Span } from "../types/timeline-view"
 * @import { Theme } from "./timeline-colour.js"
 * @typedef {{ span: Span, layout: Layout, scrolled: number, width: number, height: number, theme: Theme }} Ground
 */

/** Returns the box of an event on the page; of a hidden lane, on the title of its group. @param {Ground} ground @param {{ lane: number, row: number, start: number, end: number }} place */
export function boxOf({ span, layout, scrolled, width }, { lane, row, start, end }) {
  const scale = width / (span.to - span.from);
  const placed = layout.byLane.get(lane);
  if (!placed) {
    return null;
  }
  const left = (start - span.from) * scale;
  return {
    left,
    width: Math.max((end - start) * scale, 1),
    top: placed.top - scrolled + row * placed.pitch,
    height: placed.lane?.kind === "counter" ? placed.height : placed.bar || placed.height,
  };
}

/** @param {CanvasRenderingContext2D} context @param {Ground} ground @param {Place} place @param {string} colour @param {number} thick */
function outline(context, ground, place, colour, thick) {
  const box = boxOf(ground, place);
  if (!box) {
    return;
  }
  const left = Math.max(box.left, -thick);
  const right = Math.min(box.left + box.width, ground.width + thick);
  context.strokeStyle = colour;
  context.lineWidth = thick;
  context.strokeRect(left - thick / 2, box.top - thick / 2, Math.max(right - left, 1) + thick, box.height + thick);
}

/** Draws a curve between two events, with an arrowhead. @param {CanvasRenderingContext2D} context @param {Ground} ground @param {Arrow} arrow @param {string} colour */
function drawArrow(context, ground, { kind, from, to }, colour) {
  const [first, last] = [boxOf(ground, from), boxOf(ground, to)];
  if (!first || !last) {
    return;
  }
  const [x0, y0] = [first.left + (kind === "launch" ? first.width / 2 : first.width), first.top + first.height / 2];
  const [x1, y1] = [last.left, last.top + last.height / 2];
  const bend = Math.max(Math.min(Math.abs(x1 - x0) / 2, 160), 24);
  context.strokeStyle = colour;
  context.fillStyle = colour;
  context.lineWidth = 1.75;
  context.setLineDash(kind === "launch" ? [] : [6, 3]);
  context.beginPath();
  context.moveTo(x0, y0);
  context.bezierCurveTo(x0 + bend, y0, x1 - bend, y1, x1 - 5, y1);
  context.stroke();
  context.setLineDash([]);
  context.beginPath();
  context.moveTo(x1, y1);
  context.lineTo(x1 - 8, y1 - 4.5);
  context.lineTo(x1 - 8, y1 + 4.5);
  context.fill();
}

/** Shades all but the selected span of the selected lanes, and writes how long it is. @param {CanvasRenderingContext2D} context @param {Ground} ground @param {Selection} selection */
function drawSelection(context, ground, selection) {
  const { span, width, height, theme, layout, scrolled } = ground;
  const scale = width / (span.to - span.from);
  const left = (selection.from - span.from) * scale;
  const right = (selection.to - span.from) * scale;
  const chosen = layout.placed.filter(({ lane }) => lane && selection.lanes.includes(lane.id));
  const top = Math.max(Math.min(...chosen.map((part) => part.top - scrolled)), 0);
  const bottom = Math.min(Math.max(...chosen.map((part) => part.top + part.height - scrolled)), height);
  context.fillStyle = theme.accent;
  context.globalAlpha = 0.14;
  context.fillRect(left, top, Math.max(right - left, 1), bottom - top);
  context.globalAlpha = 1;
  context.strokeStyle = theme.accent;
  context.lineWidth = 1;
  context.strokeRect(Math.round(left) + 0.5, top + 0.5, Math.max(Math.round(right - left), 1), bottom - top - 1);
  const text = writeExact(selection.to - selection.from);
  context.font = `600 12px ${theme.family}`;
  context.textBaseline = "middle";
  context.textAlign = "center";
  const room = context.measureText(text).width + 12;
  const middle = Math.min(Math.max((Math.max(left, 0) + Math.min(right, width)) / 2, room / 2), width - room / 2);
  context.fillStyle = theme.paper;
  context.fillRect(middle - room / 2, top + 3, room, 20);
  context.strokeRect(middle - room / 2 + 0.5, top + 3.5, room - 1, 19);
  context.fillStyle = theme.ink;
  context.fillText(text, middle, top + 13.5);
}

/**
 * Draws all that is above the slices.
 *
 * @param {CanvasRenderingContext2D} context
 * @param {Ground} ground
 * @param {{ hover: Place | null, cursor: Place | null, arrows: Arrow[], selection: Selection | null, found: Place[], at: number | null }} parts
 */
export function drawOverlay(context, ground, { hover, cursor, arrows, selection, found, at }) {
  const { span, width, height, theme } = ground;
  context.clearRect(0, 0, width, height);
  const scale = width / (span.to - span.from);
  if (at !== null) {
    context.fillStyle = theme.faint;
    context.globalAlpha = 0.5;
    context.fillRect(Math.round((at - span.from) * scale), 0, 1, height);
    context.globalAlpha = 1;
  }
  for (const place of found) {
    if (place.end > span.from && place.start < span.to) {
      outline(context, ground, place, theme.ink, 1);
    }
  }
  if (selection) {
    drawSelection(context, ground, selection);
  }
  // The caller of a call is above it.
  const drawn = arrows.filter(({ kind }) => kind !== "call");
  drawn.forEach((arrow) => drawArrow(context, ground, arrow, arrow.kind === "launch" ? theme.accent : theme.ink));
  if (hover) {
    outline(context, ground, hover, theme.ink, 1.5);
  }
  if (cursor) {
    outline(context, ground, cursor, theme.accent, 2.5);
    // A slice of one pixel would be lost without it.
    const box = boxOf(ground, cursor);
    if (box && box.width < 12) {
      context.fillStyle = theme.accent;
      context.beginPath();
      const middle = box.left + box.width / 2;
      context.moveTo(middle, box.top - 3);
      context.lineTo(middle - 5, box.top - 11);
      context.lineTo(middle + 5, box.top - 11);
      context.fill();
    }
  }
}

// @ts-check
// Draws the lanes in sight: slices by the backend, behind them where events are only counted, lines and stripes, above them text and
// counters.

import { barInk } from "./timeline-colour.js";
import { drawGrid } from "./timeline-ruler.js";
import { levelOf } from "./timeline-scale.js";
import { area, countedWindows } from "./timeline-text.js";

/**
 * @import { Frame, Placed, Strip } from "../types/timeline-view"
 * @import { TimelineView } from "./timeline-view.js"
 */

/** Draws the lanes in sight. @param {CanvasRenderingContext2D} context @param {TimelineView} view */
export function drawLanes(context, view) {
  const { width, height, theme, state } = view;
  const { span, scrolled } = state;
  const seen = view.inSight();
  context.save();
  context.setTransform(1, 0, 0, 1, 0, 0);
  const frame = frameOf(context.canvas, view, seen);
  view.drawn = view.backend.name;
  if (!view.backend.draw(context, frame)) {
    view.drawn = view.raster.name;
    view.raster.draw(context, frame);
  }
  context.restore();
  context.font = `11px ${theme.family}`;
  context.textBaseline = "middle";
  context.textAlign = "left";
  context.globalCompositeOperation = "destination-over";
  drawCounted(context, view, seen);
  drawGrid(context, { span, width, height, theme });
  context.fillStyle = theme.stripe;
  for (const part of seen) {
    context.fillRect(0, part.top - scrolled, width, part.height);
  }
  context.globalCompositeOperation = "source-over";
  drawText(context, view, seen);
}

/** Returns what the backend draws. @param {HTMLCanvasElement} canvas @param {TimelineView} view @param {Placed[]} seen @returns {Frame} */
function frameOf({ width, height }, view, seen) {
  const { span, scrolled } = view.state;
  const ratio = width / view.width;
  // Boxes of a flame graph add up anyway.
  const level = view.timeline.kind === "flame" ? 0 : levelOf((span.to - span.from) / width);
  /** @type {Strip[]} */
  const strips = [];
  for (const { lane, top, pitch, bar } of seen) {
    for (const { slices, clip } of lane && lane.kind !== "counter" ? view.tiles.of(lane.id, span) : []) {
      strips.push({
        slices,
        clip,
        colours: view.colours.slices(slices, level, lane?.id ?? -1),
        top: (top - scrolled) * ratio,
        pitch: pitch * ratio,
        bar: bar * ratio,
        rows: lane?.levels ?? 1,
      });
    }
  }
  return { width, height, span, strips };
}

/** Marks where events are counted, not listed: before the kernel has answered, or without a kernel. @param {CanvasRenderingContext2D} context @param {TimelineView} view @param {Placed[]} seen */
function drawCounted(context, { tiles, state, theme, width }, seen) {
  const { span, scrolled } = state;
  for (const { lane, top, pitch, bar } of seen) {
    for (const { slices, clip, level } of lane && lane.kind !== "counter" ? tiles.of(lane.id, span) : []) {
      const strip = { slices, clip, pitch, bar, top: top - scrolled, rows: lane?.levels ?? 1 };
      countedWindows(context, strip, { span, width, window: 2 ** level, ink: theme.faint });
    }
  }
}

/** Writes names, and draws counters. @param {CanvasRenderingContext2D} context @param {TimelineView} view @param {Placed[]} seen */
function drawText(context, { labels, colours, tiles, theme, state, width, height }, seen) {
  const { span, scrolled } = state;
  if (labels.font !== context.font) {
    labels.font = context.font;
    labels.widths.clear();
  }
  const [fill, line] = theme.dark ? ["rgba(90, 150, 230, .45)", "#6ea6ee"] : ["rgba(59, 125, 216, .32)", "#3b7dd8"];
  for (const { lane, top, pitch, height: high } of seen) {
    for (const { slices, clip } of lane ? tiles.of(lane.id, span) : []) {
      const strip = { slices, clip, top: top - scrolled, pitch, rows: lane?.levels ?? 1 };
      if (lane?.kind === "counter") {
        area(context, strip, { span, width, height: high, most: lane.max ?? 0, fill, line });
      } else {
        context.fillStyle = barInk(theme.dark);
        labels.write(context, strip, span, width, height, (name, start) => colours.isMarked(name, lane?.id ?? -1, start));
      }
    }
  }
}

// @ts-check
// The views that have arrived: which of them to draw, which to ask for, and which to give back. There is always something to draw:
// the embedded view covers the whole timeline.

import { covers, levelOf, nearsEnd, windowOf } from "./timeline-scale.js";

/** @import { Lane, Slices, Source, Span, Tile, Timeline, Window } from "../types/timeline-view" */
/**
 * The views of one window: the lanes that were asked for, and the level, which the kernel may have answered with another.
 *
 * @typedef {Window & { lanes: Map<number, Slices>, asked: Set<number>, wanted: number }} Entry
 */

/** As many windows are kept. */
const MOST_KEPT = 5;

export class Tiles {
  /**
   * @param {Timeline} timeline
   * @param {{ changed: () => void, waiting: (waiting: boolean) => void, released: (slices: Iterable<Slices>) => void, failed: (reason: string) => void }} events
   */
  constructor({ tile, bounds, lanes }, events) {
    /** The embedded view. @type {Tile} */
    this.base = tile;
    this.bounds = bounds;
    this.events = events;
    /** The latest last. @type {Entry[]} */
    this.kept = [];
    this.waiting = 0;
    this.complete = tile.level === 0 && covers(tile, bounds, bounds) && lanes.every(({ id, events: some }) => tile.lanes.has(id) || !some);
  }

  /** Notes that lanes were added, which the embedded view does not have. @param {Lane[]} lanes */
  added(lanes) {
    this.complete &&= lanes.every(({ id, events }) => this.base.lanes.has(id) || !events);
  }

  /** Replaces all views by one. @param {Tile} tile */
  replace(tile) {
    this.events.released(this.everything());
    this.base = tile;
    this.kept = [];
  }

  *everything() {
    yield* this.base.lanes.values();
    for (const { lanes } of this.kept) {
      yield* lanes.values();
    }
  }

  /**
   * Returns what to draw of a lane: slices, the part of the span that each covers, and their level.
   *
   * @param {number} lane
   * @param {Span} span
   * @returns {{ slices: Slices, clip: Span, level: number }[]}
   */
  of(lane, span) {
    const whole = { from: -Infinity, to: Infinity };
    const base = this.base.lanes.get(lane);
    const { level } = this.base;
    const having = this.kept.filter(({ lanes }) => lanes.has(lane));
    const full = having.filter((entry) => covers(entry, span, this.bounds)).sort((a, b) => a.level - b.level)[0];
    if (full && !(base && this.base.level <= full.level && covers(this.base, span, this.bounds))) {
      return [{ slices: /** @type {Slices} */ (full.lanes.get(lane)), clip: whole, level: full.level }];
    }
    const shared = (/** @type {Span} */ entry) => Math.min(entry.to, span.to) - Math.max(entry.from, span.from);
    const part = having
      .filter((entry) => shared(entry) > 0 && entry.level < this.base.level)
      .sort((a, b) => shared(b) - shared(a) || a.level - b.level)[0];
    const finer = part?.lanes.get(lane);
    if (!finer || full) {
      return base ? [{ slices: base, clip: whole, level }] : [];
    }
    const inner = { slices: finer, clip: { from: part.from, to: part.to }, level: part.level };
    return base
      ? [{ slices: base, clip: { from: -Infinity, to: part.from }, level }, inner, { slices: base, clip: { from: part.to, to: Infinity }, level }]
      : [inner];
  }

  /** Returns the slices of a lane in the middle of a span. @param {number} lane @param {Span} span */
  at(lane, span) {
    const middle = (span.from + span.to) / 2;
    return this.of(lane, span).find(({ clip }) => clip.from <= middle && middle < clip.to)?.slices;
  }

  /** Returns what is drawn of a lane at a time. @param {number} lane @param {Span} span @param {number} time */
  partAt(lane, span, time) {
    return this.of(lane, span).find(({ clip }) => clip.from <= time && time < clip.to);
  }

  /** Returns the slices of a lane at a time. @param {number} lane @param {Span} span @param {number} time */
  slicesAt(lane, span, time) {
    return this.partAt(lane, span, time)?.slices;
  }

  /**
   * Asks for what is missing: a view of three screens, with the lanes in sight. One request at a time.
   *
   * @param {Source} source
   * @param {Span} span
   * @param {number} pixels
   * @param {number[]} lanes those in sight
   */
  async want(source, span, pixels, lanes) {
    if (this.complete || !source.live || this.waiting) {
      return;
    }
    const wanted = levelOf((span.to - span.from) / Math.max(pixels, 1));
    const good = this.kept.findLast((entry) => entry.wanted <= wanted && !nearsEnd(entry, span, this.bounds));
    const missing = lanes.filter((lane) => !good?.asked.has(lane));
    const { base } = this;
    if (!missing.length || (base.level <= wanted && covers(base, span, this.bounds) && missing.every((lane) => base.lanes.has(lane)))) {
      return;
    }
    const window = good ? { from: good.from, to: good.to, level: good.wanted } : windowOf(span, pixels, this.bounds);
    await this.ask(source, window, good ?? null, missing);
  }

  /** @param {Source} source @param {Window} window @param {Entry | null} entry @param {number[]} missing */
  async ask(source, window, entry, missing) {
    this.waiting += 1;
    this.events.waiting(true);
    try {
      const columns = Math.max(1, Math.floor((window.to - window.from) / 2 ** window.level));
      const tile = await source.view(window, missing, columns);
      if (!tile) {
        return;
      }
      const fresh = { ...window, level: tile.level, wanted: window.level, lanes: new Map(), asked: new Set() };
      const kept = entry && this.kept.includes(entry) ? entry : fresh;
      for (const [lane, slices] of tile.lanes) {
        kept.lanes.set(lane, slices);
      }
      missing.forEach((lane) => kept.asked.add(lane));
      this.keep(kept);
    } catch (error) {
      this.events.failed(error instanceof Error ? error.message : String(error));
      return;
    } finally {
      this.waiting -= 1;
      this.events.waiting(this.waiting > 0);
    }
    this.events.changed();
  }

  /** @param {Entry} entry */
  keep(entry) {
    this.kept = [...this.kept.filter((other) => other !== entry), entry];
    while (this.kept.length > MOST_KEPT) {
      this.events.released(this.kept.shift()?.lanes.values() ?? []);
    }
  }
}

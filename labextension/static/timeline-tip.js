// @ts-check
// The box beside the pointer: name, start and duration of a slice, and its arguments from the kernel once the pointer rests.

import { element } from "./element.js";
import { laneOf } from "./timeline-lane-list.js";
import { factsOf } from "./timeline-panel.js";

/**
 * @import { Details, Hit } from "../types/timeline-view"
 * @import { Chosen } from "./timeline-cursor.js"
 * @import { TimelineView } from "./timeline-view.js"
 */

/** How long the pointer rests before the kernel is asked, in milliseconds. */
const REST_MS = 120;
/** As many arguments are in the box; all are in the panel of a chosen slice. */
const MOST_ARGS = 16;
const MOST_CHARS = 160;
/** As many answers are kept. */
const MOST_KNOWN = 200;

/** Cuts a long text. @param {string} text @param {number} most */
export const cut = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

export class Tip {
  /** @param {TimelineView} view */
  constructor(view) {
    this.view = view;
    this.timer = 0;
    this.key = "";
    /** @type {Map<string, Details>} */
    this.known = new Map();
  }

  /** Shows a slice beside a point, or nothing. @param {Hit | null} hit @param {Chosen | null} place @param {{ x: number, y: number } | null} point */
  show(hit, place, point) {
    const { tip } = this.view.parts;
    if (!hit || !place || !point) {
      clearTimeout(this.timer);
      this.key = "";
      tip.hidden = true;
      return;
    }
    const key = `${place.lane} ${place.row} ${place.start} ${place.end}`;
    if (key !== this.key) {
      clearTimeout(this.timer);
      this.key = key;
      this.fill(place, this.known.get(key) ?? null);
      if (this.view.source.live && !this.known.has(key) && place.event >= 0 && place.value === undefined) {
        this.timer = window.setTimeout(() => this.ask(hit, place, key), REST_MS);
      }
    }
    tip.hidden = false;
    this.move(point);
  }

  /** @param {Hit} hit @param {Chosen} place @param {string} key */
  async ask(hit, place, key) {
    const details = await this.view.source.details(hit).catch(() => null);
    if (details) {
      if (this.known.size >= MOST_KNOWN) {
        this.known.clear();
      }
      this.known.set(key, details);
      if (this.key === key && !this.view.disposed) {
        this.fill(place, details);
      }
    }
  }

  /** @param {Chosen} place @param {Details | null} details */
  fill(place, details) {
    const lane = laneOf(this.view.timeline.lanes, place.lane);
    const args = details?.args ?? [];
    const facts = [...(lane ? factsOf(place, lane, this.view.timeline) : []), ...args.slice(0, MOST_ARGS)];
    const rows = facts.flatMap(([name, value]) => [element("dt", { text: name }), element("dd", { text: cut(value, MOST_CHARS) })]);
    const more = args.length > MOST_ARGS ? [element("div", { className: "tl-faint", text: `${args.length - MOST_ARGS} more: click` })] : [];
    this.view.parts.tip.replaceChildren(element("div", { className: "tl-tip-name", text: cut(details?.name ?? place.name, 400) }), element("dl", {}, ...rows), ...more);
  }

  /** Places the box where it covers neither the pointer nor the edge. @param {{ x: number, y: number }} point */
  move({ x, y }) {
    const { tip, body, stage } = this.view.parts;
    const [box, around, place] = [tip.getBoundingClientRect(), body.getBoundingClientRect(), stage.getBoundingClientRect()];
    const [left, top] = [place.left - around.left + x, place.top - around.top + y];
    const after = left + 16 + box.width <= body.clientWidth;
    tip.style.left = `${Math.max(after ? left + 16 : left - 12 - box.width, 0)}px`;
    const below = around.top + top + 18 + box.height <= window.innerHeight;
    tip.style.top = `${below ? top + 18 : top - 12 - box.height}px`;
  }

  dispose() {
    clearTimeout(this.timer);
    this.known.clear();
  }
}

// @ts-check
// The target of the pointer and of clicks: the slice under the pointer, the chosen slice with its arrows, the selected span, results of
// a search.

import { laneOf } from "./timeline-lane-list.js";
import { placedAt, rowAt } from "./timeline-layout.js";
import { Panel, countText, spokenPlace } from "./timeline-panel.js";
import { width, writeExact } from "./timeline-scale.js";
import { countedAt, firstAfter, rowRange, sameSlice, sliceAt, slicesOf } from "./timeline-slices.js";
import { namesWith, startsOf } from "./timeline-source.js";
import { Tip } from "./timeline-tip.js";

/**
 * @import { Arrow, Hit, Lane, Place, SearchResult, Selection } from "../types/timeline-view"
 * @import { TimelineView } from "./timeline-view.js"
 */

/** How far from a slice the pointer may be, in pixels. */
const SLACK = 3;
/** As many results of a search are outlined at once. */
const MOST_OUTLINED = 400;

/** Returns the place of a slice. @param {Hit} hit @param {string[]} names @returns {Place & { count: number, value?: number, change: number }} */
export const placeOf = ({ lane, row, slices, index }, names) => ({
  lane: lane.id,
  row,
  start: slices.start[index],
  end: slices.end[index],
  event: slices.id[index],
  name: slices.value ? lane.label : (names[slices.name[index]] ?? ""),
  count: slices.count[index],
  value: slices.value?.[index],
  change: slices.change?.[index] ?? 0,
});

/** @typedef {ReturnType<typeof placeOf>} Chosen */

export class Cursor {
  /** @param {TimelineView} view */
  constructor(view) {
    this.view = view;
    this.panel = new Panel(view);
    this.tip = new Tip(view);
    /** The lane whose label Tab reaches. */
    this.lane = "";
    /** @type {Chosen | null} */
    this.hovered = null;
    /** @type {Chosen | null} */
    this.place = null;
    /** @type {Arrow[]} */
    this.arrows = [];
    /** @type {Selection | null} */
    this.selection = null;
    /** Where a measurement began. @type {Place | null} */
    this.mark = null;
    /** @type {SearchResult | null} */
    this.found = null;
    this.foundAt = -1;
    this.text = "";
    this.knownNames = 0;
    /** The time under the pointer. @type {number | null} */
    this.at = null;
    /** How often slices and spans were chosen, and how often names were searched: late answers to earlier ones do not count. */
    this.asked = 0;
    this.searches = 0;
    this.searching = 0;
    const { search } = view.parts;
    search.addEventListener("input", () => {
      clearTimeout(this.searching);
      this.searching = window.setTimeout(() => this.search(search.value), 180);
    });
  }

  /** What the overlay draws. */
  drawn() {
    const found = this.found && this.found.found.length <= MOST_OUTLINED ? this.found.found : [];
    return { hover: this.hovered, cursor: this.place, arrows: this.arrows, selection: this.selection, found, at: this.at };
  }

  /** Returns the slice at a pixel of the stage. @param {number} x @param {number} y @returns {Hit | null} */
  hitAt(x, y) {
    const { view } = this;
    const placed = placedAt(view.layout, y + view.state.scrolled);
    if (!placed?.lane) {
      return null;
    }
    const row = rowAt(placed, y + view.state.scrolled);
    const time = view.timeAt(x);
    const slack = (SLACK / view.width) * width(view.state.span);
    const part = view.tiles.partAt(placed.lane.id, view.state.span, time);
    if (!part) {
      return null;
    }
    const { slices, level } = part;
    const near = sliceAt(slices, row, time, slack);
    // Where events are only counted, the longest of them answers.
    const index = near < 0 && !slices.value ? countedAt(slices, row, time, 2 ** level) : near;
    return index >= 0 ? { lane: placed.lane, row, slices, index } : null;
  }

  /** Points at a slice. @param {Hit | null} hit @param {{ x: number, y: number } | null} [point] */
  hover(hit, point = null) {
    this.hovered = hit && placeOf(hit, this.view.timeline.names.text);
    this.at = point ? this.view.timeAt(point.x) : null;
    // The panel has all that is known of the chosen slice, and the box would cover what is around it.
    const { hovered, place } = this;
    const chosen = hovered && place && hovered.lane === place.lane && hovered.row === place.row && hovered.start === place.start;
    this.tip.show(chosen ? null : hit, hovered, point);
    this.view.drawOverlay();
  }

  /** Returns the hit of a place, if its slice has arrived. @param {Place} place @returns {Hit | null} */
  hitOf(place) {
    const { view } = this;
    const lane = laneOf(view.timeline.lanes, place.lane);
    const slices = lane && view.tiles.slicesAt(lane.id, view.state.span, place.start);
    const index = slices ? sameSlice(slices, place.row, place.start, place.end) : -1;
    return lane && slices && index >= 0 ? { lane, row: place.row, slices, index } : null;
  }

  /** Chooses a slice: shows its details and arrows, and tells screen readers. @param {Chosen | null} place @param {Hit | null} [hit] */
  async choose(place, hit = place && this.hitOf(place)) {
    const { view } = this;
    this.place = place;
    this.arrows = [];
    this.asked += 1;
    const asked = this.asked;
    this.tip.show(null, null, null);
    view.drawOverlay();
    if (!place) {
      this.panel.clear();
      return;
    }
    const lane = laneOf(view.timeline.lanes, place.lane);
    if (!lane) {
      return;
    }
    place.name ||= hit ? placeOf(hit, view.timeline.names.text).name : "";
    view.say(spokenPlace(place, lane, view.timeline));
    this.panel.slice(place, lane, null, []);
    if (!view.source.live || place.event < 0 || place.value !== undefined) {
      return;
    }
    const wanted = hit ?? { lane, row: place.row, slices: single(place), index: 0 };
    // Arrows may take longer: the kernel may read the trace file for them.
    const arriving = view.source.arrows(wanted).catch(() => []);
    const details = await view.source.details(wanted).catch(() => null);
    const stale = () => asked !== this.asked || view.disposed;
    if (stale()) {
      return;
    }
    if (details && !place.name) {
      place.name = details.name;
      view.say(spokenPlace(place, lane, view.timeline));
    }
    this.panel.slice(place, lane, details, []);
    const arrows = await arriving;
    if (arrows.length && !stale()) {
      this.arrows = arrows;
      this.panel.slice(place, lane, details, arrows);
      view.drawOverlay();
    }
  }

  /** Chooses a slice and brings it in sight. @param {Place & { count?: number, change?: number }} place @param {{ zoom?: boolean }} [how] */
  async go(place, { zoom = false } = {}) {
    const { view } = this;
    if (!laneOf(view.timeline.lanes, place.lane) && !(await view.bring({ ids: [place.lane] }))) {
      return;
    }
    const { span } = view.state;
    const size = place.end - place.start;
    if (zoom) {
      const around = view.timeline.kind === "flame" ? 0 : Math.max(size * 0.6, 10);
      view.show({ from: place.start - around, to: place.end + around }, { jump: true });
    } else if (place.end <= span.from || place.start >= span.to || (size < width(span) && (place.start < span.from || place.end > span.to))) {
      const middle = size < width(span) ? (place.start + place.end) / 2 : place.start + width(span) / 2;
      view.show({ from: middle - width(span) / 2, to: middle + width(span) / 2 });
    }
    const placed = view.layout.byLane.get(place.lane);
    if (placed) {
      const top = placed.top + place.row * placed.pitch;
      view.reveal(top, top + placed.bar);
    }
    await this.choose({ count: 1, change: 0, ...place });
  }

  /** Chooses the slice nearest to the middle of the page, of a lane or of the first in sight. @param {Lane | null} [wanted] */
  begin(wanted = null) {
    const { view } = this;
    const { span } = view.state;
    const middle = (span.from + span.to) / 2;
    for (const { lane } of wanted ? [{ lane: wanted }] : view.inSight()) {
      for (let row = 0; lane && lane.kind !== "counter" && row < lane.levels; row += 1) {
        const slices = view.tiles.at(lane.id, span);
        const index = slices ? sliceAt(slices, row, middle, width(span) / 2) : -1;
        if (slices && index >= 0) {
          return this.go(placeOf({ lane, row, slices, index }, view.timeline.names.text));
        }
      }
    }
    view.say("no slice in sight");
    return undefined;
  }

  /** Goes to the next or previous slice of the row. @param {1 | -1} by */
  beside(by) {
    const { view, place } = this;
    const lane = place && laneOf(view.timeline.lanes, place.lane);
    const slices = lane && (view.tiles.slicesAt(lane.id, view.state.span, place.start) ?? view.tiles.at(lane.id, view.state.span));
    if (!place || !lane || !slices) {
      return;
    }
    const [from, to] = rowRange(slices, place.row);
    const here = sameSlice(slices, place.row, place.start, place.end);
    const index = here >= 0 ? here + by : by > 0 ? firstAfter(slices, from, to, place.start) : firstAfter(slices, from, to, place.start) - 1;
    if (index < from || index >= to) {
      view.say(by > 0 ? "last slice of this row here" : "first slice of this row here");
      return;
    }
    this.go(placeOf({ lane, row: place.row, slices, index }, view.timeline.names.text));
  }

  /** Goes to the row above or below: to the slice at the same time, or the nearest. @param {1 | -1} by */
  across(by) {
    const { view, place } = this;
    if (!place) {
      return;
    }
    const { span } = view.state;
    const lanes = view.layout.placed.flatMap(({ lane }) => (lane && lane.kind !== "counter" ? [lane] : []));
    let at = lanes.findIndex(({ id }) => id === place.lane);
    let row = place.row + by;
    const time = Math.min(Math.max((place.start + place.end) / 2, span.from), span.to);
    for (; at >= 0 && at < lanes.length; at += by, row = by > 0 ? 0 : (lanes[at]?.levels ?? 1) - 1) {
      for (const lane = lanes[at]; row >= 0 && row < lane.levels; row += by) {
        const slices = view.tiles.slicesAt(lane.id, span, time);
        const index = slices ? sliceAt(slices, row, time, width(span)) : -1;
        if (slices && index >= 0) {
          this.go(placeOf({ lane, row, slices, index }, view.timeline.names.text));
          return;
        }
      }
    }
    view.say(by > 0 ? "last lane" : "first lane");
  }

  /** Follows an arrow from the chosen slice, or to it. @param {1 | -1} by */
  follow(by) {
    const { place, arrows } = this;
    const same = (/** @type {Place} */ end) => place && end.lane === place.lane && end.event === place.event;
    const arrow = arrows.find(({ kind, from, to }) => kind !== "call" && same(by > 0 ? from : to));
    if (arrow) {
      this.go(by > 0 ? arrow.to : arrow.from);
    } else {
      this.view.say(by > 0 ? "no arrow leaves this slice" : "no arrow leads to this slice");
    }
  }

  /** Begins to measure at the chosen slice, or ends there. */
  measure() {
    const { view, mark, place } = this;
    const here = place ?? { lane: -1, row: 0, start: view.state.span.from, end: view.state.span.to, event: -1, name: "" };
    if (!mark && place) {
      this.mark = place;
      view.say(`measuring from ${place.name}; go to another slice and press M`);
      view.note("measuring: go to another slice and press M");
      this.select({ from: place.start, to: place.end, lanes: [place.lane] }, false);
      return;
    }
    this.mark = null;
    view.note("");
    const first = mark ?? here;
    this.select({ from: Math.min(first.start, here.start), to: Math.max(first.end, here.end), lanes: this.lanesBetween(first.lane, here.lane) });
  }

  /** Returns the lanes between two, in the order of the page; all without any. @param {number} first @param {number} last */
  lanesBetween(first, last) {
    const lanes = this.view.layout.placed.flatMap(({ lane }) => (lane ? [lane.id] : []));
    const [from, to] = [lanes.indexOf(first), lanes.indexOf(last)].sort((a, b) => a - b);
    return from < 0 ? lanes : lanes.slice(from, to + 1);
  }

  /** Selects a span of lanes; sums it up unless it still changes. @param {Selection | null} selection @param {boolean} [final] */
  async select(selection, final = true) {
    const { view } = this;
    this.selection = selection;
    this.asked += 1;
    const asked = this.asked;
    view.dirty();
    if (!selection || !final) {
      return;
    }
    view.say(`selected ${writeExact(selection.to - selection.from)} of ${countText(selection.lanes.length, "lane")}`);
    try {
      const sum = await view.source.sum(selection);
      if (sum && asked === this.asked && !view.disposed) {
        this.panel.summary(selection, sum, view.source.live);
        view.say(`selected ${writeExact(selection.to - selection.from)}, ${countText(sum.count, "event")}, most in ${sum.rows[0]?.name ?? "none"}`);
      }
    } catch (error) {
      view.note(error instanceof Error ? error.message : String(error));
    }
  }

  /** Makes the selected span longer or shorter at its end. @param {1 | -1} by */
  stretch(by) {
    const { view, place } = this;
    const { span } = view.state;
    const step = (by * width(span)) / 40;
    const from = this.selection?.from ?? place?.start ?? (span.from + span.to) / 2;
    const to = Math.max((this.selection?.to ?? place?.end ?? from) + step, from);
    const lanes = this.selection?.lanes ?? (place ? [place.lane] : this.lanesBetween(-1, -1));
    this.select({ from, to: Math.min(to, view.timeline.bounds.to), lanes });
  }

  /** Finds events by name and fades the others. @param {string} text */
  async search(text) {
    const { view } = this;
    this.text = text.trim();
    const asked = (this.searches += 1);
    this.found = null;
    this.foundAt = -1;
    this.remark();
    this.report();
    if (!this.text) {
      view.dirty();
      return;
    }
    try {
      const found = await view.source.search(this.text);
      if (found && asked === this.searches && !view.disposed) {
        this.found = found;
        this.remark();
        this.report();
      }
    } catch (error) {
      view.parts.found.textContent = error instanceof Error ? error.message : String(error);
    }
  }

  /** Marks the names that the search finds, and the events that it finds by something else. */
  remark() {
    const { view, text, found } = this;
    const names = view.timeline.names.text;
    this.knownNames = names.length;
    view.colours.mark(text ? { names: namesWith(names, text), starts: startsOf(found?.found ?? []) } : null);
    view.dirty();
  }

  report() {
    const { parts } = this.view;
    const { found, foundAt, text } = this;
    parts.steps.hidden = !found?.found.length;
    const share = found?.share ? ` · ${found.share}` : "";
    const least = found?.partial ? "at least " : "";
    const at = foundAt >= 0 ? `${foundAt + 1} of ` : "";
    parts.found.textContent = !text || !found ? "" : found.count ? `${at}${least}${found.count.toLocaleString("en-US")}${share}` : "none";
  }

  /** Goes to the next or previous result; at first to the one next to the middle of the page. @param {1 | -1} by */
  step(by) {
    const all = this.found?.found ?? [];
    if (!all.length) {
      return;
    }
    if (this.foundAt < 0) {
      const { span } = this.view.state;
      const next = all.findIndex(({ start }) => start >= span.from);
      this.foundAt = by > 0 ? Math.max(next, 0) : (next < 0 ? all.length : next) - 1;
    } else {
      this.foundAt += by;
    }
    this.foundAt = (this.foundAt + all.length) % all.length;
    this.report();
    this.go(all[this.foundAt]);
  }

  /** Clears the last thing that was chosen; returns whether there was one. */
  clear() {
    const { view } = this;
    if (this.mark || this.selection) {
      this.mark = null;
      view.note("");
      this.select(null);
      this.panel.clear();
    } else if (this.place) {
      this.choose(null);
    } else if (this.text) {
      view.parts.search.value = "";
      this.search("");
    } else {
      return false;
    }
    view.say("cleared");
    return true;
  }

  /** After slices have arrived: new names may match the search, and the pointer may be on another slice. */
  renew() {
    if (this.text && this.knownNames !== this.view.timeline.names.text.length) {
      this.remark();
    }
  }

  dispose() {
    clearTimeout(this.searching);
    this.tip.dispose();
  }
}

/** Returns slices with one event, for an event that has not arrived. @param {Place} place */
const single = ({ start, end, event }) => slicesOf({ start: [start], end: [end], id: [event] }, 1);

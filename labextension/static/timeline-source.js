// @ts-check
// Sources of slices: the output itself, which needs no kernel, or the kernel over a comm.

import { markedSlices, sumUp } from "./timeline-slices.js";
import { Conversation, placesOf, tileOf } from "./timeline-wire.js";

/**
 * @import { Connect, Connection, Hit, Place, Source, Timeline } from "../types/timeline-view"
 * @import { NameTable } from "./timeline-wire.js"
 */

export const TARGET = "tracebook.timeline";
/** As many results of a search as the kernel sends. */
const MOST_FOUND = 2000;

/** Returns which names contain a text, letters in any case. @param {string[]} names @param {string} text */
export function namesWith(names, text) {
  const wanted = text.toLowerCase();
  const marked = new Uint8Array(names.length);
  for (let at = 0; at < names.length; at += 1) {
    marked[at] = names[at].toLowerCase().includes(wanted) ? 1 : 0;
  }
  return marked;
}

/** Returns where the events start that a search has found, by lane. @param {{ lane: number, start: number }[]} found */
export function startsOf(found) {
  /** @type {Map<number, Set<number>>} */
  const starts = new Map();
  for (const { lane, start } of found) {
    const known = starts.get(lane) ?? new Set();
    starts.set(lane, known.add(start));
  }
  return starts;
}

/** Returns how much of a flame graph boxes cover together, as text; boxes inside of others count once. @param {Place[]} found by start @param {number} whole */
export function coverage(found, whole) {
  let [sum, until] = [0, -Infinity];
  for (const { start, end } of found) {
    sum += Math.max(end - Math.max(start, until), 0);
    until = Math.max(until, end);
  }
  return `${((100 * sum) / whole).toFixed(1)} %`;
}

/** Answers from the embedded view. @param {Timeline} timeline @returns {Source} */
export function embedded(timeline) {
  const { lanes, names, kind, bounds } = timeline;
  return {
    live: false,
    view: async () => timeline.tile,
    details: async () => null,
    arrows: async () => [],
    lanes: async () => null,
    sum: async (selection) => sumUp(timeline.tile, selection, names),
    search: async (text) => {
      const { tile } = timeline;
      const marked = namesWith(names.text, text);
      const found = markedSlices(tile, marked, lanes).map(({ lane, row, slices, index }) => ({
        lane: lane.id,
        row,
        start: slices.start[index],
        end: slices.end[index],
        event: slices.id[index],
        name: names.text[slices.name[index]],
      }));
      const partial = lanes.length < timeline.laneCount || [...tile.lanes.values()].some(({ count }) => count.some((many) => many > 1));
      const share = kind === "flame" && found.length ? coverage(found, bounds.to) : undefined;
      return { count: found.length, found: found.slice(0, MOST_FOUND), partial, share };
    },
    dispose: () => {},
  };
}

/** Asks the kernel. @implements {Source} */
class Kernel {
  /** @param {Connection} connection @param {Timeline & { names: NameTable }} timeline @param {(reason: string) => void} onChange */
  constructor(connection, timeline, onChange) {
    const { lanes, names } = timeline;
    this.live = true;
    this.connection = connection;
    this.timeline = timeline;
    this.onPage = lanes;
    this.names = names;
    this.conversation = new Conversation(names);
    this.onChange = onChange;
    /** The requests that wait for their replies. @type {Map<number, { replaces?: string, resolve: (reply: any) => void, reject: (error: Error) => void }>} */
    this.waiting = new Map();
    this.last = 0;
    connection.onMessage = (content, buffers) => this.receive(content, buffers ?? []);
    connection.onClose = (reason) => this.end(reason?.evalue ?? "the kernel has ended the conversation");
    connection.onOpen = () => {
      // It sends names again.
      this.conversation = new Conversation(names);
      this.live = true;
      onChange("");
    };
  }

  /** @param {any} content @param {ArrayBuffer[]} buffers */
  receive(content, buffers) {
    if (content?.type === "gone") {
      this.end(String(content.message ?? "the kernel does not have this trace any more"));
      return;
    }
    const waiting = this.waiting.get(content?.id);
    this.waiting.delete(content?.id);
    try {
      // Names are sent once, so even an answer that is too late has to be read.
      const reply = content?.type === "view" ? tileOf(content, this.onPage, this.conversation, buffers) : { ...content, buffers };
      if (content?.error || content?.type === "error") {
        throw new Error(String(content.error?.evalue ?? content.message));
      }
      waiting?.resolve(content?.type === "skipped" ? null : reply);
    } catch (error) {
      waiting?.reject(error instanceof Error ? error : new Error(String(error)));
    }
  }

  /** @param {string} reason */
  end(reason) {
    this.forget();
    if (this.live) {
      this.live = false;
      this.onChange(reason);
    }
  }

  /** Answers all that wait with nothing. */
  forget() {
    this.waiting.forEach(({ resolve }) => resolve(null));
    this.waiting.clear();
  }

  /**
   * Sends a request and returns its reply, null if there will be none. A request replaces the earlier ones with the same text.
   *
   * @param {string} type
   * @param {object} request
   * @param {string} [replaces]
   * @returns {Promise<any>}
   */
  ask(type, request, replaces) {
    if (!this.live) {
      return Promise.resolve(null);
    }
    const id = (this.last += 1);
    // The kernel does not answer what was replaced.
    for (const [other, waiting] of replaces ? this.waiting : []) {
      if (waiting.replaces === replaces) {
        this.waiting.delete(other);
        waiting.resolve(null);
      }
    }
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { replaces, resolve, reject });
      if (!this.connection.send({ type, id, ...(replaces ? { replaces } : {}), ...request })) {
        this.waiting.delete(id);
        resolve(null);
      }
    });
  }

  /** @type {Source["view"]} */
  view({ from, to }, lanes, pixels) {
    return this.ask("view", { start: Math.floor(from), end: Math.ceil(to), width_px: pixels, lanes });
  }

  /** @param {Hit} hit */
  event({ lane, slices, index }) {
    return { lane: lane.id, event: slices.id[index] };
  }

  /** @type {Source["details"]} */
  async details(hit) {
    const reply = await this.ask("slice", this.event(hit));
    const args = Array.isArray(reply?.args) ? reply.args : [];
    const pairs = args.map((/** @type {unknown[]} */ [key, value]) => /** @type {[string, string]} */ ([String(key), String(value)]));
    return reply && { name: String(reply.name), ts: String(reply.ts), dur: String(reply.dur), args: pairs };
  }

  /** @type {Source["arrows"]} */
  async arrows(hit) {
    const reply = await this.ask("arrows", this.event(hit));
    const end = (/** @type {any} */ { lane, level, event, start, dur, name }) => ({
      lane: Number(lane),
      row: Number(level),
      event: Number(event),
      start: Number(start),
      end: Number(start) + Math.max(Number(dur), 0),
      name: String(name),
    });
    const arrows = Array.isArray(reply?.arrows) ? reply.arrows : [];
    return arrows.map((/** @type {any} */ { kind, from, to }) => ({ kind: String(kind), from: end(from), to: end(to) }));
  }

  /** @type {Source["lanes"]} */
  async lanes(wanted) {
    const { readLane, laneCount } = this.timeline;
    const reply = await this.ask("lanes", wanted);
    const isOne = (/** @type {any} */ lane) => Number.isSafeInteger(lane?.id) && lane.id >= 0 && lane.id < laneCount;
    return readLane && Array.isArray(reply?.lanes) ? reply.lanes.filter(isOne).map(readLane) : null;
  }

  /** @type {Source["search"]} */
  async search(text) {
    const reply = await this.ask("search", { text }, "search");
    if (!reply) {
      return null;
    }
    return { count: Number(reply.count), found: placesOf(reply, this.conversation, reply.buffers), partial: false };
  }

  /** @type {Source["sum"]} */
  async sum({ from, to, lanes }) {
    // All that are on the page are all that there are.
    const all = lanes.length === this.onPage.length && lanes.length < this.timeline.laneCount;
    const reply = await this.ask("selection", { start: Math.floor(from), end: Math.ceil(to), ...(all ? {} : { lanes }) }, "selection");
    if (!reply) {
      return null;
    }
    const rows = Array.isArray(reply.rows) ? reply.rows : [];
    return {
      rows: rows.map((/** @type {any} */ { name, count, total, self }) => ({
        name: String(name),
        count: Number(count),
        total: Number(total),
        self: Number(self),
      })),
      count: Number(reply.count),
      total: Number(reply.total),
      more: Number(reply.more) || 0,
      partial: false,
      filter: String(reply.filter ?? ""),
    };
  }

  dispose() {
    this.live = false;
    this.forget();
    this.connection.dispose();
  }
}

/**
 * Returns the kernel's source, or null without a kernel. `onChange` is called with a reason if the conversation ends, with nothing
 * if it goes on.
 *
 * @param {Connect | undefined} connect
 * @param {Timeline & { names: NameTable }} timeline
 * @param {(reason: string) => void} onChange
 * @returns {Source | null}
 */
export function fromKernel(connect, timeline, onChange) {
  const connection = timeline.open && connect ? connect(TARGET, timeline.open) : null;
  return connection && new Kernel(connection, timeline, onChange);
}

// @ts-check
// Reads what the kernel sends for timelines: JSON and columns of an output, or of a message with buffers (docs/timeline-format.md).

import { laneOf } from "./timeline-lane-list.js";
import { slicesOf } from "./timeline-slices.js";

/**
 * @import { Packed, Timeline as Sent, View } from "../types/timeline"
 * @import { Lane, Place, Slices, Tile, Timeline } from "../types/timeline-view"
 * @typedef {Uint8Array | Uint16Array | Uint32Array | Int32Array | Float64Array} Numbers
 */

/** More levels than this have no rows: a notebook from elsewhere may say anything. */
export const MOST_LEVELS = 20_000;

const TYPES = { u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, i32: Int32Array, f64: Float64Array };

/** Returns the bytes of base64 text. @param {string} text */
export function bytesOf(text) {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < bytes.length; at += 1) {
    bytes[at] = binary.charCodeAt(at);
  }
  return bytes;
}

/**
 * Returns columns by name. Fails if their lengths differ or a buffer is missing.
 *
 * @param {Packed[] | undefined} packed
 * @param {(ArrayBuffer | ArrayBufferView)[]} [buffers]
 * @returns {Record<string, Numbers>}
 */
export function columnsOf(packed, buffers = []) {
  /** @type {Record<string, Numbers>} */
  const columns = {};
  let length = -1;
  for (const { name, type, data, buffer } of packed ?? []) {
    const sent = data === undefined ? buffers[buffer ?? -1] : bytesOf(data);
    const Type = TYPES[type];
    if (!sent || !Type) {
      throw new Error(`invalid column \`${name}\`: its values are missing`);
    }
    const bytes = ArrayBuffer.isView(sent) ? new Uint8Array(sent.buffer, sent.byteOffset, sent.byteLength) : new Uint8Array(sent);
    // The bytes of a message begin anywhere, but columns at multiples of their size.
    const whole = bytes.byteOffset % Type.BYTES_PER_ELEMENT ? bytes.slice() : bytes;
    columns[name] = new Type(/** @type {ArrayBuffer} */ (whole.buffer), whole.byteOffset, Math.floor(whole.byteLength / Type.BYTES_PER_ELEMENT));
    if (length >= 0 && columns[name].length !== length) {
      throw new Error(`invalid column \`${name}\`: expected ${length} values, got ${columns[name].length}`);
    }
    length = columns[name].length;
  }
  return columns;
}

/** The names of an output. Each conversation numbers names in its own way; here equal texts have one number. */
export class NameTable {
  constructor() {
    /** @type {string[]} */
    this.text = [];
    /** @type {Map<string, number>} */
    this.numbers = new Map();
  }

  /** Returns the number of a text. @param {string} text */
  number(text) {
    let number = this.numbers.get(text);
    if (number === undefined) {
      number = this.text.push(text) - 1;
      this.numbers.set(text, number);
    }
    return number;
  }
}

/** The names that one conversation has sent. */
export class Conversation {
  /** @param {NameTable} table */
  constructor(table) {
    this.table = table;
    /** @type {number[]} */
    this.known = [];
  }

  /** @param {{ ids: number[], texts: string[] } | undefined} names */
  learn(names) {
    names?.ids?.forEach((id, at) => {
      this.known[id] = this.table.number(String(names.texts?.[at] ?? ""));
    });
  }

  /** Translates a column of names. @param {Numbers} ids */
  translate(ids) {
    const made = new Uint32Array(ids.length);
    for (let at = 0; at < ids.length; at += 1) {
      made[at] = this.known[ids[at]] ??= this.table.number(`name ${ids[at]}`);
    }
    return made;
  }
}

/** Returns where slices end: at their start if the trace is damaged. @param {Numbers} start @param {Numbers} dur */
function ends(start, dur) {
  const made = new Float64Array(start.length);
  for (let at = 0; at < made.length; at += 1) {
    made[at] = start[at] + Math.max(dur[at], 0);
  }
  return made;
}

/**
 * Returns the slices of each lane of a view.
 *
 * @param {View} view
 * @param {Lane[]} lanes
 * @param {Conversation} conversation
 * @param {(ArrayBuffer | ArrayBufferView)[]} [buffers]
 * @returns {Tile}
 */
export function tileOf(view, lanes, conversation, buffers = []) {
  conversation.learn(view.names);
  /** @type {Map<number, Slices>} */
  const made = new Map();
  const { start = new Float64Array(), dur = start, name = start, event, count, busy, change } = columnsOf(view.slices, buffers);
  const [end, names] = [ends(start, dur), conversation.translate(name)];
  const time = busy && Float64Array.from(busy, (part) => (part / 255) * view.window);
  let at = 0;
  for (let track = 0; track < (view.tracks?.length ?? 0); ) {
    const id = view.tracks[track][0];
    const lane = laneOf(lanes, id);
    const first = at;
    /** @type {[number, number][]} */
    const levels = [];
    for (; track < view.tracks.length && laneOf(lanes, view.tracks[track][0]) === lane; track += 1) {
      levels.push([view.tracks[track][1], view.tracks[track][2]]);
      at += view.tracks[track][2];
    }
    if (!lane) {
      throw new Error(`invalid view: unknown lane ${id}`);
    }
    if (!(at >= first && at <= start.length)) {
      throw new Error(`invalid view: expected ${at} slices, got ${start.length}`);
    }
    const row = new Uint16Array(at - first);
    let filled = 0;
    for (const [level, rows] of levels) {
      row.fill(level, filled, (filled += rows));
    }
    const part = (/** @type {Numbers | undefined} */ column) => column?.subarray(first, at);
    const columns = { start: start.subarray(first, at), end: end.subarray(first, at), name: names.subarray(first, at), row };
    made.set(lane.id, slicesOf({ ...columns, id: part(event), count: part(count), time: part(time), change: part(change) }, lane.levels));
  }
  samples(view, lanes, buffers, made);
  return { from: view.start, to: view.end, level: Math.log2(Math.max(Number(view.window) || 1, 1)), lanes: made };
}

/** Adds the samples of counters: each is an area up to the next. @param {View} view @param {Lane[]} lanes @param {(ArrayBuffer | ArrayBufferView)[]} buffers @param {Map<number, Slices>} made */
function samples(view, lanes, buffers, made) {
  const { start = new Float64Array(), max = start, last = start, count } = columnsOf(view.samples, buffers);
  let first = 0;
  for (const [id, rows] of view.counters ?? []) {
    const lane = laneOf(lanes, id);
    if (!lane || !(rows >= 0 && first + rows <= start.length)) {
      throw new Error(`invalid view: counter ${id} has no lane or no samples`);
    }
    /** @type {{ start: number[], end: number[], value: number[], count: number[] }} */
    const columns = { start: [], end: [], value: [], count: [] };
    const add = (/** @type {number} */ from, /** @type {number} */ to, /** @type {number} */ value, /** @type {number} */ many) => {
      columns.start.push(from);
      columns.end.push(to);
      columns.value.push(value);
      columns.count.push(many);
    };
    for (let at = first; at < first + rows; at += 1) {
      const next = at + 1 < first + rows ? start[at + 1] : view.end;
      const many = count?.[at] ?? 1;
      const peak = many > 1 ? Math.min(start[at] + view.window, next) : start[at];
      if (peak > start[at]) {
        add(start[at], peak, max[at], many);
      }
      add(peak, Math.max(next, peak), last[at], 1);
    }
    made.set(lane.id, slicesOf(columns, 1));
    first += rows;
  }
}

/** Returns what reads lanes, with the titles of their groups: the kernel's, else sides if there are two, ranks if there are several. @param {Sent} sent @returns {(lane: Sent["lanes"][number]) => Lane} */
function laneReader({ lanes, sides }) {
  const ranks = new Set(lanes.map(({ rank }) => rank)).size > 1;
  const made = (/** @type {Sent["lanes"][number]} */ { side, rank }) =>
    [sides.length > 1 ? String(sides[side]?.label ?? "") : "", ranks ? `rank ${rank}` : ""].filter(Boolean).join(" · ");
  return (lane) => ({
    ...lane,
    label: String(lane.label ?? ""),
    levels: Math.min(Math.max(Math.floor(Number(lane.levels)) || 1, 1), MOST_LEVELS),
    events: Number(lane.events) || 0,
    group: lane.group ? String(lane.group) : made(lane),
    ofBoth: Boolean(lane.group),
  });
}

/** Returns the number of all lanes. @param {Sent} sent */
function laneCountOf({ version, lanes, lane_count: count }) {
  if (version === 1) {
    return lanes.length;
  }
  const inOrder = lanes.every(({ id }, at) => Number.isSafeInteger(id) && id > (at ? lanes[at - 1].id : -1));
  if (!inOrder || count === undefined || !Number.isSafeInteger(count) || count <= (lanes.at(-1)?.id ?? -1)) {
    throw new Error("its lanes are not in order");
  }
  return count;
}

/**
 * Reads the timeline of an output.
 *
 * @param {Sent} sent
 * @returns {Timeline & { names: NameTable }}
 */
export function readTimeline(sent) {
  if (![1, 2].includes(sent?.version) || !Array.isArray(sent.lanes) || !Array.isArray(sent.sides) || !sent.view) {
    throw new Error("a newer version of Tracebook wrote it");
  }
  if (![sent.start, sent.end].every(Number.isFinite)) {
    throw new Error("its start or end is not a number");
  }
  const names = new NameTable();
  const [laneCount, readLane] = [laneCountOf(sent), laneReader(sent)];
  const lanes = sent.lanes.map((lane, place) => readLane(sent.version === 1 ? { ...lane, id: place } : lane));
  const bounds = { from: sent.start, to: Math.max(sent.end, sent.start + 1) };
  return {
    kind: "timeline",
    title: String(sent.title ?? ""),
    summary: String(sent.summary ?? ""),
    lanes,
    laneCount,
    readLane,
    bounds,
    shown: sent.shown?.end > sent.shown?.start ? { from: sent.shown.start, to: sent.shown.end } : bounds,
    tile: tileOf(sent.view, lanes, new Conversation(names)),
    names,
    sides: sent.sides.map(({ label, base }) => ({ label: String(label), base: String(base) })),
    open: sent.open ?? null,
  };
}

/**
 * Returns the events of a reply with tracks and slices. The name of an event that no view has shown yet is empty.
 *
 * @param {Pick<View, "tracks" | "slices">} sent
 * @param {Conversation} conversation
 * @param {(ArrayBuffer | ArrayBufferView)[]} buffers
 * @returns {Place[]}
 */
export function placesOf({ tracks, slices }, conversation, buffers) {
  const { start = new Float64Array(), dur = start, name = start, event = start } = columnsOf(slices, buffers);
  /** @type {Place[]} */
  const places = [];
  let at = 0;
  for (const [lane, row, rows] of tracks ?? []) {
    for (const until = Math.min(at + rows, start.length); at < until; at += 1) {
      const text = conversation.table.text[conversation.known[name[at]]] ?? "";
      places.push({ lane, row, start: start[at], end: start[at] + Math.max(dur[at], 0), event: event[at], name: text });
    }
  }
  return places.sort((a, b) => a.start - b.start);
}

/** Returns the absolute time of a relative one, as decimal digits. @param {string} base @param {number} time */
export function absolute(base, time) {
  try {
    return String(BigInt(base) + BigInt(Math.round(time)));
  } catch {
    return "";
  }
}

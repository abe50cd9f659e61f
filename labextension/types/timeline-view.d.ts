// Timelines and flame graphs: what the front end makes of their JSON and buffers (`timeline-wire.js`), and what draws them.

import type * as Wire from "./timeline";

/** A span of time in nanoseconds after the origin of its timeline; of a flame graph, a span of its values. */
export interface Span {
  from: number;
  to: number;
}

/** A span at a zoom: events shorter than 2^level nanoseconds may be counted instead of listed. */
export interface Window extends Span {
  level: number;
}

/** A lane of the kernel, with the title of the lanes that are shown together. */
export interface Lane extends Wire.Lane {
  group: string;
  /** Whether the kernel named the group, which may hold lanes of both sides. */
  ofBoth?: boolean;
}

/** Slices of a lane, by row, then by start; of a counter, its samples. */
export interface Slices {
  length: number;
  /** The first slice of each row, and the number of all. */
  first: Uint32Array;
  start: Float64Array;
  end: Float64Array;
  name: Uint32Array;
  /** How many events the slice stands for: itself, and shorter ones that are not listed. */
  count: Uint32Array;
  /** The time of these events, in nanoseconds. */
  time: Float64Array;
  /** The event; −1 without one. */
  id: Float64Array;
  /** The value of a counter. */
  value?: Float64Array;
  /** What changed from control to test: an index in `CHANGES`. */
  change?: Uint8Array;
  /** The latest end of a slice up to here in its row: clusters can overlap. */
  reach: Float64Array;
}

/** Slices of all lanes in a window. */
export interface Tile extends Window {
  lanes: Map<number, Slices>;
}

/** Names by their number in this output. */
export interface Names {
  text: string[];
}

/** What a search has found: the others are faded. */
export interface Marks {
  /** By name: 1 if the name has the text. */
  names: Uint8Array;
  /** Where found events start, by lane: also those that are found by something else than their name. */
  starts: Map<number, Set<number>>;
}

/** A timeline whose JSON has been read. */
export interface Timeline {
  title: string;
  summary: string;
  /** The lanes on the page, ascending by id; others are added as they arrive. */
  lanes: Lane[];
  /** The number of all lanes. */
  laneCount: number;
  /** Reads a lane that arrives later; without it, there are no others. */
  readLane?: (lane: Wire.Lane) => Lane;
  bounds: Span;
  /** What is shown at first. */
  shown: Span;
  /** The embedded view. */
  tile: Tile;
  names: Names;
  sides: { label: string; base: string }[];
  /** The data of `comm_open`; null if the kernel has nothing more. */
  open: object | null;
  /** What numbers are: times, or the widths of a flame graph. */
  kind: "timeline" | "flame";
  /** What is known of a box; without it, that of an event. */
  facts?: (place: Place) => [string, string][];
}

/** A slice that the user points at. */
export interface Hit {
  lane: Lane;
  row: number;
  slices: Slices;
  index: number;
}

/** An event: the end of an arrow, or what a search found. */
export interface Place {
  lane: number;
  row: number;
  start: number;
  end: number;
  event: number;
  name: string;
}

export interface Arrow {
  kind: string;
  from: Place;
  to: Place;
}

export interface Summary {
  rows: { name: string; count: number; total: number; self?: number }[];
  count: number;
  total: number;
  /** The rows that were not sent. */
  more: number;
  /** Whether events are missing because the output does not contain them. */
  partial: boolean;
  /** What `--where sel` stands for, if the kernel knows the selection. */
  filter: string;
}

/** An event with all that is known of it. */
export interface Details {
  name: string;
  /** The absolute time in nanoseconds. */
  ts: string;
  /** The exact duration in nanoseconds. */
  dur: string;
  args: [string, string][];
}

/** Events whose names contain a text, by start. */
export interface SearchResult {
  count: number;
  found: Place[];
  partial: boolean;
  /** Of a flame graph: how much of it the boxes cover. */
  share?: string;
}

export interface Selection extends Span {
  /** The ids of the selected lanes. */
  lanes: number[];
}

/** Where slices come from: the output itself, or the kernel. */
export interface Source {
  /** Whether a kernel answers. */
  readonly live: boolean;
  /** Answers null if a later request has replaced this one. */
  view(window: Window, lanes: number[], pixels: number): Promise<Tile | null>;
  details(hit: Hit): Promise<Details | null>;
  arrows(hit: Hit): Promise<Arrow[]>;
  search(text: string): Promise<SearchResult | null>;
  sum(selection: Selection): Promise<Summary | null>;
  /** Answers with lanes that are not on the page; null without a kernel. */
  lanes(wanted: { from: number; count: number } | { ids: number[] }): Promise<Lane[] | null>;
  dispose(): void;
}

/** What a renderer of rectangles draws, in pixels of the device. */
export interface Frame {
  width: number;
  height: number;
  span: Span;
  strips: Strip[];
}

/** The slices of a lane, at a place of the page. */
export interface Strip {
  slices: Slices;
  /** A colour per slice, as the bytes red, green, blue, alpha. */
  colours: Uint32Array;
  top: number;
  pitch: number;
  bar: number;
  rows: number;
  /** Only this span is drawn. */
  clip: Span;
}

export interface Backend {
  readonly name: string;
  /** Draws a frame; returns false if it cannot now. */
  draw(context: CanvasRenderingContext2D, frame: Frame): boolean;
  /** Gives memory of slices back. */
  release(slices: Iterable<Slices>): void;
}

/** A lane, the title of a group or what stands for lanes that are not on the page, with its place. */
export interface Placed {
  key: string;
  kind: "group" | "lane" | "more";
  label: string;
  lane: Lane | null;
  top: number;
  height: number;
  /** The distance of two rows. */
  pitch: number;
  bar: number;
  collapsed: boolean;
  /** The ids of lanes that are not on the page. */
  gap?: { from: number; count: number };
}

export interface Layout {
  placed: Placed[];
  /** Where each lane is; of a lane in a collapsed group, the title of the group. */
  byLane: Map<number, Placed>;
  height: number;
}

/** A conversation with the kernel, as `connect` of `comm.js` returns it. */
export interface Connection {
  onOpen: (() => void) | null;
  onMessage: ((data: Record<string, any>, buffers: ArrayBuffer[]) => void) | null;
  onClose: ((reason: { evalue?: string } | null) => void) | null;
  /** Returns false if the kernel cannot be reached now. */
  send(data: object): boolean;
  dispose(): void;
}

/** Opens a conversation with a target of the kernel; null without a kernel. */
export type Connect = (target: string, data: object) => Connection | null;

/** What the user looks at. */
export interface ViewState {
  span: Span;
  collapsed: Set<string>;
  /** The height of the lanes and the width of their labels in pixels; 0 is the default. */
  height: number;
  gutter: number;
  scrolled: number;
  colour: "name" | "change";
}

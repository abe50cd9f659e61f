// What the kernel sends for timelines and flame graphs: docs/timeline-format.md.

/** Values of one kind: base64 in `data` in an output, a buffer of the message over a comm. Little-endian. */
export interface Packed {
  name: string;
  type: "u8" | "u16" | "u32" | "i32" | "f64";
  data?: string;
  buffer?: number;
}

export type LaneKind = "thread" | "annotation" | "stream" | "gpu_annotation" | "counter";

export interface Lane {
  /** Its place among all lanes of the timeline. */
  id: number;
  side: number;
  kind: LaneKind;
  label: string;
  rank: number;
  levels: number;
  events: number;
  /** The title of the lanes that are shown together, and whether they are folded at first; without one the front end makes it. */
  group?: string;
  folded?: boolean;
  /** Of counters. */
  unit?: string;
  /** Of counters: the largest value. */
  max?: number;
}

export interface Names {
  ids: number[];
  texts: string[];
}

export interface View {
  start: number;
  end: number;
  /** Power of two, in ns. */
  window: number;
  /** `[lane, level, rows]` */
  tracks: [number, number, number][];
  /** `start`, `dur`, `name`, `event`, `count`, if windows are longer than 1 ns `busy`, with two traces `change`. */
  slices: Packed[];
  /** `[lane, rows]` */
  counters: [number, number][];
  /** `start`, `max`, `last`, `count`. */
  samples: Packed[];
  names: Names;
}

/** `application/vnd.tracebook.timeline.v1+json` */
export interface Timeline {
  /** 2 if only some lanes are listed. */
  version: 1 | 2;
  title: string;
  summary: string;
  sides: { label: string; base: string }[];
  start: number;
  end: number;
  shown: { start: number; end: number };
  /** Ascending by id. */
  lanes: Lane[];
  /** Of version 2: the number of all lanes. */
  lane_count?: number;
  view: View;
  /** The data of `comm_open`, sent as it is. */
  open: object;
}

export type Request =
  | { type: "view"; id: number; start: number; end: number; width_px: number; lanes: number[] }
  | { type: "slice"; id: number; lane: number; event: number }
  | { type: "arrows"; id: number; lane: number; event: number }
  | { type: "lanes"; id: number; from: number; count: number }
  | { type: "lanes"; id: number; ids: number[] }
  | { type: "search"; id: number; text: string }
  | { type: "selection"; id: number; start: number; end: number; lanes?: number[] };

export interface ArrowEnd {
  lane: number;
  level: number;
  event: number;
  start: number;
  dur: number;
  name: string;
}

export type Reply =
  | { type: "ready" }
  | { type: "gone"; message: string }
  | { type: "error"; id: number; message: string }
  | ({ type: "view"; id: number } & View)
  | {
      type: "slice";
      id: number;
      lane: number;
      level: number;
      event: number;
      name: string;
      ts: string;
      dur: string;
      end: string;
      start: number;
      args: [string, string][];
    }
  | { type: "arrows"; id: number; arrows: { kind: "call" | "launch" | "forward"; from: ArrowEnd; to: ArrowEnd }[] }
  | { type: "lanes"; id: number; lanes: Lane[] }
  | {
      type: "search";
      id: number;
      count: number;
      /** Where only some lanes are listed: how many lanes were found, part of `count`. */
      lanes?: number;
      names: number[];
      tracks: [number, number, number][];
      slices: Packed[];
    }
  | {
      type: "selection";
      id: number;
      count: number;
      total: number;
      rows: { name: string; count: number; total: number; self: number }[];
      more: number;
      filter: string;
    };

/** `application/vnd.tracebook.flame.v1+json` */
export interface Flame {
  version: 1;
  title: string;
  summary: string;
  by: "cpu" | "gpu" | "attributed";
  sides: string[];
  total: number[];
  /** Width of the whole graph in ns: of two sides their mean. */
  width?: number;
  names: string[];
  /** `parent`, `depth`, `name`, `start`, `dur`, `self`, `count`, with two sides `control`, `test`, `change`. */
  layouts: { "left-heavy": Packed[]; time: Packed[] };
}

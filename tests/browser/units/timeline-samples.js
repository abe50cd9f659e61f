// @ts-check
// Generated traces of any size, in the format of the kernel, and a kernel that answers about them.

/**
 * @import { Connection } from "../../../labextension/types/timeline-view"
 * @import { Lane, LaneKind, Packed, View } from "../../../labextension/types/timeline"
 * @typedef {{ lane: number, level: number, start: number[] | Float64Array, dur: number[] | Float64Array, name: number[] | Uint16Array }} Track
 * @typedef {{ lanes: Lane[], tracks: Track[], counters: { lane: number, start: number[], value: number[] }[], texts: string[], end: number }} Trace
 */

const NAMES = [
  "ProfilerStep#1",
  "forward",
  "backward",
  "nn.Module: TransformerEncoderLayer_3",
  "aten::linear",
  "aten::addmm",
  "aten::scaled_dot_product_attention",
  "aten::layer_norm",
  "cudaLaunchKernel",
  "aten::copy_",
  "void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor<float>, at::detail::Array<char*, 3>>(int)",
  "ampere_fp16_s16816gemm_fp16_128x128_ldg8_f2f_stages_32x5_tn",
  "ncclDevKernel_AllReduce_Sum_f16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
  "void flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128, 128, 4>>(Flash_fwd_params)",
  "Memcpy DtoH (Device -> Pinned)",
  "autograd::engine::evaluate_function: AddmmBackward0",
];

/** Returns numbers between 0 and 1, the same ones each time. @param {number} seed */
function random(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** A trace of about so many events: two threads with nested calls, annotations, three streams (one with overlaps), a counter. @param {number} events @returns {Trace} */
export function trace(events) {
  const next = random(7);
  const each = Math.max(Math.floor(events / 16), 4);
  const end = each * 12_000;
  /** @type {Track[]} */
  const tracks = [];
  /** @type {Lane[]} */
  const lanes = [];
  const lane = (/** @type {LaneKind} */ kind, /** @type {string} */ label, /** @type {number} */ levels, /** @type {object} */ more = {}) => {
    lanes.push({ id: lanes.length, side: 0, kind, label, rank: 0, levels, events: 0, ...more });
    return lanes.length - 1;
  };
  const track = (/** @type {number} */ of, /** @type {number} */ level, /** @type {number} */ many, /** @type {number} */ fill, /** @type {number[]} */ names, /** @type {number} */ shift = 0) => {
    const [start, dur, name] = [new Float64Array(many), new Float64Array(many), new Uint16Array(many)];
    const step = end / many;
    for (let at = 0; at < many; at += 1) {
      start[at] = Math.floor(at * step + shift + next() * step * 0.1);
      dur[at] = Math.max(1, Math.floor(step * fill * (0.35 + 0.55 * next())));
      name[at] = names[Math.floor(next() * names.length)];
    }
    lanes[of].events += many;
    tracks.push({ lane: of, level, start, dur, name });
  };
  const steps = Math.max(Math.min(Math.floor(each / 4), 12), 1);
  const annotations = lane("annotation", "annotations of thread 4711 (python)", 2);
  track(annotations, 0, steps, 1.08, [0]);
  track(annotations, 1, steps * 2, 1.05, [1, 2]);
  for (const [thread, names] of /** @type {[string, number[]][]} */ ([["thread 4711 (python)", [4, 6, 7]], ["thread 4790 (pt_autograd_0)", [15, 9]]])) {
    const cpu = lane("thread", thread, 4);
    track(cpu, 0, Math.ceil(each / 4), 1, [3]);
    track(cpu, 1, each, 1, names);
    track(cpu, 2, each * 2, 0.9, [5, 9]);
    track(cpu, 3, each * 2, 0.7, [8]);
  }
  const main = lane("stream", "stream 7", 2);
  track(main, 0, each * 2, 1.05, [10, 11, 13]);
  track(main, 1, Math.ceil(each / 2), 0.5, [10], 4000);
  track(lane("stream", "stream 20", 1), 0, each, 0.6, [12]);
  track(lane("stream", "stream 24", 1), 0, Math.ceil(each / 2), 0.2, [14]);
  const counter = { lane: lane("counter", "queue length of stream 7", 1, { unit: "", max: 64, events: 0 }), start: [], value: [] };
  /** @type {{ start: number[], value: number[] }} */
  const { start, value } = counter;
  for (let at = 0; at < Math.min(each, 20_000); at += 1) {
    start.push((at * end) / Math.min(each, 20_000));
    value.push(Math.round(32 + 24 * Math.sin(at / 60) + 8 * next()));
  }
  lanes[counter.lane].events = start.length;
  return { lanes, tracks, counters: [counter], texts: NAMES, end };
}

/** A trace of so many threads with one event each, and a stream below them. @param {number} count @returns {Trace} */
export function threads(count) {
  /** @type {Lane[]} */
  const lanes = Array.from({ length: count }, (_, id) => ({ id, side: 0, kind: "thread", label: `thread ${1000 + id}`, rank: 0, levels: 1, events: 1 }));
  lanes.push({ id: count, side: 0, kind: "stream", label: "stream 7", rank: 0, levels: 1, events: 1 });
  const tracks = lanes.map(({ id }) => ({ lane: id, level: 0, start: [100 * id], dur: [90], name: [id % 2] }));
  return { lanes, tracks, counters: [], texts: NAMES, end: 100 * (count + 1) };
}

/** Returns the first index at or after a time. @param {ArrayLike<number>} sorted @param {number} time */
function after(sorted, time) {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] < time) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/** Returns a view as numbers: of all events that start in a window, the longest and how many they are. @param {Trace} made @param {{ start: number, end: number, width_px: number, lanes?: number[] }} request */
export function viewOf({ tracks, counters }, { start, end, width_px: pixels, lanes }) {
  const window = 2 ** Math.max(0, Math.floor(Math.log2((end - start) / pixels)));
  /** @type {Record<"start" | "dur" | "name" | "event" | "count" | "busy", number[]>} */
  const columns = { start: [], dur: [], name: [], event: [], count: [], busy: [] };
  /** @type {[number, number, number][]} */
  const rows = [];
  for (const track of tracks.filter(({ lane }) => !lanes || lanes.includes(lane))) {
    const before = columns.start.length;
    let last = -1;
    for (let at = Math.max(after(track.start, start) - 1, 0); at < track.start.length && track.start[at] < end; at += 1) {
      const bucket = Math.floor(track.start[at] / window);
      const to = columns.start.length - 1;
      if (bucket === last) {
        columns.count[to] += 1;
        columns.busy[to] = Math.min(columns.busy[to] + (255 * track.dur[at]) / window, 255);
        if (track.dur[at] <= columns.dur[to]) {
          continue;
        }
        columns.start[to] = track.start[at];
        columns.dur[to] = track.dur[at];
        columns.name[to] = track.name[at];
        columns.event[to] = at;
      } else {
        columns.start.push(track.start[at]);
        columns.dur.push(track.dur[at]);
        columns.name.push(track.name[at]);
        columns.event.push(at);
        columns.count.push(1);
        columns.busy.push(Math.min((255 * track.dur[at]) / window, 255));
        last = bucket;
      }
    }
    rows.push([track.lane, track.level, columns.start.length - before]);
  }
  /** @type {Record<"start" | "max" | "last" | "count", number[]>} */
  const samples = { start: [], max: [], last: [], count: [] };
  /** @type {[number, number][]} */
  const counted = [];
  for (const { lane, start: times, value } of counters.filter(({ lane }) => !lanes || lanes.includes(lane))) {
    const before = samples.start.length;
    let last = -1;
    for (let at = Math.max(after(times, start) - 1, 0); at < times.length && times[at] < end; at += 1) {
      const bucket = Math.floor(times[at] / window);
      const to = samples.start.length - 1;
      if (bucket === last) {
        samples.count[to] += 1;
        samples.max[to] = Math.max(samples.max[to], value[at]);
        samples.last[to] = value[at];
      } else {
        samples.start.push(times[at]);
        samples.max.push(value[at]);
        samples.last.push(value[at]);
        samples.count.push(1);
        last = bucket;
      }
    }
    counted.push([lane, samples.start.length - before]);
  }
  return { start, end, window, columns, rows, samples, counted };
}

/** @param {ArrayBuffer} buffer */
function base64(buffer) {
  let text = "";
  const bytes = new Uint8Array(buffer);
  for (let at = 0; at < bytes.length; at += 8192) {
    text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  }
  return btoa(text);
}

/** Packs a view; `put` keeps the bytes of a column. @param {ReturnType<typeof viewOf>} view @param {string[]} texts @param {(buffer: ArrayBuffer) => object} put @returns {View} */
function packed(view, texts, put) {
  const column = (/** @type {[string, number[]]} */ [name, values]) => /** @type {Packed} */ ({
    name,
    type: "f64",
    ...put(new Float64Array(values).buffer),
  });
  return {
    start: view.start,
    end: view.end,
    window: view.window,
    tracks: view.rows,
    slices: Object.entries(view.columns).map(column),
    counters: view.counted,
    samples: Object.entries(view.samples).map(column),
    names: { ids: texts.map((_, at) => at), texts },
  };
}

/** The JSON of an output for a trace, which lists some lanes. @param {Trace} made @param {number} [pixels] @param {number} [most] */
export function bundle(made, pixels = 1400, most = made.lanes.length) {
  const some = most < made.lanes.length;
  const lanes = some ? [...made.lanes.slice(0, most - 1), ...made.lanes.slice(-1)] : made.lanes;
  const view = viewOf(made, { start: 0, end: made.end, width_px: pixels, ...(some ? { lanes: lanes.map(({ id }) => id) } : {}) });
  const events = made.lanes.reduce((sum, lane) => sum + lane.events, 0);
  return {
    version: some ? 2 : 1,
    ...(some ? { lane_count: made.lanes.length } : {}),
    title: "Timeline of generated, rank 0",
    summary: `${events} events in ${made.lanes.length} lanes`,
    sides: [{ label: "generated", base: "1682725898237042123" }],
    start: 0,
    end: made.end,
    shown: { start: 0, end: made.end },
    lanes,
    view: packed(view, made.texts, (buffer) => ({ data: base64(buffer) })),
    open: { version: 1 },
  };
}

/** A kernel that answers requests about a trace. `log` gets each request. @param {Trace} made @param {object[]} [log] */
export const kernel = (made, log = []) => () => {
  const eventOf = (/** @type {number} */ lane, /** @type {number} */ event) => made.tracks.find((track) => track.lane === lane && event < track.start.length) ?? made.tracks[0];
  const end = (/** @type {number} */ lane, /** @type {number} */ event) => {
    const track = eventOf(lane, event);
    return { lane, level: track.level, event, start: track.start[event], dur: track.dur[event], name: made.texts[track.name[event]] };
  };
  /** @type {Record<string, (request: any, buffers: ArrayBuffer[]) => object>} */
  const answers = {
    view: (request, buffers) => packed(viewOf(made, request), made.texts, (buffer) => ({ buffer: buffers.push(buffer) - 1 })),
    slice: ({ lane, event }) => {
      const { start, dur, ...rest } = end(lane, event);
      return { ...rest, start, ts: String(1682725898237042123n + BigInt(start)), dur: String(dur), end: String(start + dur), args: [["grid", "[128, 1, 1]"], ["correlation", String(event)], ["<b>key</b>", "<img src=x onerror=alert(1)>"]] };
    },
    arrows: ({ lane, event }) => {
      const other = Math.min(made.lanes[lane].kind === "thread" ? 3 : 1, made.tracks.length - 1);
      const [from, to] = made.lanes[lane].kind === "thread" ? [end(lane, event), end(other, event)] : [end(other, event), end(lane, event)];
      return { arrows: [{ kind: "launch", from, to }] };
    },
    lanes: ({ from, count, ids }) => ({ lanes: ids ? ids.map((/** @type {number} */ id) => made.lanes[id]) : made.lanes.slice(from, from + count) }),
    search: ({ text }) => {
      const wanted = new Set(made.texts.flatMap((name, at) => (name.toLowerCase().includes(text.toLowerCase()) ? [at] : [])));
      /** @type {[number, number, number][]} */
      const tracks = [];
      /** @type {Record<string, number[]>} */
      const columns = { start: [], dur: [], name: [], event: [] };
      let count = 0;
      for (const track of made.tracks) {
        let rows = 0;
        for (let at = 0; at < track.start.length; at += 1) {
          if (wanted.has(track.name[at]) || (!at && made.lanes[track.lane].label === text)) {
            count += 1;
            if (columns.start.length < 2000) {
              rows += 1;
              columns.start.push(track.start[at]);
              columns.dur.push(track.dur[at]);
              columns.name.push(track.name[at]);
              columns.event.push(at);
            }
          }
        }
        tracks.push([track.lane, track.level, rows]);
      }
      return { count, names: [...wanted], tracks, slices: Object.entries(columns).map(([name, values]) => ({ name, type: "f64", data: base64(new Float64Array(values).buffer) })) };
    },
    selection: ({ start, end: until, lanes }) => ({
      count: 12,
      total: until - start,
      rows: [{ name: made.texts[11], count: 8, total: (until - start) / 2, self: 5 }, { name: made.texts[12], count: 4, total: (until - start) / 4, self: 4 }],
      more: 0,
      filter: `ts >= ${start} and ts < ${until} and lane in ${lanes}`,
    }),
  };
  /** @type {Connection} */
  const connection = {
    onOpen: null,
    onMessage: null,
    onClose: null,
    send: (/** @type {any} */ request) => {
      log.push(request);
      setTimeout(() => {
        /** @type {ArrayBuffer[]} */
        const buffers = [];
        const reply = { type: request.type, id: request.id, ...answers[request.type](request, buffers) };
        connection.onMessage?.(reply, buffers);
      });
      return true;
    },
    dispose: () => {
      connection.onMessage = null;
    },
  };
  return connection;
};

// @ts-check
// Messages of the kernel: the samples of docs/timeline-format.md, damaged columns, the conversation.

import { fromKernel } from "/static/timeline-source.js";
import { Conversation, NameTable, absolute, columnsOf, readTimeline, tileOf } from "/static/timeline-wire.js";

import { equal, ok } from "./assert.js";
import { bundle, kernel, threads, trace } from "./timeline-samples.js";

/** @param {string} name */
const sample = async (name) => (await fetch(`/units/${name}`)).json();

export async function sample_of_the_kernel_is_read() {
  const { lanes, tile, names, sides, bounds } = readTimeline(await sample("timeline.json"));
  equal(lanes.map(({ label, levels }) => [label, levels])[2], ["stream 7", 2]);
  equal(bounds, { from: 0, to: 100_000 });
  const stream = tile.lanes.get(2);
  ok(stream, "stream 7 has slices");
  equal([...(stream?.start ?? [])], [12000, 70000, 30000, 71000]);
  equal(names.text[stream?.name[0] ?? 0], "gemm <script>alert(1)</script>");
  equal([...(tile.lanes.get(4)?.value ?? [])], [0, 1, 0, 1, 0]);
  equal([...(tile.lanes.get(4)?.end ?? [])], [6000, 12000, 64000, 70000, 100000]);
  equal(absolute(sides[0].base, 12000), "1682725898237054123");
}

export async function reply_has_the_same_slices_as_the_output() {
  const { lanes, tile } = readTimeline(await sample("timeline.json"));
  const { data, buffers } = await sample("timeline-reply.json");
  const bytes = buffers.map((/** @type {string} */ text) => Uint8Array.from(atob(text), (char) => char.charCodeAt(0)).buffer);
  const reply = tileOf(data, lanes, new Conversation(new NameTable()), bytes);
  for (const [lane, slices] of tile.lanes) {
    equal([...(reply.lanes.get(lane)?.start ?? [])], [...slices.start]);
    equal([...(reply.lanes.get(lane)?.end ?? [])], [...slices.end]);
  }
}

export async function negative_duration_ends_at_its_start() {
  const { tile } = readTimeline(await sample("timeline.json"));
  const stream = tile.lanes.get(3);
  equal([stream?.start[1], stream?.end[1]], [90000, 90000]);
}

export function damaged_columns_are_refused() {
  const message = (/** @type {() => unknown} */ act) => {
    try {
      act();
    } catch (error) {
      return error instanceof Error ? error.message : "";
    }
    return "no error";
  };
  equal(message(() => columnsOf([{ name: "start", type: "f64", buffer: 0 }], [])), "invalid column `start`: its values are missing");
  const columns = [
    { name: "start", type: /** @type {const} */ ("u8"), data: "AAAA" },
    { name: "dur", type: /** @type {const} */ ("u8"), data: "AA==" },
  ];
  equal(message(() => columnsOf(columns)), "invalid column `dur`: expected 3 values, got 1");
  equal(message(() => readTimeline(/** @type {any} */ ({ version: 3 }))), "a newer version of Tracebook wrote it");
}

export function column_is_read_from_any_byte() {
  const bytes = new Uint8Array(9);
  bytes.set(new Uint8Array(new Float64Array([42]).buffer), 1);
  equal([...columnsOf([{ name: "a", type: "f64", buffer: 0 }], [new DataView(bytes.buffer, 1)]).a], [42]);
}

export function conversations_number_names_in_their_own_way() {
  const table = new NameTable();
  const [one, two] = [new Conversation(table), new Conversation(table)];
  one.learn({ ids: [0, 1], texts: ["gemm", "add"] });
  two.learn({ ids: [7], texts: ["add"] });
  equal([...one.translate(Uint8Array.of(1, 0))], [1, 0]);
  equal([...two.translate(Uint8Array.of(7))], [1]);
}

export async function kernel_is_asked_and_answers_in_its_own_time() {
  const made = trace(2000);
  const timeline = readTimeline(/** @type {any} */ (bundle(made, 100)));
  /** @type {any[]} */
  const log = [];
  const connect = kernel(made, log);
  const source = fromKernel(() => connect(), timeline, () => {});
  const tile = await source?.view({ from: 1000, to: 50_000, level: 0 }, [1, 3], 600);
  equal(log[0], { type: "view", id: 1, start: 1000, end: 50_000, width_px: 600, lanes: [1, 3] });
  equal([...(tile?.lanes.keys() ?? [])], [1, 3]);
  const found = await source?.search("FLASH");
  ok(found && found.count > 10 && found.found.every(({ name }) => name.includes("flash")), "search");
  const other = fromKernel(() => kernel(made)(), timeline, () => {});
  equal((await other?.search("flash"))?.found[0].name, "");
  source?.dispose();
  equal(await source?.search("flash"), null);
}

export function output_of_some_lanes_is_read_and_its_order_checked() {
  const sent = /** @type {any} */ (bundle(threads(500), 1400, 100));
  const { lanes, laneCount, tile } = readTimeline(sent);
  equal([lanes.length, laneCount, lanes[99].id, lanes[99].label], [100, 501, 500, "stream 7"]);
  equal([...tile.lanes.keys()].slice(-2), [98, 500]);
  for (const change of [{ lane_count: undefined }, { lane_count: 500 }, { lane_count: "x" }, { lanes: [...sent.lanes].reverse() }]) {
    let message = "";
    try {
      readTimeline({ ...sent, ...change });
    } catch (error) {
      message = error instanceof Error ? error.message : "";
    }
    equal(message, "its lanes are not in order");
  }
}

export async function kernel_is_asked_for_lanes_that_are_not_listed() {
  const made = threads(500);
  /** @type {any[]} */
  const log = [];
  const timeline = readTimeline(/** @type {any} */ (bundle(made, 1400, 100)));
  const source = fromKernel(() => kernel(made, log)(), timeline, () => {});
  equal((await source?.lanes({ from: 99, count: 2 }))?.map(({ label, group }) => [label, group]), [["thread 1099", ""], ["thread 1100", ""]]);
  equal((await source?.lanes({ ids: [77] }))?.map(({ id }) => id), [77]);
  await source?.sum({ from: 0, to: 9, lanes: timeline.lanes.map(({ id }) => id) });
  await source?.sum({ from: 0, to: 9, lanes: [1] });
  equal(log.slice(2).map(({ lanes }) => lanes ?? "all"), ["all", [1]]);
}

export async function hostile_json_is_read_or_refused() {
  const good = await sample("timeline.json");
  /** @type {[object, string][]} */
  const cases = [
    [{ start: null }, "its start or end is not a number"],
    [{ lanes: [] }, "invalid view: unknown lane 0"],
    [{ view: { ...good.view, tracks: [[0, 0, 1e9]] } }, "invalid view: expected 1000000000 slices, got 14"],
    [{ view: { ...good.view, tracks: [[0, 0, -5]] } }, "invalid view: expected -5 slices, got 14"],
    [{ view: { ...good.view, counters: [[4, 99]] } }, "invalid view: counter 4 has no lane or no samples"],
    [{ view: { ...good.view, window: "x", names: { ids: [-1, 1e9, "x"], texts: [1] } } }, ""],
    [{ lanes: good.lanes.map((/** @type {object} */ lane) => ({ ...lane, levels: 1e12, label: null, id: 7 })) }, ""],
    [{ lanes: [], view: { ...good.view, tracks: [], counters: [] } }, ""],
    [{ end: -1, shown: { start: 5, end: 5 } }, ""],
  ];
  for (const [change, expected] of cases) {
    let message = "";
    try {
      readTimeline({ ...good, ...change });
    } catch (error) {
      message = error instanceof Error ? error.message : String(error);
    }
    equal(message, expected);
  }
}

export async function replaced_search_answers_nothing_and_an_error_is_thrown() {
  const timeline = readTimeline(/** @type {any} */ (bundle(trace(100))));
  /** @type {any[]} */
  const sent = [];
  const connection = { onOpen: null, onClose: null, onMessage: (/** @type {any} */ _, /** @type {any} */ __) => {}, send: (/** @type {any} */ data) => sent.push(data) > 0, dispose: () => {} };
  const source = fromKernel(() => connection, timeline, () => {});
  const first = source?.search("a");
  const second = source?.search("b");
  equal(await first, null);
  equal(sent.map(({ replaces }) => replaces), ["search", "search"]);
  connection.onMessage({ id: 2, error: { ename: "UsageError", evalue: "cannot search" } }, []);
  equal(await second?.catch(({ message }) => message), "cannot search");
}

export function no_kernel_is_no_source() {
  const timeline = readTimeline(/** @type {any} */ (bundle(trace(100))));
  equal([fromKernel(undefined, timeline, () => {}), fromKernel(() => null, timeline, () => {})], [null, null]);
}

export async function ended_conversation_answers_nothing_until_it_is_open_again() {
  const timeline = readTimeline(/** @type {any} */ (bundle(trace(100))));
  /** @type {string[]} */
  const reasons = [];
  const connection = { onOpen: () => {}, onClose: (/** @type {any} */ _) => {}, onMessage: () => {}, send: () => true, dispose: () => {} };
  const source = fromKernel(() => connection, timeline, (reason) => reasons.push(reason));
  const waiting = source?.view({ from: 0, to: 10, level: 0 }, [0], 10);
  connection.onClose({ evalue: "the kernel was restarted" });
  equal([await waiting, source?.live], [null, false]);
  connection.onOpen();
  equal([source?.live, reasons], [true, ["the kernel was restarted", ""]]);
}

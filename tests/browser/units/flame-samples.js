// @ts-check
// Generated flame graphs in the format of the kernel.

/** @import { Flame, Packed } from "../../../labextension/types/timeline" */
/** @typedef {{ name: string, control: number, test: number, inner: Node[] }} Node */

const NAMES = ["forward", "backward", "TransformerEncoderLayer", "aten::linear", "aten::addmm", "cudaLaunchKernel", "aten::softmax", "optimizer.step", "<b>hostile</b>"];

/** Packs columns as base64. @param {Record<string, number[]>} columns @returns {Packed[]} */
const packed = (columns) =>
  Object.entries(columns).map(([name, values]) => {
    const bytes = new Uint8Array(new Float64Array(values).buffer);
    let text = "";
    bytes.forEach((byte) => (text += String.fromCharCode(byte)));
    return { name, type: "f64", data: btoa(text) };
  });

/** A flame graph with about so many boxes; with two sides, some stacks are only on one of them. @param {number} boxes @param {boolean} [two] @returns {Flame} */
export function flame(boxes, two = false) {
  let [state, left] = [11, boxes];
  const next = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
  /** @param {number} depth @param {number} width @returns {Node} */
  const grow = (depth, width) => {
    left -= 1;
    const name = NAMES[Math.floor(next() * NAMES.length)];
    const side = two ? [1, 1, 1, 0, 2][Math.floor(next() * 5)] : 0;
    const [control, test] = two ? [side === 2 ? 0 : width / 2, side === 0 ? 0 : (width / 2) * (0.7 + 0.6 * next())] : [width, 0];
    const node = { name, control: Math.round(control), test: Math.round(test), inner: /** @type {Node[]} */ ([]) };
    for (let room = node.control + node.test; left > 0 && depth < 14 && room > 2000 && node.inner.length < 5; ) {
      const part = Math.floor(Math.min(room * (0.25 + 0.5 * next()), node.control + node.test - node.inner.reduce((sum, { control, test }) => sum + control + test, 0)));
      if (part < 1000) {
        break;
      }
      const inner = grow(depth + 1, part * 0.8);
      node.inner.push(inner);
      room -= inner.control + inner.test;
    }
    return node;
  };
  /** @type {Node} */
  const root = { name: "ProfilerStep#1", control: 0, test: 0, inner: [] };
  while (left > 0) {
    root.inner.push(grow(1, 4e6 * (0.5 + next())));
  }
  root.control = root.inner.reduce((sum, { control }) => sum + control, 0);
  root.test = root.inner.reduce((sum, { test }) => sum + test, 0);
  const names = ["ProfilerStep#1", ...NAMES];
  const lay = (/** @type {boolean} */ heavy) => {
    /** @type {Record<string, number[]>} */
    const columns = { parent: [], depth: [], name: [], start: [], dur: [], self: [], count: [] };
    if (two) {
      Object.assign(columns, { control: [], test: [], change: [] });
    }
    const add = (/** @type {Node} */ node, /** @type {number} */ parent, /** @type {number} */ depth, /** @type {number} */ start) => {
      const size = node.control + node.test;
      const row = columns.parent.push(parent) - 1;
      columns.depth.push(depth);
      columns.name.push(names.indexOf(node.name));
      columns.start.push(start);
      columns.dur.push(size);
      columns.self.push(size - node.inner.reduce((sum, { control, test }) => sum + control + test, 0));
      columns.count.push(3);
      columns.control?.push(node.control);
      columns.test?.push(node.test);
      columns.change?.push(!node.control ? 1 : !node.test ? 2 : node.test > node.control * 1.05 ? 3 : node.test < node.control * 0.95 ? 4 : 0);
      let at = start;
      for (const inner of heavy ? [...node.inner].sort((a, b) => b.control + b.test - a.control - a.test) : node.inner) {
        add(inner, row, depth + 1, at);
        at += inner.control + inner.test;
      }
    };
    add(root, -1, 0, 0);
    return packed(columns);
  };
  return {
    version: 1,
    title: two ? "Flame graph of control and test" : "Flame graph of generated",
    summary: `${boxes} stacks`,
    by: "cpu",
    sides: two ? ["control", "test"] : ["generated"],
    total: two ? [root.control, root.test] : [root.control],
    names,
    layouts: { "left-heavy": lay(true), time: lay(false) },
  };
}

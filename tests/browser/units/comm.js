// @ts-check
// Conversations of views with the kernel, with stand-ins for JupyterLab.

import { connect, connecting } from "/static/comm.js";

import { equal, ok } from "./assert.js";

/** A signal of Lumino. */
class Signal {
  constructor() {
    /** @type {Set<(sender: unknown, args: any) => void>} */
    this.slots = new Set();
  }

  /** @param {(sender: unknown, args: any) => void} slot */
  connect(slot) {
    return Boolean(this.slots.add(slot));
  }

  /** @param {(sender: unknown, args: any) => void} slot */
  disconnect(slot) {
    return this.slots.delete(slot);
  }

  /** @param {unknown} [args] */
  emit(args) {
    [...this.slots].forEach((slot) => slot(this, args));
  }
}

/** A kernel that keeps the comms it is asked for. */
class Kernel {
  constructor(name = "tracebook") {
    this.name = name;
    this.isDisposed = false;
    this.refuses = false;
    /** @type {any[]} */
    this.comms = [];
  }

  /** @param {string} target */
  createComm(target) {
    if (this.refuses) {
      throw new Error("Comms are disabled on this kernel connection");
    }
    const comm = {
      target,
      isDisposed: false,
      /** @type {unknown[]} */
      sent: [],
      onMsg: (/** @type {any} */ _) => {},
      onClose: (/** @type {any} */ _) => {},
      open: (/** @type {unknown} */ data) => comm.sent.push(["open", data]),
      send: (/** @type {unknown} */ data, /** @type {unknown} */ _, /** @type {unknown[]} */ buffers) => comm.sent.push(["send", data, buffers.length]),
      close: () => comm.sent.push(["close"]),
    };
    this.comms.push(comm);
    return comm;
  }
}

/** A page with a notebook and a console of one kernel. */
async function page({ name = "tracebook", trusted = true } = {}) {
  const kernel = new Kernel(name);
  const context = {
    isDisposed: false,
    session: { kernel: /** @type {Kernel | null} */ (kernel) },
    kernelChanged: new Signal(),
    statusChanged: new Signal(),
    connectionStatusChanged: new Signal(),
    iopubMessage: new Signal(),
  };
  const [root, output, typed] = [document.createElement("div"), document.createElement("div"), document.createElement("div")];
  root.append(output);
  const cell = { node: root, model: { trusted } };
  const panel = { content: { node: root, widgets: [cell] }, sessionContext: context };
  const console = { console: { node: typed }, sessionContext: context };
  const find = (/** @type {any} */ one) => ({ find: (/** @type {(panel: any) => boolean} */ test) => [one].find(test) });
  const { optional, activate } = await connecting(async (/** @type {string} */ of) =>
    of.endsWith("notebook") ? { INotebookTracker: "notebooks" } : { IConsoleTracker: "consoles" },
  );
  equal(optional, ["notebooks", "consoles"]);
  activate(/** @type {any} */ (undefined), find(panel), find(console));
  return { kernel, context, output, typed, last: () => kernel.comms[kernel.comms.length - 1] };
}

export async function messages_go_both_ways() {
  const { output, last } = await page();
  const connection = connect("tracebook.echo", output, { a: 1 });
  ok(connection?.isOpen, "it is not open");
  /** @type {unknown[]} */
  const seen = [];
  Object.assign(connection ?? {}, {
    onMessage: (/** @type {unknown} */ data, /** @type {ArrayBuffer[]} */ buffers) => seen.push(data, buffers.map((it) => [...new Uint8Array(it)])),
  });
  ok(connection?.send({ id: 1 }, [new ArrayBuffer(4)]), "not sent");
  equal(last().sent, [["open", { a: 1 }], ["send", { id: 1 }, 1]]);
  const bytes = new Uint8Array([1, 2, 3, 4]);
  const buffers = [bytes.buffer, new DataView(bytes.buffer, 1, 2), new Uint8Array(0)];
  last().onMsg({ content: { data: { id: 1 } }, buffers });
  equal(seen, [{ id: 1 }, [[1, 2, 3, 4], [2, 3], []]]);
  connection?.dispose();
  equal(last().sent[2], ["close"]);
  last().onMsg({ content: { data: {} } });
  equal([seen.length, connection?.isOpen, connection?.send({})], [2, false, false]);
}

export async function without_a_kernel_of_ours_there_is_no_connection() {
  const node = document.createElement("p");
  const { output, context, kernel } = await page();
  equal(connect("t", node, {}), null);
  kernel.refuses = true;
  equal(connect("t", output, {}), null);
  context.session.kernel = null;
  equal(connect("t", output, {}), null);
  const { statusChanged, connectionStatusChanged, iopubMessage, kernelChanged } = context;
  equal([statusChanged, connectionStatusChanged, iopubMessage, kernelChanged].map(({ slots }) => slots.size), [0, 0, 0, 0]);
  const other = await page({ name: "python3" });
  equal(connect("t", other.output, {}), null);
}

export async function an_untrusted_output_reaches_no_kernel() {
  const { output, typed, kernel } = await page({ trusted: false });
  equal(connect("t", output, {}), null);
  equal(kernel.comms.length, 0);
  ok(connect("t", typed, {}), "a console shows what its own kernel answered");
}

export async function it_is_opened_again_after_a_restart() {
  const { output, context, kernel, last } = await page();
  const connection = connect("t", output, { a: 1 });
  /** @type {unknown[]} */
  const seen = [];
  Object.assign(connection ?? {}, {
    onOpen: () => seen.push("open"),
    onClose: (/** @type {any} */ reason) => seen.push(reason?.ename ?? null),
  });
  // JupyterLab disposes of comms without a word.
  last().isDisposed = true;
  context.statusChanged.emit("restarting");
  equal([seen, connection?.isOpen], [["KernelRestarted"], false]);
  context.statusChanged.emit("starting");
  equal(kernel.comms.length, 1);
  context.statusChanged.emit("idle");
  equal([seen[1], last().sent, connection?.isOpen], ["open", [["open", { a: 1 }]], true]);
  context.statusChanged.emit("idle");
  equal(kernel.comms.length, 2);
  // A fast kernel is connected before it has a status; a comm that is opened too early is lost without a word.
  context.statusChanged.emit("restarting");
  context.connectionStatusChanged.emit("connecting");
  equal(kernel.comms.length, 2);
  context.connectionStatusChanged.emit("connected");
  equal([kernel.comms.length, seen.splice(2)], [3, ["KernelRestarted", "open"]]);
  last().isDisposed = true;
  context.statusChanged.emit("idle");
  equal([kernel.comms.length, seen.splice(2)], [4, ["KernelRestarted", "open"]]);
  const another = new Kernel();
  context.session.kernel = another;
  context.kernelChanged.emit();
  equal([seen.slice(2), another.comms.length], [[null, "open"], 1]);
}

export async function a_cell_may_have_loaded_what_was_missing() {
  const { output, context, kernel, last } = await page();
  const connection = connect("t", output, {});
  let reason = "";
  Object.assign(connection ?? {}, { onClose: (/** @type {any} */ given) => (reason = given.evalue) });
  last().onClose({ content: { data: { error: { ename: "UsageError", evalue: "unknown trace" } } } });
  equal([reason, connection?.isOpen, connection?.send({})], ["unknown trace", false, false]);
  const idle = (/** @type {string} */ parent) =>
    context.iopubMessage.emit({ header: { msg_type: "status" }, parent_header: { msg_type: parent }, content: { execution_state: "idle" } });
  idle("comm_open");
  equal(kernel.comms.length, 1);
  idle("execute_request");
  equal([kernel.comms.length, connection?.isOpen], [2, true]);
}

export async function errors_of_a_view_stay_its_own() {
  const { output, last } = await page();
  const connection = connect("t", output, {});
  Object.assign(connection ?? {}, {
    onMessage: () => {
      throw new Error("of the view");
    },
  });
  last().onMsg({ content: {} });
  ok(connection?.isOpen, "it is closed");
}

export async function closing_the_page_closes_conversations() {
  const { output, last } = await page();
  connect("t", output, {});
  window.dispatchEvent(new Event("pagehide"));
  equal(last().sent[1], ["close"]);
}

// @ts-check
// Conversations of views with the kernel (comms): see docs/comms.md. The plugin keeps the notebooks and consoles of the page, in which
// `connect` finds the kernel of an output.

import { KERNEL } from "./notebooks.js";

/**
 * @import { Comm, CommMessage, Connection, ConsoleTracker, IopubMessage, Reason, SessionContext } from "../types/comm"
 * @import { MakePlugin, NotebookTracker } from "../types/jupyterlab"
 */

/** @type {NotebookTracker | undefined} */
let notebooks;
/** @type {ConsoleTracker | undefined} */
let consoles;

/** The time between two attempts to open a conversation again when a view sends, in milliseconds. */
const RETRY_MS = 1000;
/** States of a kernel that loses its conversations. */
const LOST = ["restarting", "autorestarting", "terminating", "dead"];

/** The conversations of this page. @type {Set<Conversation>} */
const open = new Set();

/**
 * Opens a conversation with the kernel of the notebook or console that contains `node`, which must be in the page. `data` is what the
 * target is opened with, now and after a restart of the kernel.
 *
 * Returns null where there is no kernel of ours, and in an output that is not trusted: it may come from elsewhere.
 *
 * @param {string} target
 * @param {Node} node
 * @param {object} data
 * @returns {Connection | null}
 */
export function connect(target, node, data) {
  const context = contextOf(node);
  if (!context || !kernelOf(context)) {
    return null;
  }
  const conversation = new Conversation(target, context, data);
  if (!conversation.reopen()) {
    conversation.dispose();
    return null;
  }
  return conversation;
}

/** Returns the session that made the output with `node`. @param {Node} node @returns {SessionContext | undefined} */
function contextOf(node) {
  const panel = notebooks?.find(({ content }) => content.node.contains(node));
  if (panel) {
    const cell = panel.content.widgets.find((candidate) => candidate.node.contains(node));
    return cell?.model.trusted === true ? panel.sessionContext : undefined;
  }
  // A console shows only what its own kernel answered.
  return consoles?.find((candidate) => candidate.console.node.contains(node))?.sessionContext;
}

/** Returns the kernel of a session if it is ours. @param {SessionContext} context */
function kernelOf(context) {
  const kernel = context.isDisposed ? null : context.session?.kernel;
  return kernel && !kernel.isDisposed && kernel.name === KERNEL ? kernel : null;
}

/** Returns the bytes of a buffer of a message. @param {ArrayBuffer | ArrayBufferView} buffer @returns {ArrayBuffer} */
function bytes(buffer) {
  if (buffer instanceof ArrayBuffer) {
    return buffer;
  }
  const { buffer: whole, byteOffset, byteLength } = buffer;
  const all = byteOffset === 0 && byteLength === whole.byteLength;
  return /** @type {ArrayBuffer} */ (all ? whole : whole.slice(byteOffset, byteOffset + byteLength));
}

/** A conversation. @implements {Connection} */
class Conversation {
  /** @param {string} target @param {SessionContext} context @param {object} data */
  constructor(target, context, data) {
    this.target = target;
    this.context = context;
    this.data = data;
    /** @type {Connection["onOpen"]} */
    this.onOpen = null;
    /** @type {Connection["onMessage"]} */
    this.onMessage = null;
    /** @type {Connection["onClose"]} */
    this.onClose = null;
    /** @type {Comm | null} */
    this.comm = null;
    /** When the kernel was last asked. */
    this.tried = -Infinity;
    this.isDisposed = false;
    this.onKernel = () => {
      this.lose(null);
      this.reopen();
    };
    this.onStatus = (/** @type {unknown} */ _, /** @type {string} */ status) => {
      // JupyterLab disposes of comms without a word, also of one that was opened while the kernel was restarting.
      if (LOST.includes(status) || this.comm?.isDisposed) {
        this.lose({ ename: "KernelRestarted", evalue: "the kernel was restarted or has ended" });
        this.isWaiting = true;
      }
      if (status === "idle") {
        this.endWaiting();
      }
    };
    // A kernel that restarts fast has no status until its first cell.
    this.onConnection = (/** @type {unknown} */ _, /** @type {string} */ status) => {
      if (status === "connected") {
        this.endWaiting();
      }
    };
    this.onIopub = (/** @type {unknown} */ _, /** @type {IopubMessage} */ message) => {
      const isEnd = message.header.msg_type === "status" && message.content.execution_state === "idle";
      // A cell may have loaded the trace that was missing.
      if (!this.isOpen && isEnd && message.parent_header.msg_type === "execute_request") {
        this.reopen();
      }
    };
    /** Whether a restarted kernel is not yet ready. */
    this.isWaiting = false;
    context.kernelChanged.connect(this.onKernel);
    context.statusChanged.connect(this.onStatus);
    context.connectionStatusChanged.connect(this.onConnection);
    context.iopubMessage.connect(this.onIopub);
    open.add(this);
  }

  get isOpen() {
    return this.comm !== null && !this.comm.isDisposed;
  }

  /** @param {object} data @param {(ArrayBuffer | ArrayBufferView)[]} [buffers] */
  send(data, buffers = []) {
    if (!this.isOpen && (performance.now() - this.tried < RETRY_MS || !this.reopen())) {
      return false;
    }
    try {
      this.comm?.send(data, {}, buffers);
      return true;
    } catch {
      this.lose(null);
      return false;
    }
  }

  /** Asks a restarted kernel again. */
  endWaiting() {
    this.isWaiting = this.isWaiting && !this.reopen();
  }

  /** Opens the comm, unless it is open; returns whether it is then. */
  reopen() {
    const kernel = kernelOf(this.context);
    if (this.isOpen || this.isDisposed || !kernel) {
      return this.isOpen;
    }
    const isFirst = this.tried === -Infinity;
    this.tried = performance.now();
    try {
      const comm = kernel.createComm(this.target);
      comm.onMsg = (message) => this.receive(comm, message);
      comm.onClose = (message) => {
        if (this.comm === comm) {
          this.lose(message.content.data?.error ?? null);
        }
      };
      comm.open(this.data);
      this.comm = comm;
    } catch {
      // Another connection of this page has the comms of the kernel, or the kernel has just ended.
      return false;
    }
    if (!isFirst) {
      this.tell("onOpen", () => this.onOpen?.());
    }
    return true;
  }

  /** @param {Comm} comm @param {CommMessage} message */
  receive(comm, message) {
    if (this.comm === comm) {
      this.tell("onMessage", () => this.onMessage?.(message.content.data ?? {}, (message.buffers ?? []).map(bytes)));
    }
  }

  /** Notes that the comm is closed. @param {Reason | null} reason */
  lose(reason) {
    if (this.comm) {
      this.comm = null;
      this.tell("onClose", () => this.onClose?.(reason));
    }
  }

  /** Calls the view, whose errors are its own. @param {string} name @param {() => void} call */
  tell(name, call) {
    try {
      call();
    } catch (error) {
      console.warn(`tracebook: ${name} of ${this.target} failed:`, error);
    }
  }

  dispose() {
    if (this.isDisposed) {
      return;
    }
    this.isDisposed = true;
    open.delete(this);
    const { comm, context } = this;
    this.comm = this.onOpen = this.onMessage = this.onClose = null;
    context.kernelChanged.disconnect(this.onKernel);
    context.statusChanged.disconnect(this.onStatus);
    context.connectionStatusChanged.disconnect(this.onConnection);
    context.iopubMessage.disconnect(this.onIopub);
    try {
      if (comm && !comm.isDisposed) {
        comm.close();
      }
    } catch {
      // The kernel has ended, and the comm with it.
    }
  }
}

/** The plugin. @type {MakePlugin} */
export async function connecting(shared) {
  const { INotebookTracker } = await shared("@jupyterlab/notebook");
  // Pages without consoles need not share the package.
  const { IConsoleTracker } = await shared("@jupyterlab/console").catch(() => ({ IConsoleTracker: undefined }));
  return {
    optional: [INotebookTracker, IConsoleTracker].filter(Boolean),
    activate: (_, /** @type {NotebookTracker | undefined} */ notebookTracker, /** @type {ConsoleTracker | undefined} */ consoleTracker) => {
      [notebooks, consoles] = [notebookTracker, consoleTracker];
      // The kernel cannot see that a page was closed or reloaded.
      window.addEventListener("pagehide", () => [...open].forEach((conversation) => conversation.dispose()));
    },
  };
}

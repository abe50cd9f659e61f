// Conversations of views with the kernel: what `comm.js` offers, and the members of JupyterLab that it uses.

import type { Signal, Widget } from "./jupyterlab";

/** Why the kernel closed a conversation, or why it is lost: `docs/comms.md` lists the names. */
export interface Reason {
  ename: string;
  evalue: string;
}

/** A conversation of a view with the kernel. Its callbacks are set by the view. */
export interface Connection {
  /** Whether it is open as far as is known: the kernel may have closed it and the message may be under way. */
  readonly isOpen: boolean;
  /** Called each time it was opened again after it was closed: the view asks for what it shows. */
  onOpen: (() => void) | null;
  /** Called with each message of the kernel. */
  onMessage: ((data: Record<string, any>, buffers: ArrayBuffer[]) => void) | null;
  /** Called when it is closed, with the reason if there is one. It is opened again by itself where that may help. */
  onClose: ((reason: Reason | null) => void) | null;
  /**
   * Sends a message. A closed conversation is opened again first. Returns false if that is not possible now: the message is not sent.
   */
  send(data: object, buffers?: (ArrayBuffer | ArrayBufferView)[]): boolean;
  /** Ends it for good. */
  dispose(): void;
}

export interface CommMessage {
  content: { data?: any };
  buffers?: (ArrayBuffer | ArrayBufferView)[];
}

/** JupyterLab's IComm. */
export interface Comm {
  readonly isDisposed: boolean;
  onMsg: (message: CommMessage) => void;
  onClose: (message: CommMessage) => void;
  open(data: object): unknown;
  send(data: object, metadata?: object, buffers?: (ArrayBuffer | ArrayBufferView)[]): unknown;
  close(): unknown;
}

export interface IopubMessage {
  header: { msg_type: string };
  parent_header: { msg_type?: string };
  content: { execution_state?: string };
}

export interface KernelConnection {
  readonly name: string;
  readonly isDisposed: boolean;
  createComm(target: string): Comm;
}

export interface SessionContext {
  readonly isDisposed: boolean;
  readonly session: { kernel: KernelConnection | null } | null;
  readonly path: string;
  readonly kernelPreference: { readonly name?: string; readonly shouldStart?: boolean };
  readonly specsManager: { readonly ready: Promise<void> };
  readonly sessionManager: { readonly ready: Promise<void>; refreshRunning(): Promise<void>; running(): Iterable<{ path: string }> };
  /** Connects a document that is opened to its session, or starts its kernel; called again, answers with that. */
  initialize(): Promise<boolean>;
  startKernel(): Promise<boolean>;
  readonly kernelChanged: Signal<unknown, unknown>;
  readonly statusChanged: Signal<unknown, string>;
  readonly connectionStatusChanged: Signal<unknown, string>;
  readonly iopubMessage: Signal<unknown, IopubMessage>;
}

export interface ConsolePanel extends Widget {
  readonly console: Widget;
  readonly sessionContext: SessionContext;
}

export interface ConsoleTracker {
  find(test: (panel: ConsolePanel) => boolean): ConsolePanel | undefined;
}

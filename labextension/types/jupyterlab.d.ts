// The few members of JupyterLab, Lumino and CodeMirror that the extension uses. Their own type packages are not installed.

import type { SessionContext } from "./comm";

export interface Signal<Sender, Args> {
  connect(slot: (sender: Sender, args: Args) => void): boolean;
  disconnect(slot: (sender: Sender, args: Args) => void): boolean;
}

/** Lumino's Widget. */
export interface Widget {
  readonly id: string;
  readonly node: HTMLElement;
  readonly isDisposed: boolean;
  readonly disposed: Signal<unknown, unknown>;
  addClass(name: string): void;
  dispose(): void;
}

export type WidgetClass = new () => Widget;

/** An output: MIME type → content. */
export interface OutputModel {
  data: Record<string, unknown>;
}

/** The shared data model of a notebook. */
export interface SharedNotebook {
  getMetadata(key: string): unknown;
  insertCell(index: number, cell: { cell_type: string; source: string; metadata: object }): void;
  readonly metadataChanged: Signal<unknown, unknown>;
}

/** The `execution` metadata of a cell: message → date. */
export type Execution = Record<string, string>;

export interface ExecuteReply {
  metadata?: { started?: string; duration?: number | string };
}

export interface Cell extends Widget {
  readonly ready: Promise<void>;
  readonly inputArea?: Widget | null;
  readonly outputArea?: { future?: { done: Promise<ExecuteReply> } | null };
  readonly model: {
    type: string;
    /** Whether its outputs were made in this session, or the user trusts them. */
    readonly trusted?: boolean;
    getMetadata(key: string): unknown;
    setMetadata(key: string, value: unknown): void;
    readonly metadataChanged: Signal<unknown, unknown>;
  };
}

export interface Notebook extends Widget {
  readonly widgets: readonly Cell[];
  readonly model: { sharedModel: SharedNotebook; cells: { changed: Signal<unknown, unknown> } } | null;
  activeCellIndex: number;
  deselectAll(): void;
  scrollToItem?(index: number): unknown;
}

export interface NotebookPanel extends Widget {
  readonly content: Notebook;
  readonly context: { ready: Promise<void> };
  readonly sessionContext: SessionContext;
}

export interface NotebookTracker {
  find(test: (panel: NotebookPanel) => boolean): NotebookPanel | undefined;
  forEach(call: (panel: NotebookPanel) => void): void;
  readonly widgetAdded: Signal<unknown, NotebookPanel>;
}

export interface Application {
  shell: { activateById(id: string): void };
  commands: { execute(command: string): unknown };
}

/** The model of an editor: that of a cell has a shared model with a notebook. */
export interface EditorModel {
  sharedModel?: { notebook?: SharedNotebook };
  mimeType: string;
  readonly mimeTypeChanged: Signal<unknown, unknown>;
}

/** Loads a package that JupyterLab shares. Packages have no types here: each module names the members it uses. */
export type Shared = (name: string) => Promise<any>;

/** What a plugin module answers: the tokens of the services it uses if they exist, and what to do with them. */
export interface PluginParts {
  optional: unknown[];
  activate(app: Application, ...services: any[]): void;
}

export type MakePlugin = (shared: Shared) => Promise<PluginParts>;

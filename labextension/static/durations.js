// @ts-check
// The duration of each cell, shown at its edge. The kernel's reply contains it. The notebook keeps it in nbformat's `execution`
// metadata, so that it is shown again when the notebook is reopened, and other tools can read it.

import { addStyleSheet, element } from "./element.js";
import { MARK, eachPanel, isOurs } from "./notebooks.js";

/** @import { Cell, Execution, MakePlugin, Notebook, NotebookTracker } from "../types/jupyterlab" */

const STARTED = "shell.execute_reply.started";
const ENDED = "shell.execute_reply";
/** The keys that programs write for the start of a cell, ours first. */
const STARTS = [STARTED, "iopub.execute_input", "iopub.status.busy"];

/** The width of a duration in pixels. JupyterLab's toolbar of the cell moves left by it. */
const WIDTH = 54;

const STYLE = `
.${MARK} .jp-CodeCell .jp-cell-toolbar { margin-right: ${WIDTH}px; }
.tracebook-duration { display: none; }
.${MARK} .tracebook-duration { display: block; align-self: flex-end; flex: 0 0 auto; box-sizing: border-box; min-width: ${WIDTH}px;
  padding: 0 6px 4px 8px; text-align: right; cursor: default;
  color: var(--jp-ui-font-color2, #666); font: var(--jp-ui-font-size0, 11px) var(--jp-ui-font-family, sans-serif);
  font-variant-numeric: tabular-nums; white-space: nowrap; }
`;

/** Writes a duration: `4 ms`, `0.21 s`, `12.3 s`, `3 min 07 s`, `1 h 02 min`. @param {number} seconds */
export function formatDuration(seconds) {
  if (seconds < 0.0095) {
    return `${Math.round(seconds * 1000)} ms`;
  }
  if (seconds < 59.95) {
    return `${seconds.toFixed(seconds < 9.995 ? 2 : 1)} s`;
  }
  const two = (/** @type {number} */ number) => String(number).padStart(2, "0");
  const whole = Math.round(seconds);
  const minutes = Math.floor(whole / 60);
  return minutes < 60 ? `${minutes} min ${two(whole % 60)} s` : `${Math.floor(minutes / 60)} h ${two(minutes % 60)} min`;
}

/**
 * Returns the seconds between start and end in a cell's `execution` metadata, or undefined if one of them is missing.
 *
 * @param {Execution | undefined} execution
 */
export function secondsOf(execution) {
  const [start] = STARTS.map((key) => Date.parse(execution?.[key] ?? "")).filter((date) => !Number.isNaN(date));
  const seconds = (Date.parse(execution?.[ENDED] ?? "") - start) / 1000;
  return seconds >= 0 ? seconds : undefined;
}

/** Writes the duration in the reply to a cell into the cell's metadata. @param {Cell} cell */
async function keep(cell) {
  const reply = await cell.outputArea?.future?.done;
  const started = Date.parse(reply?.metadata?.started ?? "");
  const seconds = Number(reply?.metadata?.duration);
  // With its setting `recordTiming`, JupyterLab has written the metadata itself.
  if (cell.isDisposed || Number.isNaN(started + seconds) || cell.model.getMetadata("execution")) {
    return;
  }
  const date = (/** @type {number} */ milliseconds) => new Date(milliseconds).toISOString();
  cell.model.setMetadata("execution", { [STARTED]: date(started), [ENDED]: date(started + seconds * 1000) });
}

/** Shows the duration of a cell, and updates it. @param {Cell} cell */
function show(cell) {
  const label = element("div", { className: "tracebook-duration", title: "duration of the cell in the kernel" });
  const write = () => {
    const seconds = secondsOf(/** @type {Execution | undefined} */ (cell.model.getMetadata("execution")));
    label.textContent = seconds === undefined ? "" : formatDuration(seconds);
  };
  write();
  cell.model.metadataChanged.connect(write);
  cell.ready.then(() => cell.inputArea?.node.append(label));
}

/** The plugin. @type {MakePlugin} */
export async function durations(shared) {
  const { INotebookTracker, NotebookActions } = await shared("@jupyterlab/notebook");
  return {
    optional: [INotebookTracker],
    activate: (_, /** @type {NotebookTracker | undefined} */ tracker) => {
      if (!tracker) {
        return;
      }
      addStyleSheet("tracebook-duration-style", STYLE);
      const shown = new WeakSet();
      const showAll = (/** @type {Notebook} */ notebook) => {
        for (const cell of notebook.widgets) {
          if (cell.model?.type === "code" && !shown.has(cell)) {
            shown.add(cell);
            show(cell);
          }
        }
      };
      eachPanel(tracker, (panel) => {
        const showNew = () => requestAnimationFrame(() => panel.isDisposed || showAll(panel.content));
        showAll(panel.content);
        panel.content.model?.cells.changed.connect(showNew);
      });
      NotebookActions.executed.connect((/** @type {unknown} */ _, /** @type {{ notebook: Notebook, cell: Cell }} */ { notebook, cell }) => {
        if (cell.model?.type === "code" && isOurs(notebook.model?.sharedModel)) {
          keep(cell).catch(() => {});
        }
      });
    },
  };
}

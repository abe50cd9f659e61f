// How long each cell took, at its edge. The kernel says it in its reply; the notebook keeps it as nbformat's `execution`
// metadata, so that it is there when the notebook is opened again, and is read by other tools.

import { MARK, addStyle, eachPanel, isOurs } from "./notebooks.js";

const STARTED = "shell.execute_reply.started";
const ENDED = "shell.execute_reply";
/** What other programs that run notebooks write for the start. */
const STARTS = [STARTED, "iopub.execute_input", "iopub.status.busy"];

/** The room of a duration in pixels. The cell's own tool bar stands beside it. */
const ROOM = 54;

const STYLE = `
.${MARK} .jp-CodeCell .jp-cell-toolbar { margin-right: ${ROOM}px; }
.tracebook-duration { display: none; }
.${MARK} .tracebook-duration { display: block; align-self: flex-end; flex: 0 0 auto; box-sizing: border-box; min-width: ${ROOM}px;
  padding: 0 6px 4px 8px; text-align: right; cursor: default;
  color: var(--jp-ui-font-color2, #666); font: var(--jp-ui-font-size0, 11px) var(--jp-ui-font-family, sans-serif);
  font-variant-numeric: tabular-nums; white-space: nowrap; }
`;

/** A duration in seconds as text: `4 ms`, `0.21 s`, `12.3 s`, `3 min 07 s`, `1 h 02 min`. */
export function inWords(seconds) {
  if (seconds < 0.0095) {
    return `${Math.round(seconds * 1000)} ms`;
  }
  if (seconds < 59.95) {
    return `${seconds.toFixed(seconds < 9.995 ? 2 : 1)} s`;
  }
  const two = (number) => String(number).padStart(2, "0");
  const whole = Math.round(seconds);
  const minutes = Math.floor(whole / 60);
  return minutes < 60 ? `${minutes} min ${two(whole % 60)} s` : `${Math.floor(minutes / 60)} h ${two(minutes % 60)} min`;
}

/** The seconds between the two dates of a cell's `execution` metadata; undefined if they are not there. */
function seconds(execution) {
  const [start] = STARTS.map((key) => Date.parse(execution?.[key])).filter((at) => !Number.isNaN(at));
  const took = (Date.parse(execution?.[ENDED]) - start) / 1000;
  return took >= 0 ? took : undefined;
}

/** Keeps what the reply to a cell says of its duration in the cell's metadata. */
async function keep(cell) {
  const reply = await cell.outputArea?.future?.done;
  const started = Date.parse(reply?.metadata?.started);
  const took = Number(reply?.metadata?.duration);
  // JupyterLab's own setting `recordTiming` has written it already.
  if (cell.isDisposed || Number.isNaN(started + took) || cell.model.getMetadata("execution")) {
    return;
  }
  const date = (milliseconds) => new Date(milliseconds).toISOString();
  cell.model.setMetadata("execution", { [STARTED]: date(started), [ENDED]: date(started + took * 1000) });
}

/** Shows the duration of a cell, and follows it. */
function show(cell) {
  const label = document.createElement("div");
  label.className = "tracebook-duration";
  label.title = "duration of the cell in the kernel";
  const write = () => {
    const took = seconds(cell.model.getMetadata("execution"));
    label.textContent = took === undefined ? "" : inWords(took);
  };
  write();
  cell.model.metadataChanged.connect(write);
  cell.ready.then(() => cell.inputArea?.node.append(label));
}

/** The plugin. */
export async function durations(shared) {
  const { INotebookTracker, NotebookActions } = await shared("@jupyterlab/notebook");
  return {
    optional: [INotebookTracker],
    activate: (_, tracker) => {
      if (!tracker) {
        return;
      }
      addStyle("tracebook-duration-style", STYLE);
      const shown = new WeakSet();
      const showAll = (notebook) => {
        for (const cell of notebook.widgets) {
          if (cell.model?.type === "code" && !shown.has(cell)) {
            shown.add(cell);
            show(cell);
          }
        }
      };
      eachPanel(tracker, (panel) => {
        const later = () => requestAnimationFrame(() => panel.isDisposed || showAll(panel.content));
        showAll(panel.content);
        panel.content.model?.cells.changed.connect(later);
      });
      NotebookActions.executed.connect((_, { notebook, cell }) => {
        if (cell.model?.type === "code" && isOurs(notebook.model?.sharedModel)) {
          keep(cell).catch(() => {});
        }
      });
    },
  };
}

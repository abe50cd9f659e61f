// @ts-check
// Notebooks of this kernel: how to recognize them, and how their text outputs break into lines.

import { addStyleSheet } from "./element.js";
import { keepHyphens } from "./hyphens.js";

/** @import { MakePlugin, NotebookPanel, NotebookTracker, SharedNotebook } from "../types/jupyterlab" */

/** The name of our kernelspec. */
export const KERNEL = "tracebook";
/** The CSS class of panels whose notebook uses our kernel. */
export const MARK = "tracebook-notebook";

const STYLE = `
.${MARK} .jp-OutputArea .jp-RenderedText pre { word-break: normal; overflow-wrap: anywhere; }
`;

/** Whether a notebook uses our kernel. JupyterLab keeps the `kernelspec` metadata up to date. @param {SharedNotebook} [notebook] */
export function isOurs(notebook) {
  const spec = /** @type {{ name?: string } | undefined} */ (notebook?.getMetadata?.("kernelspec"));
  return spec?.name === KERNEL;
}

/**
 * Calls `found` with each present and future notebook panel of the page, once its content is loaded.
 *
 * @param {NotebookTracker} tracker
 * @param {(panel: NotebookPanel) => void} found
 */
export function eachPanel(tracker, found) {
  const ready = (/** @type {NotebookPanel} */ panel) =>
    panel.context.ready.then(() => {
      if (!panel.isDisposed) {
        found(panel);
      }
    });
  tracker.forEach(ready);
  tracker.widgetAdded.connect((_, panel) => ready(panel));
}

/** The plugin: marks notebooks of our kernel, and breaks their text outputs at blanks instead of within words. @type {MakePlugin} */
export async function notebooks(shared) {
  const { INotebookTracker } = await shared("@jupyterlab/notebook");
  return {
    optional: [INotebookTracker],
    activate: (_, /** @type {NotebookTracker | undefined} */ tracker) => {
      if (!tracker) {
        return;
      }
      addStyleSheet("tracebook-notebook-style", STYLE);
      eachPanel(tracker, (panel) => {
        const notebook = panel.content.model?.sharedModel;
        /** @type {(() => void) | undefined} */
        let endHyphens;
        const mark = () => {
          const ours = isOurs(notebook);
          panel.node.classList.toggle(MARK, ours);
          if (ours) {
            endHyphens ??= keepHyphens(panel.node);
          } else {
            endHyphens?.();
            endHyphens = undefined;
          }
        };
        mark();
        notebook?.metadataChanged.connect(mark);
        panel.disposed.connect(() => {
          notebook?.metadataChanged.disconnect(mark);
          endHyphens?.();
        });
      });
    },
  };
}

// Notebooks of our kernel: how they are known, and the style of what belongs to them.

import { keepHyphens } from "./hyphens.js";

/** The name of our kernelspec. */
const KERNEL = "tracebook";
/** Marks the panels of notebooks of our kernel. */
export const MARK = "tracebook-notebook";

const STYLE = `
.${MARK} .jp-OutputArea .jp-RenderedText pre { word-break: normal; overflow-wrap: anywhere; }
`;

/** Whether a shared notebook (JupyterLab's data model) is of our kernel. JupyterLab keeps its kernelspec up to date. */
export function isOurs(notebook) {
  return notebook?.getMetadata?.("kernelspec")?.name === KERNEL;
}

/** Calls `found` with every notebook panel of the page, now and later, once its content is there. */
export function eachPanel(tracker, found) {
  const ready = (panel) =>
    panel.context.ready.then(() => {
      if (!panel.isDisposed) {
        found(panel);
      }
    });
  tracker.forEach(ready);
  tracker.widgetAdded.connect((_, panel) => ready(panel));
}

/** Gives the page a style sheet, once. */
export function addStyle(id, text) {
  if (!document.getElementById(id)) {
    const sheet = document.createElement("style");
    sheet.id = id;
    sheet.textContent = text;
    document.head.append(sheet);
  }
}

/** Marks notebooks of our kernel, and wraps their text outputs at blanks rather than within words. */
export async function notebooks(shared) {
  const { INotebookTracker } = await shared("@jupyterlab/notebook");
  return {
    optional: [INotebookTracker],
    activate: (_, tracker) => {
      if (!tracker) {
        return;
      }
      addStyle("tracebook-notebook-style", STYLE);
      eachPanel(tracker, (panel) => {
        const notebook = panel.content.model?.sharedModel;
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

// @ts-check
// Inserts cells into notebooks. The plugin keeps the application and its notebooks, which renderers cannot reach.

/** @import { Application, MakePlugin, NotebookTracker } from "../types/jupyterlab" */

/** @type {Application | undefined} */
let app;
/** @type {NotebookTracker | undefined} */
let notebooks;

/** Whether this page has notebooks to insert cells into. */
export const canInsert = () => Boolean(app && notebooks);

/**
 * Inserts a code cell below the cell whose output contains `node`, and runs it. Returns false if no notebook contains `node`.
 *
 * @param {Node} node
 * @param {string} source
 */
export function insertBelow(node, source) {
  const panel = notebooks?.find(({ content }) => content.node.contains(node));
  const notebook = panel?.content;
  const index = notebook?.widgets.findIndex((cell) => cell.node.contains(node)) ?? -1;
  if (!app || !panel || !notebook?.model || index < 0) {
    return false;
  }
  app.shell.activateById(panel.id);
  notebook.deselectAll();
  notebook.model.sharedModel.insertCell(index + 1, { cell_type: "code", source, metadata: {} });
  notebook.activeCellIndex = index + 1;
  app.commands.execute("notebook:run-cell");
  notebook.scrollToItem?.(index + 1);
  return true;
}

/** The plugin. @type {MakePlugin} */
export async function inserting(shared) {
  const { INotebookTracker } = await shared("@jupyterlab/notebook");
  return {
    optional: [INotebookTracker],
    activate: (application, /** @type {NotebookTracker | undefined} */ tracker) => {
      [app, notebooks] = [application, tracker];
    },
  };
}

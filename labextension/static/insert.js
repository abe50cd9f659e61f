// Inserts cells into notebooks: the plugin that knows the page's notebooks, for renderers, which do not.

let app;
let notebooks;

/** Whether cells can be inserted: not where the page has no notebooks. */
export const canInsert = () => Boolean(app && notebooks);

/** Inserts a code cell below the one in whose output `node` stands, and runs it; whether there was one. */
export function insertBelow(node, source) {
  const panel = notebooks?.find(({ content }) => content.node.contains(node));
  const notebook = panel?.content;
  const at = notebook?.widgets.findIndex((cell) => cell.node.contains(node)) ?? -1;
  if (at < 0) {
    return false;
  }
  app.shell.activateById(panel.id);
  notebook.deselectAll();
  notebook.model.sharedModel.insertCell(at + 1, { cell_type: "code", source, metadata: {} });
  notebook.activeCellIndex = at + 1;
  app.commands.execute("notebook:run-cell");
  notebook.scrollToItem?.(at + 1);
  return true;
}

/** Keeps the application and its notebooks for `insertBelow`. */
export async function inserting(shared) {
  const { INotebookTracker } = await shared("@jupyterlab/notebook");
  return {
    optional: [INotebookTracker],
    activate: (application, tracker) => {
      [app, notebooks] = [application, tracker];
    },
  };
}

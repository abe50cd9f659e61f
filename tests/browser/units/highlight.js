// @ts-check
// The highlighting plugin without the editors of JupyterLab (with them: test_cells.py).

import { highlighting } from "/static/highlight.js";

import { equal, ok } from "./assert.js";

/** JupyterLab's packages, as far as the plugin touches them while it starts. */
const shared = async () => ({
  EditorExtensionRegistry: { createImmutableExtension: (/** @type {unknown} */ extension) => extension },
  IEditorExtensionRegistry: "extensions",
  IEditorLanguageRegistry: "languages",
  Compartment: class {
    of() {}
  },
  ViewPlugin: { define: () => "view plugin" },
});

/** Activates the plugin; returns what it registered. */
async function registered() {
  /** @type {any[]} */
  const found = [];
  const { activate } = await highlighting(shared);
  activate(/** @type {any} */ ({}), { addExtension: (/** @type {unknown} */ one) => found.push(one) }, {});
  return found;
}

export async function page_without_editors_registers_nothing() {
  const { activate, optional } = await highlighting(shared);
  equal(optional, ["extensions", "languages"]);
  activate(/** @type {any} */ ({}), undefined, undefined);
}

export async function only_editors_in_notebooks_get_an_extension() {
  const [{ name, factory }] = await registered();
  equal(name, "tracebook:magics");
  equal(factory({ model: { sharedModel: {} } }), null);
  ok(factory({ model: { sharedModel: { notebook: {} } } }).length === 2, "no extension in a notebook");
}

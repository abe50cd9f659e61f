// @ts-check
// The renderer of tables (`application/vnd.tracebook.table.v1+json`).

import { suppressShortcuts } from "./keys.js";
import { stateOf } from "./state.js";
import { addTableStyle } from "./style.js";
import { TableView } from "./view.js";

/**
 * @import { OutputModel, WidgetClass } from "../types/jupyterlab"
 * @import { Table, ViewState } from "../types/table"
 */

export const MIME = "application/vnd.tracebook.table.v1+json";

let tables = 0;

/** Whether a key is kept from the notebook's shortcuts: Enter would edit the cell, `d d` delete it. @param {KeyboardEvent} event */
function isOurs(event) {
  const typing = event.target instanceof HTMLInputElement && event.target.type === "search";
  return !event.ctrlKey && !event.metaKey && !event.altKey && (typing || !event.shiftKey || event.key === "Tab");
}

/** Returns the class of the renderer: a subclass of Lumino's Widget. @param {WidgetClass} Widget */
export const renderer = (Widget) =>
  class TableRenderer extends Widget {
    constructor() {
      super();
      this.addClass("tracebook-table");
      this.menuId = `tracebook-table-${++tables}-columns`;
      this.node.addEventListener("keydown", (event) => isOurs(event) && event.stopPropagation());
      this.listening = new AbortController();
      suppressShortcuts(this.node, isOurs, this.listening.signal);
      addTableStyle();
      /** @type {TableView | undefined} */
      this.view = undefined;
      /** @type {ViewState | undefined} */
      this.state = undefined;
      // Drawing rows changes the height; only another width needs another layout.
      let width = 0;
      this.sizes = new ResizeObserver(() => {
        if (this.node.clientWidth !== width) {
          width = this.node.clientWidth;
          this.view?.layOut();
        }
      });
      this.sizes.observe(this.node);
    }

    dispose() {
      this.listening.abort();
      this.sizes.disconnect();
      super.dispose();
    }

    /** @param {OutputModel} model */
    async renderModel(model) {
      const table = /** @type {Table | undefined} */ (model.data[MIME]);
      if (!Array.isArray(table?.columns) || !Array.isArray(table?.rows)) {
        this.view = undefined;
        this.node.textContent = "cannot draw this table: a newer version of Tracebook wrote it";
        return;
      }
      this.state = stateOf(model, table, this.state);
      this.view = new TableView(this.node, table, this.state, this.menuId);
    }
  };

// @ts-check
// The rows of a table that is no tree: filtered, sorted, on pages.

import { Body } from "./body.js";
import { element } from "./element.js";
import { select } from "./rows.js";
import { noRows } from "./status.js";
import { pager } from "./toolbar.js";
import { fit } from "./width.js";

/** @import { Row } from "../types/table" */
/** @import { TableView } from "./view.js" */

export class PagedRows {
  /** @param {TableView} view */
  constructor(view) {
    this.view = view;
    this.body = new Body(view.table);
    const label = String(view.table.caption ?? "");
    // Screen readers read this once.
    const spoken = element("caption", { className: "tb-hidden", text: `${label} (column heads are buttons that sort)` });
    const drawn = element("table", {}, spoken, element("thead", {}, view.heads.row), this.body.node);
    this.scroll = element("div", { className: "tb-scroll", tabIndex: 0, aria: { role: "region", label } }, drawn);
    this.pages = pager(view.state, () => view.fill());
    /** The rows that match, in their order. @type {Row[]} */
    this.found = [];
    /** What is added to the toolbar, and below the rows. */
    this.tools = /** @type {HTMLElement[]} */ ([]);
    this.below = [this.pages.node];
  }

  /** Finds the rows that match, in their order. */
  filter() {
    const { table, columns, facets, state } = this.view;
    const { found, perFacet, problem } = select(table.rows, columns, facets, state);
    this.found = found;
    return { perFacet, problem };
  }

  /** Draws the current page of the rows that match. */
  draw() {
    const { table, state } = this.view;
    const { size } = state;
    // There may be fewer pages than before.
    const last = size ? Math.max(Math.ceil(this.found.length / size) - 1, 0) : 0;
    const page = (state.page = Math.min(state.page, last));
    const rows = size ? this.found.slice(page * size, (page + 1) * size) : this.found;
    this.body.draw(rows, this.view.shown(), noRows(table));
    this.pages.show(this.found.length, table.rows.length);
  }

  /** Fits the drawn rows to the width of the output. */
  layOut() {
    fit(this.view.node, this.scroll, this.body.names);
  }

  /** Returns what the copy buttons copy. */
  copied() {
    return { columns: this.view.shown(), rows: this.found };
  }

  /** Returns the number of rows that match. */
  matching() {
    return this.found.length;
  }
}

// @ts-check
// A drawn table: caption, toolbar, heads, rows, pages and status line, and what a change of the view state redraws.

import { Body } from "./body.js";
import { hasManyColumns, prepare } from "./columns.js";
import { element } from "./element.js";
import { heads } from "./heads.js";
import { facets, searched, select } from "./rows.js";
import { noRows, statusLine } from "./status.js";
import { chips, columnMenu, copyButtons, filterBox, pager } from "./toolbar.js";
import { fit, sideways } from "./width.js";

/** @import { Row, Table, ViewState } from "../types/table" */

/** Tables with fewer rows have nothing to filter by. */
const MIN_FILTERED = 5;

export class TableView {
  /**
   * Draws a table in `node`.
   *
   * @param {HTMLElement} node
   * @param {Table} table
   * @param {ViewState} state
   * @param {string} menuId
   */
  constructor(node, table, state, menuId) {
    this.node = node;
    this.table = table;
    this.state = state;
    this.columns = prepare(table);
    const filtered = table.rows.length >= MIN_FILTERED;
    this.facets = filtered ? facets(this.columns, table) : [];
    this.chips = this.facets.map((facet) => chips(facet, state, () => this.refilter()));
    this.box = filtered && searched(this.columns).length > 0 ? filterBox(state, () => this.refilter()) : null;
    /** The rows that match, in their order. @type {Row[]} */
    this.found = [];

    const caption = String(table.caption ?? "");
    this.heads = heads(this.columns, state, () => this.filter());
    this.body = new Body(table);
    // Screen readers read this once.
    const spoken = element("caption", { className: "tb-hidden", text: `${caption} (column heads are buttons that sort)` });
    const drawn = element("table", {}, spoken, element("thead", {}, this.heads.row), this.body.node);
    this.scroll = element("div", { className: "tb-scroll", tabIndex: 0, aria: { role: "region", label: caption } }, drawn);
    this.sideways = sideways(this.scroll);
    this.pages = pager(state, () => this.fill());
    this.foot = element("div", { className: "tb-foot", aria: { role: "status", live: "polite" } });
    node.classList.toggle("tb-many", hasManyColumns(this.columns));
    node.replaceChildren(
      element("div", { className: "tb-caption", text: caption }),
      ...this.toolbar(menuId),
      this.sideways.frame,
      this.sideways.row,
      this.pages.node,
      this.foot,
    );
    this.heads.showColumns(this.shown());
    this.filter();
  }

  /** Returns the toolbar, and the column menu that opens below it; nothing for a table of one row. @param {string} menuId */
  toolbar(menuId) {
    if (this.table.rows.length < 2) {
      return [];
    }
    const row = element("div", { className: "tb-tools" });
    if (this.box) {
      row.append(this.box.node);
    }
    row.append(...this.chips.map(({ node }) => node));
    const menu = columnMenu(this.columns, this.state, () => this.redrawColumns(), menuId);
    const group = copyButtons(() => ({ columns: this.shown(), rows: this.found }));
    group.prepend(menu.opener);
    row.append(group);
    return [row, menu.list];
  }

  /** Returns the columns that are not hidden. */
  shown() {
    return this.columns.filter(({ index }) => !this.state.hidden.has(index));
  }

  redrawColumns() {
    this.heads.showColumns(this.shown());
    this.fill();
  }

  /** Filters the rows after a change of the filters; returns the problem with the filter box. */
  refilter() {
    this.state.page = 0;
    return this.filter();
  }

  /** Finds and draws the rows that match, in their order; returns the problem with the filter box. */
  filter() {
    const { found, perFacet, problem } = select(this.table.rows, this.columns, this.facets, this.state);
    this.found = found;
    this.chips.forEach(({ recount }, index) => recount(perFacet[index]));
    this.fill();
    this.box?.report(problem);
    return problem;
  }

  /** Draws the current page of the rows that match. */
  fill() {
    const { size } = this.state;
    // There may be fewer pages than before.
    const last = size ? Math.max(Math.ceil(this.found.length / size) - 1, 0) : 0;
    const page = (this.state.page = Math.min(this.state.page, last));
    const rows = size ? this.found.slice(page * size, (page + 1) * size) : this.found;
    this.body.draw(rows, this.shown(), noRows(this.table));
    this.layOut();
    this.pages.show(this.found.length, this.table.rows.length);
    const status = statusLine(this.table, this.columns, this.facets, this.state, this.found.length);
    // Screen readers read every change.
    if (this.foot.textContent !== status) {
      this.foot.textContent = status;
    }
  }

  /** Fits the drawn rows to the width of the output. */
  layOut() {
    // The menu of a row is no wider than the output.
    this.node.style.setProperty("--tb-window", `${Math.max(this.node.clientWidth - 24, 0)}px`);
    fit(this.node, this.scroll, this.body.names);
    this.sideways.show();
  }
}

// @ts-check
// A drawn table: caption, toolbar, heads, rows and status line, and what a change of the view state redraws.

import { hasManyColumns, prepare } from "./columns.js";
import { element } from "./element.js";
import { heads } from "./heads.js";
import { PagedRows } from "./paged-rows.js";
import { facets, searched } from "./rows.js";
import { statusLine } from "./status.js";
import { chips, columnMenu, copyButtons, filterBox } from "./toolbar.js";
import { TreeRows } from "./tree-rows.js";
import { treeOf } from "./tree.js";
import { sideways } from "./width.js";

/** @import { Table, ViewState } from "../types/table" */

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
    const caption = String(table.caption ?? "");
    this.heads = heads(this.columns, state, () => this.filter());
    const tree = treeOf(table);
    this.rows = tree ? new TreeRows(this, tree) : new PagedRows(this);
    this.sideways = sideways(this.rows.scroll);
    this.foot = element("div", { className: "tb-foot", aria: { role: "status", live: "polite" } });
    node.classList.toggle("tb-many", !tree && hasManyColumns(this.columns));
    node.replaceChildren(
      element("div", { className: "tb-caption", text: caption }),
      ...this.toolbar(menuId),
      this.sideways.frame,
      this.sideways.row,
      ...this.rows.below,
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
    row.append(...this.chips.map(({ node }) => node), ...this.rows.tools);
    const menu = columnMenu(this.columns, this.state, () => this.redrawColumns(), menuId);
    const group = copyButtons(() => this.rows.copied());
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
    const { perFacet, problem } = this.rows.filter();
    this.chips.forEach(({ recount }, index) => recount(perFacet[index]));
    this.fill();
    this.box?.report(problem);
    return problem;
  }

  /** Draws the rows that match. */
  fill() {
    this.rows.draw();
    this.layOut();
    const status = statusLine(this.table, this.columns, this.facets, this.state, this.rows.matching());
    // Screen readers read every change.
    if (this.foot.textContent !== status) {
      this.foot.textContent = status;
    }
  }

  /** Fits the drawn rows to the width of the output. */
  layOut() {
    // The menu of a row is no wider than the output.
    this.node.style.setProperty("--tb-window", `${Math.max(this.node.clientWidth - 24, 0)}px`);
    this.rows.layOut();
    this.sideways.show();
  }
}

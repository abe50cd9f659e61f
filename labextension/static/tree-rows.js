// @ts-check
// The rows of a tree: filtered with the rows above them, sorted among siblings, expanded and collapsed.

import { button, element } from "./element.js";
import { noRows } from "./status.js";
import { branchColumn, filterTree, siblingOrder } from "./tree.js";
import { TreeGrid } from "./treegrid.js";

/**
 * @import { Column, Row } from "../types/table"
 * @import { Tree } from "./tree.js"
 * @import { TableView } from "./view.js"
 */

export class TreeRows {
  /** @param {TableView} view @param {Tree} tree */
  constructor(view, tree) {
    this.view = view;
    this.tree = tree;
    const { table, state } = view;
    const shape = tree.levels.join();
    if (state.tree?.shape !== shape) {
      state.tree = { shape, expanded: tree.opened(), filtered: null, active: 0, scrolled: 0 };
    }
    this.state = state.tree;
    this.grid = new TreeGrid(table, tree, branchColumn(view.columns), this.state, () => this.unfold());
    this.scroll = this.grid.scroll;
    this.grid.begin(view.heads.row, String(table.caption ?? ""));
    this.grid.leaveUp = view.heads.rove(() => this.grid.focus(this.state.active));
    /** What the filters keep. @type {ReturnType<typeof filterTree> | null} */
    this.kept = null;
    /** What the filters were when rows were last filtered. */
    this.filters = "";
    this.tools = [this.buttons()];
    this.below = /** @type {HTMLElement[]} */ ([]);
  }

  /** Creates the buttons that expand and collapse rows. */
  buttons() {
    const { tree } = this;
    const set = (/** @type {() => Set<number>} */ rows) => () => {
      const { expanded } = this.grid;
      expanded.clear();
      rows().forEach((row) => expanded.add(row));
      this.view.fill();
    };
    const changes = this.view.columns.some(({ kind }) => kind === "difference");
    const first = () => new Set([...tree.opened(), ...(this.kept?.active ? this.kept.paths : [])]);
    const group = element("span", { className: "tb-group", aria: { role: "group", label: "Rows below others" } });
    group.append(
      button(changes ? "Expand what changed" : "Expand as at first", set(first), {
        title: changes ? "expand the paths to what changed, collapse the others" : "",
      }),
      button("Expand all", set(() => tree.inner())),
      button("Collapse all", set(() => tree.root())),
    );
    return group;
  }

  /** Finds the rows that match, and those above them. */
  filter() {
    const { table, columns, facets, state } = this.view;
    const kept = filterTree(this.tree, table.rows, columns, facets, state);
    this.kept = kept;
    const filters = JSON.stringify([state.typed, facets.map(({ name }) => [...(state.chosen[name] ?? [])])]);
    if (!kept.active) {
      if (this.state.filtered) {
        // The row that the user looked at stays in sight.
        this.tree.above(this.state.active).forEach((row) => this.state.expanded.add(row));
      }
      this.state.filtered = null;
    } else if (!this.state.filtered || (this.filters && this.filters !== filters)) {
      this.state.filtered = new Set(kept.paths);
    }
    this.filters = filters;
    return kept;
  }

  /** Returns the visible rows. */
  visible() {
    const { table, state } = this.view;
    const keeps = this.kept?.keeps ?? (() => true);
    return this.tree.visible(keeps, this.grid.expanded, siblingOrder(table.rows, state));
  }

  draw() {
    const { kept } = this;
    const isFound = (/** @type {number} */ row) => !kept?.active || kept.found.has(row);
    const options = { keeps: kept?.keeps ?? (() => true), isFound, none: noRows(this.view.table) };
    this.grid.show(this.visible(), this.view.shown(), options);
  }

  /** Draws the rows after the user expanded or collapsed some. */
  unfold() {
    this.grid.unfold(this.visible());
    this.view.sideways.show();
  }

  layOut() {
    this.grid.layOut();
  }

  /** Returns what the copy buttons copy: all rows that the filters keep, expanded or not, with their level. */
  copied() {
    const { table, state } = this.view;
    const order = this.tree.visible(this.kept?.keeps ?? (() => true), this.tree.inner(), siblingOrder(table.rows, state));
    const level = table.columns.length;
    const rows = order.map(({ row }) => Object.assign([...table.rows[row]], { [level]: this.tree.levels[row] }));
    return { columns: [{ index: level, title: "level", right: true }, ...this.view.shown()], rows };
  }

  /** Returns the number of rows that match. */
  matching() {
    return this.kept?.active ? this.kept.found.size : this.view.table.rows.length;
  }
}

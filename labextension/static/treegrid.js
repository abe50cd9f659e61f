// @ts-check
// The rows of a tree, by W3C's treegrid pattern: Tab reaches one row, the arrow keys the others. Only the rows near the window are
// in the page.

import { bar } from "./columns.js";
import { element } from "./element.js";
import { count } from "./state.js";
import { treeWidths } from "./tree-width.js";

/**
 * @import { Column, Row, Table, TreeState } from "../types/table"
 * @import { Tree, Visible } from "./tree.js"
 */

/** Up to so many rows are all drawn. */
const MOST_DRAWN = 300;
/** The rows that are drawn above and below the window. */
const MARGIN = 30;
/** The height of a row before one is drawn, in pixels. */
const ROW_HEIGHT = 25;

export class TreeGrid {
  /**
   * @param {Table} table
   * @param {Tree} tree
   * @param {Column} branch the column that shows the tree
   * @param {TreeState} state
   * @param {() => void} toggled called when the user has expanded or collapsed rows
   */
  constructor(table, tree, branch, state, toggled) {
    this.table = table;
    this.tree = tree;
    this.branch = branch;
    this.state = state;
    this.toggled = toggled;
    this.body = element("tbody");
    this.group = element("colgroup");
    this.node = element("table", { className: "tb-tree" }, this.group);
    this.scroll = element("div", { className: "tb-scroll" }, this.node);
    /** Leaves the rows upwards; the view sets it. @type {() => void} */
    this.leaveUp = () => {};
    /** @type {Column[]} */
    this.columns = [];
    /** @type {Visible[]} */
    this.rows = [];
    /** The position of each visible row. @type {Map<number, number>} */
    this.at = new Map();
    /** The drawn rows by their index. @type {Map<number, HTMLTableRowElement>} */
    this.drawn = new Map();
    /** @type {(row: number) => boolean} */
    this.isFound = () => true;
    /** @type {(row: number) => boolean} */
    this.keeps = () => true;
    this.widths = treeWidths(tree, table.rows, branch);
    this.height = 0;
    this.none = "";
    this.body.addEventListener("keydown", (event) => this.onKey(event));
    this.body.addEventListener("click", (event) => this.onClick(event));
    this.scroll.addEventListener("scroll", () => this.onScroll(), { passive: true });
  }

  /** The rows that are expanded now. */
  get expanded() {
    return this.state.filtered ?? this.state.expanded;
  }

  /** Puts the heads into the table, and names it for screen readers. @param {HTMLElement} head @param {string} label */
  begin(head, label) {
    this.node.append(element("thead", {}, head), this.body);
    this.node.setAttribute("role", "treegrid");
    this.node.setAttribute("aria-label", label);
    head.setAttribute("aria-rowindex", "1");
  }

  /**
   * Shows rows. `isFound` tells the rows that match the filters from those above them.
   *
   * @param {Visible[]} rows
   * @param {Column[]} columns
   * @param {{ keeps: (row: number) => boolean, isFound: (row: number) => boolean, none: string }} options
   */
  show(rows, columns, { keeps, isFound, none }) {
    const had = this.body.contains(document.activeElement);
    this.columns = columns;
    this.keeps = keeps;
    this.isFound = isFound;
    this.none = none;
    this.setRows(rows);
    this.forget();
    this.layOut();
    if (had) {
      this.focus(this.state.active);
    }
  }

  /** @param {Visible[]} rows */
  setRows(rows) {
    this.rows = rows;
    this.at = new Map(rows.map(({ row }, at) => [row, at]));
    this.node.setAttribute("aria-rowcount", String(rows.length + 1));
    // Tab reaches a row even if the one it reached is collapsed or filtered out.
    const shown = [this.state.active, ...this.tree.above(this.state.active)].find((row) => this.at.has(row));
    this.state.active = shown ?? rows[0]?.row ?? 0;
  }

  /** Shows rows after some were expanded or collapsed; drawn rows stay. @param {Visible[]} rows */
  unfold(rows) {
    this.setRows(rows);
    this.draw();
    this.focus(this.state.active);
  }

  /** Removes the drawn rows, to draw them again. */
  forget() {
    this.drawn.clear();
    this.body.replaceChildren();
  }

  /** Fits the columns to the width of the output, and draws the rows. */
  layOut() {
    const room = (this.scroll.closest(".tracebook-table")?.clientWidth ?? 0) - 4;
    const had = this.body.contains(document.activeElement);
    if (this.widths.fit(this.node, this.group, this.columns, room)) {
      this.forget();
    }
    this.draw();
    if (had && !this.body.contains(document.activeElement)) {
      this.drawn.get(this.state.active)?.focus({ preventScroll: true });
    }
    if (this.scroll.scrollTop === 0 && this.state.scrolled) {
      this.scroll.scrollTop = this.state.scrolled;
      this.draw();
    }
  }

  onScroll() {
    // A table that is removed from the page scrolls to its top.
    if (this.scroll.isConnected && this.scroll.clientHeight) {
      this.state.scrolled = this.scroll.scrollTop;
      this.draw();
    }
  }

  /** Returns the positions to draw: near the window, and of the row that Tab reaches. */
  wanted() {
    const all = this.rows.length;
    if (all <= MOST_DRAWN) {
      return this.rows.map((_, at) => at);
    }
    const height = this.height || ROW_HEIGHT;
    const from = Math.max(Math.floor(this.scroll.scrollTop / height) - MARGIN, 0);
    const to = Math.min(from + Math.ceil((this.scroll.clientHeight || 600) / height) + 2 * MARGIN, all);
    const first = Math.max(Math.min(from, to - 2 * MARGIN), 0);
    const wanted = Array.from({ length: to - first }, (_, index) => first + index);
    const active = this.at.get(this.state.active);
    if (active !== undefined && active < first) {
      wanted.unshift(active);
    } else if (active !== undefined && active >= to) {
      wanted.push(active);
    }
    return wanted;
  }

  /** Draws the wanted rows, with a gap for those between them. Rows that are drawn already are not moved, so they keep the focus. */
  draw() {
    if (!this.rows.length) {
      const cell = element("td", { className: "tb-none", colSpan: this.columns.length, text: this.none });
      this.body.replaceChildren(element("tr", { className: "tb-empty" }, cell));
      return;
    }
    const wanted = this.wanted();
    const height = this.height || ROW_HEIGHT;
    /** @type {HTMLElement[]} */
    const nodes = [];
    let next = 0;
    const gap = (/** @type {number} */ rows) => {
      if (rows > 0) {
        const space = element("tr", { className: "tb-gap", aria: { hidden: "true" } }, element("td", { colSpan: this.columns.length }));
        space.style.height = `${rows * height}px`;
        nodes.push(space);
      }
    };
    for (const at of wanted) {
      gap(at - next);
      nodes.push(this.row(at));
      next = at + 1;
    }
    gap(this.rows.length - next);
    this.place(nodes);
    if (!this.height) {
      this.height = this.drawn.values().next().value?.getBoundingClientRect().height ?? 0;
      if (this.height && this.rows.length > MOST_DRAWN) {
        this.draw();
      }
    }
  }

  /** Makes `nodes` the children of the body, without moving those that stay. @param {HTMLElement[]} nodes */
  place(nodes) {
    const stay = new Set(nodes);
    for (const child of [...this.body.children]) {
      if (!stay.has(/** @type {HTMLElement} */ (child))) {
        child.remove();
      }
    }
    this.drawn.forEach((row, index) => stay.has(row) || this.drawn.delete(index));
    let cursor = this.body.firstElementChild;
    for (const node of nodes) {
      if (node === cursor) {
        cursor = cursor.nextElementSibling;
      } else {
        this.body.insertBefore(node, cursor);
      }
    }
  }

  /** Returns the row at a position, created unless it is drawn. @param {number} at */
  row(at) {
    const { row, place, of } = this.rows[at];
    let made = this.drawn.get(row);
    if (!made) {
      made = this.create(row);
      this.drawn.set(row, made);
    }
    const attributes = { level: this.tree.levels[row] + 1, posinset: place, setsize: of, rowindex: at + 2 };
    for (const [name, value] of Object.entries(attributes)) {
      made.setAttribute(`aria-${name}`, String(value));
    }
    if (this.hasRows(row)) {
      const expanded = this.expanded.has(row);
      made.setAttribute("aria-expanded", String(expanded));
      made.querySelector(".tb-twist")?.replaceChildren(expanded ? "▾" : "▸");
    }
    made.tabIndex = row === this.state.active ? 0 : -1;
    return made;
  }

  /** Whether rows can be shown below a row. @param {number} row */
  hasRows(row) {
    return this.tree.below[row] > 0 && this.tree.children(row).some(this.keeps);
  }

  /** @param {number} row */
  create(row) {
    const values = this.table.rows[row];
    const cells = this.columns.map((column) =>
      column === this.branch ? this.label(row, values, column) : this.cell(values, column),
    );
    const made = element("tr", { className: this.isFound(row) ? "" : "tb-context", aria: { role: "row" } }, ...cells);
    made.dataset.row = String(row);
    return made;
  }

  /** Creates the value that shows the tree: indented, with a mark to click on. @param {number} row @param {Row} values @param {Column} column */
  label(row, values, column) {
    const { tree } = this;
    const whole = column.write(values[column.index]);
    const { text, indent } = this.widths.label(row, whole);
    const mark = element("span", { className: "tb-twist", aria: { hidden: "true" } });
    const cell = element("td", { className: "tb-left tb-name tb-branch", aria: { role: "gridcell" } }, mark, text);
    cell.style.setProperty("--tb-indent", `${indent}px`);
    const left = tree.left[row] > 0 ? ` (+ ${count(tree.left[row])} rows not sent)` : "";
    if (this.hasRows(row)) {
      cell.classList.add("tb-parent");
      const below = count(tree.below[row]);
      cell.append(element("span", { className: "tb-below", text: below, title: `${below} rows below`, aria: { hidden: "true" } }));
    }
    cell.title = `${text === whole ? "" : whole}${left}`.trim();
    return cell;
  }

  /** @param {Row} values @param {Column} column */
  cell(values, column) {
    const value = values[column.index];
    const whole = column.write(value);
    const cell = element("td", { text: whole, className: column.right ? "tb-right" : "tb-left", aria: { role: "gridcell" } });
    if (column.kind === "name") {
      cell.classList.add("tb-name");
    }
    if (!column.right) {
      cell.title = whole;
    }
    const image = bar(column, value);
    if (image) {
      cell.style.backgroundImage = image;
    }
    return cell;
  }

  /** Makes Tab reach a visible row, scrolls to it and focuses it. @param {number} row */
  focus(row) {
    const at = this.at.get(row);
    if (at === undefined) {
      return;
    }
    const before = this.drawn.get(this.state.active);
    this.state.active = row;
    if (before) {
      before.tabIndex = -1;
    }
    this.scrollTo(at);
    this.draw();
    const made = this.drawn.get(row);
    made?.focus({ preventScroll: true });
    made?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  /** Scrolls so that the row at a position is below the heads and above the lower edge. @param {number} at */
  scrollTo(at) {
    const height = this.height || ROW_HEIGHT;
    const head = this.node.tHead?.offsetHeight ?? 0;
    const top = at * height;
    const room = this.scroll.clientHeight - head;
    if (top < this.scroll.scrollTop) {
      this.scroll.scrollTop = top;
    } else if (room > 0 && top + height > this.scroll.scrollTop + room) {
      this.scroll.scrollTop = top + height - room;
    }
  }

  /** Returns how many rows fit into the window. */
  perPage() {
    const room = this.scroll.clientHeight - (this.node.tHead?.offsetHeight ?? 0);
    return Math.max(Math.floor(room / (this.height || ROW_HEIGHT)) - 1, 1);
  }

  /** Expands rows, or collapses them. @param {number[]} rows @param {boolean} expand */
  expand(rows, expand) {
    const { expanded } = this;
    for (const row of rows.filter((row) => this.hasRows(row))) {
      if (expand) {
        expanded.add(row);
      } else {
        expanded.delete(row);
      }
    }
    this.toggled();
  }

  /** @param {MouseEvent} event */
  onClick(event) {
    const target = /** @type {HTMLElement} */ (event.target);
    const node = /** @type {HTMLElement | null} */ (target.closest("tr[data-row]"));
    // A click that ends a selection of text does nothing.
    if (!node || String(window.getSelection())) {
      return;
    }
    const row = Number(node.dataset.row);
    this.focus(row);
    if (target.closest(".tb-parent")) {
      this.expand([row], !this.expanded.has(row));
    }
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    const { active } = this.state;
    const at = this.at.get(active);
    if (at === undefined || event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    const last = this.rows.length - 1;
    const go = (/** @type {number} */ to) => this.focus(this.rows[Math.min(Math.max(to, 0), last)].row);
    const open = this.expanded.has(active);
    /** @type {Record<string, () => void>} */
    const keys = {
      ArrowDown: () => go(at + 1),
      ArrowUp: () => (at ? go(at - 1) : this.leaveUp()),
      Home: () => go(0),
      End: () => go(last),
      PageDown: () => go(at + this.perPage()),
      PageUp: () => go(at - this.perPage()),
      ArrowRight: () => (this.hasRows(active) ? (open ? go(at + 1) : this.expand([active], true)) : undefined),
      ArrowLeft: () => (open && this.hasRows(active) ? this.expand([active], false) : this.focus(this.tree.parents[active])),
      Enter: () => this.expand([active], !open),
      " ": () => this.expand([active], !open),
      "*": () => this.expand(this.tree.children(this.tree.parents[active]).filter(this.keeps), true),
    };
    const act = keys[event.key];
    if (act) {
      event.preventDefault();
      // The notebook has shortcuts with these keys.
      event.stopPropagation();
      act();
    }
  }
}

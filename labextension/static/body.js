// @ts-check
// The rows of a table, and the menu of the row that is open.

import { bar } from "./columns.js";
import { element } from "./element.js";
import { cellsOf, rowMenu } from "./events.js";

/**
 * @import { EventCell } from "./events.js"
 * @import { NameCell } from "./width.js"
 * @import { Column, Row, Table, Value } from "../types/table"
 */

/** By how many rows each key moves. @type {Record<string, number>} */
const STEPS = { ArrowDown: 1, ArrowUp: -1 };

export class Body {
  /** @param {Table} table */
  constructor(table) {
    this.table = table;
    this.node = element("tbody");
    /** The drawn names, to be fitted to the page. @type {NameCell[]} */
    this.names = [];
    /** The row whose menu is open. @type {{ row: HTMLElement, menu: HTMLElement } | null} */
    this.opened = null;
  }

  /**
   * Draws rows, or `none` if there are no rows.
   *
   * @param {Row[]} rows
   * @param {Column[]} columns
   * @param {string} none
   */
  draw(rows, columns, none) {
    this.names = [];
    this.opened = null;
    const drawn = rows.map((row) => this.row(row, columns));
    const first = drawn.find((row) => row.className === "tb-events");
    if (first) {
      // Tab reaches one row, the arrow keys the others.
      first.tabIndex = 0;
    }
    if (!drawn.length) {
      const cell = element("td", { className: "tb-none", colSpan: columns.length, text: none });
      drawn.push(element("tr", { className: "tb-empty" }, cell));
    }
    this.node.replaceChildren(...drawn);
  }

  /** Creates a row. A row with events opens its menu on a click or Enter. @param {Row} values @param {Column[]} columns */
  row(values, columns) {
    const made = element("tr", {}, ...columns.map((column) => this.cell(column, values[column.index])));
    const cells = cellsOf(this.table, values);
    if (cells.length) {
      const open = () => this.toggle(made, cells, columns.length);
      made.className = "tb-events";
      made.tabIndex = -1;
      made.title = "click or Enter: list the events of this row";
      made.setAttribute("aria-expanded", "false");
      made.addEventListener("click", () => {
        // A click that ends a selection of text opens nothing.
        if (!String(window.getSelection())) {
          open();
        }
      });
      made.addEventListener("keydown", (event) => this.onKey(event, made, open));
    }
    return made;
  }

  /** @param {Column} column @param {Value | undefined} value */
  cell(column, value) {
    const whole = column.write(value);
    const text = column.shortener.shorten(whole);
    const kind = column.kind === "name" ? " tb-name" : column.kind === "text" ? " tb-text" : "";
    const cell = element("td", { text, className: (column.right ? "tb-right" : "tb-left") + kind });
    if (text !== whole) {
      cell.title = whole;
    }
    if (column.kind === "name") {
      this.names.push({ cell, column, whole });
    }
    const image = bar(column, value);
    if (image) {
      cell.style.backgroundImage = image;
    }
    return cell;
  }

  /** @param {KeyboardEvent} event @param {HTMLElement} row @param {() => void} open */
  onKey(event, row, open) {
    if (event.target !== row) {
      return;
    }
    const step = STEPS[event.key];
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      open();
    } else if (step) {
      event.preventDefault();
      const rows = /** @type {HTMLElement[]} */ ([...this.node.querySelectorAll(".tb-events")]);
      const next = rows[rows.indexOf(row) + step];
      if (next) {
        row.tabIndex = -1;
        next.tabIndex = 0;
        next.focus();
      }
    }
  }

  /** Opens the menu of a row, or closes it if it is open. @param {HTMLElement} row @param {EventCell[]} cells @param {number} columns */
  toggle(row, cells, columns) {
    const wasOpen = this.opened?.row === row;
    this.close();
    if (wasOpen) {
      return;
    }
    const menu = rowMenu(cells, columns, () => {
      this.close();
      row.focus();
    });
    row.after(menu);
    row.setAttribute("aria-expanded", "true");
    this.opened = { row, menu };
    menu.querySelector("button")?.focus();
  }

  close() {
    this.opened?.menu.remove();
    this.opened?.row.setAttribute("aria-expanded", "false");
    this.opened = null;
  }
}

// @ts-check
// The menu of a row: notebook cells that list the events behind it, to insert and run, or to copy.

import { copy } from "./copy.js";
import { button, element } from "./element.js";
import { unbroken } from "./hyphens.js";
import { canInsert, insertBelow } from "./insert.js";

/** @import { Row, Table } from "../types/table" */
/** @typedef {{ title: string, code: string }} EventCell */

/** Quotes a text as one word of a magic line. @param {string} text */
export const quoted = (text) => (text.includes("'") ? `"${text.replace(/["\\{$]/g, "\\$&")}"` : `'${text}'`);

/**
 * Returns the notebook cells that list the events of a row; empty if the row has no events.
 *
 * @param {Table} table
 * @param {Row} row
 * @returns {EventCell[]}
 */
export function cellsOf({ columns, events }, row) {
  if (!Array.isArray(events?.cells)) {
    return [];
  }
  const value = (/** @type {string} */ name) => row[columns.findIndex((column) => column.name === name)];
  const name = value(events.name);
  if (typeof name !== "string") {
    return [];
  }
  const rank = events.rank ? value(events.rank) : null;
  const rankFlag = rank === null || rank === undefined ? "" : ` --rank ${rank}`;
  return events.cells
    .filter(({ counts }) => value(counts) !== 0)
    .map(({ title, before, after }) => ({ title: String(title), code: `${before}${quoted(name)}${rankFlag}${after}` }));
}

/**
 * Creates the row that offers the cells, to be placed below its table row. Escape calls `close`.
 *
 * @param {EventCell[]} cells
 * @param {number} columns
 * @param {() => void} close
 */
export function rowMenu(cells, columns, close) {
  const status = element("span", { className: "tb-hint", aria: { role: "status" } });
  const lines = cells.map(({ title, code }) => {
    const line = element("div", { className: "tb-group" });
    if (canInsert()) {
      const insert = () => (status.textContent = insertBelow(line, code) ? "" : "cannot insert a cell: this output is not in a notebook");
      line.append(button(title, insert, { title: `insert a cell below and run it: ${code}` }));
    } else {
      line.append(element("span", { className: "tb-label", text: title }));
    }
    const copyCell = async () => {
      status.textContent = (await copy(code)) ? "copied: paste it into a cell" : "cannot copy: the browser refuses it to this page";
    };
    line.append(button("copy cell", copyCell, { aria: { label: `Copy the cell for ${title}` } }), element("code", {}, ...unbroken(code)));
    return line;
  });
  const box = element("div", { className: "tb-offer", aria: { role: "group", label: "Events of this row" } }, ...lines, status);
  const row = element("tr", { className: "tb-opened" }, element("td", { colSpan: columns }, box));
  row.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      event.stopPropagation();
      event.preventDefault();
      close();
    }
  });
  return row;
}

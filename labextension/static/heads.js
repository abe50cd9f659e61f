// @ts-check
// The heads of a table: buttons that sort, as in the sortable table of W3C's ARIA practices.

import { button, element } from "./element.js";

/** @import { Column, ViewState } from "../types/table" */

/** By how many heads each key moves in a tree. @type {Record<string, number>} */
const STEPS = { ArrowRight: 1, ArrowLeft: -1 };

/**
 * Returns the text of a head. It may be broken behind underscores, and before its unit in a narrow table.
 *
 * @param {string} title
 */
function breakable(title) {
  const parts = title.split(/(?<=_)/);
  const last = element("span", { className: "tb-unit", text: parts.pop() });
  return [...parts.flatMap((part) => [part, element("wbr")]), last];
}

/** Creates the head of a column. @param {Column} column @param {() => void} sort */
function headOf(column, sort) {
  const order = element("span", { className: "tb-order", text: "↕", aria: { hidden: "true" } });
  const sorter = button(undefined, sort, { className: "" });
  const title = column.short ? [column.short] : breakable(column.title);
  if (column.short) {
    sorter.setAttribute("aria-label", column.title);
  }
  sorter.append(...(column.right ? [order, ...title] : [...title, order]));
  const meaning = [column.short ? column.title : "", column.meaning].filter(Boolean).join(": ");
  return element(
    "th",
    {
      scope: "col",
      className: `${column.right ? "tb-right" : "tb-left"}${column.short ? " tb-short" : ""}`,
      title: meaning || column.title,
    },
    sorter,
  );
}

/**
 * Returns the next order after a click on a head: numbers from the largest and texts from A, then reversed, then the order of
 * the answer.
 *
 * @param {ViewState["sorted"]} sorted
 * @param {Pick<Column, "index" | "right">} column
 */
export function nextOrder({ index, direction }, column) {
  const first = column.right ? -1 : 1;
  const next = index !== column.index ? first : direction === first ? -first : 0;
  return { index: next ? column.index : -1, direction: next };
}

/**
 * Creates the heads. `showColumns` draws those of some columns, `showOrder` marks the sorted one, `rove` is for trees.
 *
 * @param {Column[]} columns
 * @param {ViewState} state
 * @param {() => void} changed
 */
export function heads(columns, state, changed) {
  const row = element("tr");
  const cells = columns.map((column) =>
    headOf(column, () => {
      state.sorted = nextOrder(state.sorted, column);
      state.page = 0;
      showOrder();
      changed();
    }),
  );
  const showColumns = (/** @type {Column[]} */ shown) => row.replaceChildren(...shown.map(({ index }) => cells[index]));
  const showOrder = () => {
    const { index, direction } = state.sorted;
    cells.forEach((cell, place) => {
      const sorted = place === index;
      const mark = !sorted ? "↕" : direction > 0 ? "↑" : "↓";
      cell.querySelector(".tb-order")?.replaceChildren(mark);
      if (sorted) {
        cell.setAttribute("aria-sort", direction > 0 ? "ascending" : "descending");
      } else {
        cell.removeAttribute("aria-sort");
      }
    });
  };
  showOrder();
  /**
   * Makes Tab skip the heads: the arrow keys move among them, and `leave` is called to go down to the rows. Returns what focuses
   * the first head.
   *
   * @param {() => void} leave
   */
  const rove = (leave) => {
    const sorters = () => /** @type {HTMLElement[]} */ ([...row.querySelectorAll("button")]);
    cells.forEach((cell) => cell.querySelector("button")?.setAttribute("tabindex", "-1"));
    row.addEventListener("keydown", (event) => {
      const all = sorters();
      const at = all.findIndex((sorter) => sorter === document.activeElement);
      const step = STEPS[event.key] ?? 0;
      if (event.key === "ArrowDown" || event.key === "Escape") {
        leave();
      } else if (step && all[at + step]) {
        all[at + step].focus();
      } else if (event.key === "Home" || event.key === "End") {
        all.at(event.key === "Home" ? 0 : -1)?.focus();
      } else {
        return;
      }
      event.preventDefault();
      event.stopPropagation();
    });
    return () => sorters()[0]?.focus();
  };
  return { row, showColumns, rove };
}

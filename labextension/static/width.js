// @ts-check
// Fits a table to the width of its output: names get shorter first, then heads and margins. A table that is still too wide
// scrolls, and says how many columns are out of sight.

import { NAME_CHARS } from "./columns.js";
import { button, element } from "./element.js";

/** @import { Column } from "../types/table" */
/** A drawn name: its cell, its column and the whole name. @typedef {{ cell: HTMLElement, column: Column, whole: string }} NameCell */

/** Names get no shorter than this. */
const FEWEST_CHARS = 12;
/** How often names are shortened again: after the widest name another may be the widest. */
const ROUNDS = 4;

/** @param {HTMLElement} cell */
const chars = (cell) => Array.from(cell.textContent ?? "").length;

/** Returns the width of a character of a name, in pixels. @param {NameCell[]} names */
function charWidth(names) {
  const range = document.createRange();
  for (const { cell } of names) {
    const length = chars(cell);
    if (length > 3) {
      range.selectNodeContents(cell);
      return range.getBoundingClientRect().width / length;
    }
  }
  return 8;
}

/** Shortens the drawn names to at most so many characters. @param {NameCell[]} names @param {number} most */
function shorten(names, most) {
  for (const { cell, column, whole } of names) {
    column.shortener.most = most;
    const text = column.shortener.shorten(whole);
    if (cell.textContent !== text) {
      cell.textContent = text;
    }
    cell.title = text === whole ? "" : whole;
  }
}

/**
 * Fits a drawn table to the width of its output.
 *
 * @param {HTMLElement} node the output
 * @param {HTMLElement} scroll the element that scrolls the table
 * @param {NameCell[]} names
 */
export function fit(node, scroll, names) {
  const room = node.clientWidth - 4;
  const table = scroll.firstElementChild;
  if (room <= 0 || !(table instanceof HTMLElement)) {
    return;
  }
  const excess = () => table.offsetWidth - room;
  node.classList.remove("tb-narrow");
  shorten(names, NAME_CHARS);
  if (excess() <= 0) {
    return;
  }
  node.classList.add("tb-narrow");
  const columns = new Set(names.map(({ column }) => column)).size;
  for (let most = NAME_CHARS, round = 0; columns && excess() > 0 && most > FEWEST_CHARS && round < ROUNDS; round += 1) {
    const widest = Math.max(...names.map(({ cell }) => chars(cell)));
    const less = Math.ceil(excess() / charWidth(names) / columns);
    most = Math.max(Math.min(most, widest) - less, FEWEST_CHARS);
    shorten(names, most);
  }
}

/**
 * Creates what shows that there are more columns than fit: a shaded edge, and a button that scrolls to them. `show` updates
 * both.
 *
 * @param {HTMLElement} scroll
 */
export function sideways(scroll) {
  const edge = element("div", { className: "tb-edge", aria: { hidden: "true" } });
  const frame = element("div", { className: "tb-frame" }, scroll, edge);
  const turn = () => {
    const atEnd = scroll.scrollLeft + scroll.clientWidth >= scroll.scrollWidth - 2;
    scroll.scrollTo({ left: atEnd ? 0 : scroll.scrollLeft + scroll.clientWidth * 0.8 });
  };
  const more = button("", turn);
  const row = element("div", { className: "tb-more" }, more);
  const show = () => {
    const hidden = scroll.scrollWidth <= scroll.clientWidth + 2;
    row.hidden = hidden;
    const right = scroll.getBoundingClientRect().left + scroll.clientWidth;
    const beyond = [...scroll.querySelectorAll("thead th")].filter((head) => head.getBoundingClientRect().right > right + 2).length;
    edge.hidden = hidden || !beyond;
    const text = beyond ? `${beyond} more column${beyond === 1 ? "" : "s"} →` : "← back to the first columns";
    if (!hidden && more.textContent !== text) {
      more.textContent = text;
    }
  };
  scroll.addEventListener("scroll", show, { passive: true });
  return { frame, row, show };
}

// Makes a table fit the page: names give way first, then heads and blanks; what still does not fit is scrolled to, and said.

import { NAME_CHARS } from "./columns.js";
import { button, element } from "./element.js";

/** Names get no shorter than this to make room. */
const FEWEST_CHARS = 12;

/** The width of one character of a name, in pixels. */
function charWidth(cells) {
  const range = document.createRange();
  for (const { cell } of cells) {
    const length = Array.from(cell.textContent).length;
    if (length > 3) {
      range.selectNodeContents(cell);
      return range.getBoundingClientRect().width / length;
    }
  }
  return 8;
}

/** Shortens the drawn names to at most so many characters. */
function shorten(names, most) {
  for (const { cell, column, whole } of names) {
    column.shortener.most = most;
    const text = column.shortener.of(whole);
    if (cell.textContent !== text) {
      cell.textContent = text;
    }
    cell.title = text === whole ? "" : whole;
  }
}

/** Lays a drawn table out for the width that its output has. `names` are its cells of names. */
export function fit(node, scroll, names) {
  const room = node.clientWidth - 4;
  if (room <= 0) {
    return;
  }
  const over = () => scroll.firstElementChild.offsetWidth - room;
  node.classList.remove("tb-narrow");
  shorten(names, NAME_CHARS);
  if (over() <= 0) {
    return;
  }
  node.classList.add("tb-narrow");
  const columns = new Set(names.map(({ column }) => column)).size;
  // The widest name gives way; another may then be the widest, in a second column of names.
  for (let most = NAME_CHARS, round = 0; columns && over() > 0 && most > FEWEST_CHARS && round < 4; round += 1) {
    const widest = Math.max(...names.map(({ cell }) => Array.from(cell.textContent).length));
    const less = Math.ceil(over() / charWidth(names) / columns);
    most = Math.max(Math.min(most, widest) - less, FEWEST_CHARS);
    shorten(names, most);
  }
}

/** The edge that says that there are more columns than fit, and the button that brings them. */
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

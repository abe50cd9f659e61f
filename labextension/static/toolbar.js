// @ts-check
// The controls above and below the rows: filter box, facet buttons, column menu, copy buttons, pages.

import { copy, csv, markdown } from "./copy.js";
import { button, element } from "./element.js";
import { count } from "./state.js";

/** @import { Column, Facet, Row, Value, ViewState } from "../types/table" */
/** @import { CopiedColumn } from "./copy.js" */

/** The numbers of rows per page to choose from; 0 is all. */
const SIZES = [20, 50, 100, 500, 0];
/** By how many entries each key moves in the column menu. @type {Record<string, number>} */
const STEPS = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 };

/**
 * Creates the filter box. `report` shows what is wrong with the text; an empty text is no problem.
 *
 * @param {ViewState} state
 * @param {() => string} changed filters the rows and returns the problem
 */
export function filterBox(state, changed) {
  const box = element("input", {
    type: "search",
    placeholder: "Filter (text or regex)",
    value: state.typed,
    spellcheck: false,
    aria: { label: "Filter rows by text or regular expression" },
  });
  const hint = element("span", { className: "tb-hint", aria: { role: "status" } });
  const report = (/** @type {string} */ problem) => {
    hint.textContent = problem;
    box.setAttribute("aria-invalid", String(problem !== ""));
  };
  box.addEventListener("input", () => {
    state.typed = box.value;
    report(changed());
  });
  box.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && box.value) {
      event.preventDefault();
      event.stopPropagation();
      box.value = "";
      box.dispatchEvent(new Event("input"));
    }
  });
  return { node: element("span", { className: "tb-group tb-search" }, box, hint), report };
}

/**
 * Creates a button for each word of a facet. `recount` shows how many of the given rows have each word.
 *
 * @param {Facet} facet
 * @param {ViewState} state
 * @param {() => unknown} changed
 */
export function chips(facet, state, changed) {
  // The table may have been drawn again without a chosen word, which would hide every row.
  const chosen = new Set([...(state.chosen[facet.name] ?? [])].filter((word) => facet.words.includes(word)));
  state.chosen[facet.name] = chosen;
  const made = facet.words.map((word) => {
    const number = element("span", { className: "tb-count" });
    const toggle = () => {
      const pressed = !chosen.delete(word);
      if (pressed) {
        chosen.add(word);
      }
      chip.setAttribute("aria-pressed", String(pressed));
      changed();
    };
    const chip = button(undefined, toggle, { aria: { pressed: String(chosen.has(word)) } });
    chip.classList.add("tb-chip");
    chip.title = `show only rows with ${facet.name}: ${facet.write(word)}`;
    chip.append(`${facet.label(word)} `, number);
    return { word, chip, number };
  });
  const recount = (/** @type {Row[]} */ rows) => {
    /** @type {Map<Value | undefined, number>} */
    const found = new Map();
    for (const word of rows.map(facet.wordOf)) {
      found.set(word, (found.get(word) ?? 0) + 1);
    }
    made.forEach(({ word, number }) => (number.textContent = count(found.get(word) ?? 0)));
  };
  const node = element("span", { className: "tb-group", aria: { role: "group", label: facet.name } });
  node.append(...made.map(({ chip }) => chip));
  return { node, recount };
}

/**
 * Creates the menu of columns: a button that opens a list of check boxes. The list is part of the page's flow, since outputs clip
 * floating elements.
 *
 * @param {Column[]} columns
 * @param {ViewState} state
 * @param {() => unknown} changed
 * @param {string} id the id of the list
 */
export function columnMenu(columns, state, changed, id) {
  const boxes = columns.map((column) => {
    const box = element("input", { type: "checkbox", checked: !state.hidden.has(column.index) });
    box.addEventListener("change", () => {
      if (box.checked) {
        state.hidden.delete(column.index);
      } else {
        state.hidden.add(column.index);
      }
      keepLast();
      changed();
    });
    return box;
  });
  // The last shown column cannot be hidden.
  const keepLast = () => {
    const last = state.hidden.size === columns.length - 1;
    boxes.forEach((box) => (box.disabled = last && box.checked));
  };
  const labels = columns.map((column, index) => element("label", {}, boxes[index], column.title));
  const all = button("show all", () => {
    state.hidden.clear();
    boxes.forEach((box) => (box.checked = true));
    keepLast();
    changed();
  });
  const list = element("div", { className: "tb-menu", id, aria: { role: "group", label: "Columns to show" } }, ...labels, all);
  const opener = button("Columns", () => open(!state.menu), { aria: { controls: id } });
  const open = (/** @type {boolean} */ shown) => {
    state.menu = shown;
    list.hidden = !shown;
    opener.setAttribute("aria-expanded", String(shown));
  };
  list.addEventListener("keydown", (event) => {
    const step = STEPS[event.key];
    if (event.key === "Escape") {
      event.stopPropagation();
      open(false);
      opener.focus();
    } else if (step) {
      event.preventDefault();
      const stops = [...boxes.filter((box) => !box.disabled), all];
      const at = stops.findIndex((stop) => stop === document.activeElement);
      stops[(at + step + stops.length) % stops.length].focus();
    }
  });
  keepLast();
  open(state.menu);
  return { opener, list };
}

/**
 * Creates the buttons that copy all matching rows, in the shown columns, with exact values.
 *
 * @param {() => { columns: CopiedColumn[], rows: Row[] }} shown
 */
export function copyButtons(shown) {
  const status = element("span", { className: "tb-hint", aria: { role: "status" } });
  const copier = (/** @type {string} */ name, /** @type {typeof csv} */ write) =>
    button(
      name,
      async () => {
        const { columns, rows } = shown();
        const done = await copy(write(columns, rows));
        const what = `${count(rows.length)} row${rows.length === 1 ? "" : "s"}`;
        status.textContent = done ? `copied ${what} as ${name}` : "cannot copy: the browser refuses it to this page";
      },
      { aria: { label: `Copy as ${name}` }, title: `copy all rows that match, in the columns shown, as ${name}` },
    );
  const label = element("span", { className: "tb-label", text: "Copy", aria: { hidden: "true" } });
  return element("span", { className: "tb-group" }, label, copier("CSV", csv), copier("Markdown", markdown), status);
}

/**
 * Creates the controls of pages. `show` takes how many rows match and how many there are; it hides the controls if all fit on
 * the smallest page.
 *
 * @param {ViewState} state
 * @param {() => unknown} changed
 */
export function pager(state, changed) {
  let last = 0;
  const position = element("span", { className: "tb-label" });
  const arrow = (/** @type {string} */ text, /** @type {string} */ label, /** @type {() => number} */ page) => {
    const go = () => {
      state.page = page();
      changed();
    };
    return button(text, go, { aria: { label }, title: label });
  };
  const back = [arrow("«", "first page", () => 0), arrow("‹", "previous page", () => state.page - 1)];
  const forth = [arrow("›", "next page", () => state.page + 1), arrow("»", "last page", () => last)];
  const sizes = SIZES.includes(state.size) ? SIZES : [state.size, ...SIZES];
  const options = sizes.map((size) => element("option", { value: size, text: size ? `${count(size)} rows per page` : "all on one page" }));
  const select = element("select", { aria: { label: "rows per page" } }, ...options);
  select.value = String(state.size);
  select.addEventListener("change", () => {
    // The first row stays in sight.
    const first = state.page * state.size;
    state.size = Number(select.value);
    state.page = state.size ? Math.floor(first / state.size) : 0;
    changed();
  });
  const node = element("div", { className: "tb-pages", aria: { role: "group", label: "pages" } }, ...back, position, ...forth, select);
  const show = (/** @type {number} */ rows, /** @type {number} */ total) => {
    const size = state.size || Math.max(rows, 1);
    last = Math.max(Math.ceil(rows / size) - 1, 0);
    node.hidden = total <= Math.min(...SIZES.filter(Boolean), state.size || Infinity);
    node.style.display = node.hidden ? "none" : "";
    const from = state.page * size;
    position.textContent = rows ? `${count(from + 1)}–${count(Math.min(from + size, rows))} of ${count(rows)}` : "0 of 0";
    back.forEach((made) => made.setAttribute("aria-disabled", String(state.page === 0)));
    forth.forEach((made) => made.setAttribute("aria-disabled", String(state.page >= last)));
  };
  return { node, show };
}

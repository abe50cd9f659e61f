// What stands above and below the rows: filter box, buttons of words, menu of columns, copies, pages.

import { copy, csv, markdown } from "./copy.js";
import { button, element } from "./element.js";
import { count } from "./state.js";

/** How many rows a page may have; 0 is all. */
const SIZES = [20, 50, 100, 500, 0];

/** The box in which rows are searched, and a line that says if what was typed is no regular expression. */
export function filterBox(state, changed) {
  const box = element("input", {
    type: "search",
    placeholder: "Filter (text or regex)",
    value: state.typed,
    spellcheck: false,
    aria: { label: "Filter rows by text or regular expression" },
  });
  const hint = element("span", { className: "tb-hint", aria: { role: "status" } });
  const judge = (problem) => {
    hint.textContent = problem;
    box.setAttribute("aria-invalid", String(problem !== ""));
  };
  box.addEventListener("input", () => {
    state.typed = box.value;
    judge(changed());
  });
  box.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && box.value) {
      event.preventDefault();
      event.stopPropagation();
      box.value = "";
      box.dispatchEvent(new Event("input"));
    }
  });
  return { node: element("span", { className: "tb-group tb-search" }, box, hint), judge };
}

/** A button for every word of a column; `recount` writes how many rows each would show. */
export function chips(facet, state, changed) {
  // Words that an answer drawn again no longer has would hide every row.
  const chosen = new Set([...(state.chosen[facet.name] ?? [])].filter((word) => facet.words.includes(word)));
  state.chosen[facet.name] = chosen;
  const made = facet.words.map((word) => {
    const number = element("span", { className: "tb-count" });
    const act = () => {
      const pressed = !chosen.delete(word);
      if (pressed) {
        chosen.add(word);
      }
      chip.setAttribute("aria-pressed", String(pressed));
      changed();
    };
    const chip = button(undefined, act, { aria: { pressed: String(chosen.has(word)) } });
    chip.classList.add("tb-chip");
    chip.title = `show only rows with ${facet.name}: ${facet.write(word)}`;
    chip.append(`${facet.write(word)} `, number);
    return { word, chip, number };
  });
  const recount = (rows) => {
    const found = new Map();
    rows.forEach((row) => found.set(facet.of(row), (found.get(facet.of(row)) ?? 0) + 1));
    made.forEach(({ word, number }) => (number.textContent = count(found.get(word) ?? 0)));
  };
  const node = element("span", { className: "tb-group", aria: { role: "group", label: facet.name } });
  node.append(...made.map(({ chip }) => chip));
  return { node, recount };
}

/** A button that opens a list of columns to tick, and the list. It opens in the flow of the page: outputs cut off what floats. */
export function columnMenu(columns, state, changed, id) {
  const boxes = columns.map((column) => {
    const box = element("input", { type: "checkbox", checked: !state.hidden.has(column.index) });
    box.addEventListener("change", () => {
      if (box.checked) {
        state.hidden.delete(column.index);
      } else {
        state.hidden.add(column.index);
      }
      guard();
      changed();
    });
    return box;
  });
  // The last column stays: an empty table would say nothing.
  const guard = () => {
    const last = state.hidden.size === columns.length - 1;
    boxes.forEach((box) => (box.disabled = last && box.checked));
  };
  const labels = columns.map((column, index) => element("label", {}, boxes[index], column.title));
  const all = button("show all", () => {
    state.hidden.clear();
    boxes.forEach((box) => (box.checked = true));
    guard();
    changed();
  });
  const list = element("div", { className: "tb-menu", id, aria: { role: "group", label: "Columns to show" } }, ...labels, all);
  const opener = button("Columns", () => open(!state.menu), { aria: { controls: id } });
  const open = (wanted) => {
    state.menu = wanted;
    list.hidden = !wanted;
    opener.setAttribute("aria-expanded", String(wanted));
  };
  list.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    if (event.key === "Escape") {
      event.stopPropagation();
      open(false);
      opener.focus();
    } else if (step) {
      event.preventDefault();
      const stops = [...boxes.filter((box) => !box.disabled), all];
      const at = stops.indexOf(document.activeElement);
      stops[(at + step + stops.length) % stops.length].focus();
    }
  });
  guard();
  open(state.menu);
  return { opener, list };
}

/** Buttons that put the rows and columns as they are shown on the clipboard, whole and exact. */
export function copies(shown) {
  const said = element("span", { className: "tb-hint", aria: { role: "status" } });
  const copier = (name, write) =>
    button(
      name,
      async () => {
        const { columns, rows } = shown();
        const done = await copy(write(columns, rows));
        const what = `${count(rows.length)} row${rows.length === 1 ? "" : "s"}`;
        said.textContent = done ? `copied ${what} as ${name}` : "the browser does not let this page copy";
      },
      { aria: { label: `Copy as ${name}` }, title: `copy all rows that match, in the columns shown, as ${name}` },
    );
  const label = element("span", { className: "tb-label", text: "Copy", aria: { hidden: "true" } });
  return element("span", { className: "tb-group" }, label, copier("CSV", csv), copier("Markdown", markdown), said);
}

/** Buttons from page to page; `show` is told how many rows there are, and hides all where one page is enough. */
export function pager(state, changed) {
  const go = (page) => () => {
    state.page = page();
    changed();
  };
  let last = 0;
  const where = element("span", { className: "tb-label" });
  const arrow = (text, label, page) => button(text, go(page), { aria: { label }, title: label });
  const back = [arrow("«", "first page", () => 0), arrow("‹", "previous page", () => state.page - 1)];
  const forth = [arrow("›", "next page", () => state.page + 1), arrow("»", "last page", () => last)];
  const sizes = SIZES.includes(state.size) ? SIZES : [state.size, ...SIZES];
  const options = sizes.map((size) => element("option", { value: size, text: size ? `${count(size)} rows a page` : "all on one page" }));
  const select = element("select", { aria: { label: "rows a page" } }, ...options);
  select.value = String(state.size);
  select.addEventListener("change", () => {
    // What stood first stays in sight.
    const first = state.page * state.size;
    state.size = Number(select.value);
    state.page = state.size ? Math.floor(first / state.size) : 0;
    changed();
  });
  const node = element("div", { className: "tb-pages", aria: { role: "group", label: "pages" } }, ...back, where, ...forth, select);
  const show = (rows, most) => {
    const size = state.size || Math.max(rows, 1);
    last = Math.max(Math.ceil(rows / size) - 1, 0);
    node.hidden = most <= Math.min(...SIZES.filter(Boolean), state.size || Infinity);
    node.style.display = node.hidden ? "none" : "";
    const from = state.page * size;
    where.textContent = rows ? `${count(from + 1)}–${count(Math.min(from + size, rows))} of ${count(rows)}` : "0 of 0";
    back.forEach((made) => made.setAttribute("aria-disabled", String(state.page === 0)));
    forth.forEach((made) => made.setAttribute("aria-disabled", String(state.page >= last)));
  };
  return { node, show };
}

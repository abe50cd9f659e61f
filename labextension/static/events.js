// What a click on a row opens: the notebook cells that list the events behind it, to insert and run, or to copy.

import { copy } from "./copy.js";
import { button, element } from "./element.js";
import { unbroken } from "./hyphens.js";
import { canInsert, insertBelow } from "./insert.js";

/** A text as one word of a magic line. */
export const quoted = (text) => (text.includes("'") ? `"${text.replace(/["\\{$]/g, "\\$&")}"` : `'${text}'`);

/** The cells of a row: `{ title, code }`, none where the row names no events. */
export function cellsOf({ columns, events }, row) {
  const at = (name) => columns.findIndex((column) => column.name === name);
  const name = row[at(events?.name)];
  if (typeof name !== "string" || !Array.isArray(events.cells)) {
    return [];
  }
  const rank = events.rank ? row[at(events.rank)] : null;
  const ranked = rank === null || rank === undefined ? "" : ` --rank ${rank}`;
  return events.cells
    .filter(({ counts }) => row[at(counts)] !== 0)
    .map(({ title, before, after }) => ({ title: String(title), code: `${before}${quoted(name)}${ranked}${after}` }));
}

/** The row below a row that offers its cells; `close` takes it away. */
export function rowMenu(cells, columns, close) {
  const said = element("span", { className: "tb-hint", aria: { role: "status" } });
  const lines = cells.map(({ title, code }) => {
    const line = element("div", { className: "tb-group" });
    if (canInsert()) {
      const insert = () => (said.textContent = insertBelow(line, code) ? "" : "this output is in no notebook");
      line.append(button(title, insert, { title: `insert a cell below and run it: ${code}` }));
    } else {
      line.append(element("span", { className: "tb-label", text: title }));
    }
    const copyCell = async () => {
      said.textContent = (await copy(code)) ? "copied: paste it into a cell" : "the browser does not let this page copy";
    };
    line.append(button("copy cell", copyCell, { aria: { label: `Copy the cell for ${title}` } }), element("code", {}, ...unbroken(code)));
    return line;
  });
  const box = element("div", { className: "tb-offer", aria: { role: "group", label: "Events of this row" } }, ...lines, said);
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

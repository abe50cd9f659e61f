// Draws `application/vnd.tracebook.table.v1+json`: sorted by a head (the sortable table of W3C's ARIA practices), filtered
// by text and by words, page by page.

import { bar, hasManyColumns, prepare } from "./columns.js";
import { button, element } from "./element.js";
import { cellsOf, rowMenu } from "./events.js";
import { compare, facets, search, searched } from "./rows.js";
import { count, stateOf } from "./state.js";
import { style } from "./style.js";
import { chips, columnMenu, copies, filterBox, pager } from "./toolbar.js";
import { fit, sideways } from "./width.js";

export const MIME = "application/vnd.tracebook.table.v1+json";

/** A table of fewer rows is seen at a glance: nothing to filter. */
const FILTERED = 5;

let tables = 0;

/** The text of a head: it may be broken behind an underscore, and before its unit only in a narrow table. */
function breakable(title) {
  const parts = title.split(/(?<=_)/);
  const last = element("span", { className: "tb-unit", text: parts.pop() });
  return [...parts.flatMap((part) => [part, document.createElement("wbr")]), last];
}

/** Keys that are meant for the table must not reach the notebook's shortcuts: Enter would edit the cell, `d d` delete it. */
function keepKeys(event) {
  const typing = event.target.matches("input[type=search]");
  if (!event.ctrlKey && !event.metaKey && !event.altKey && (typing || !event.shiftKey || event.key === "Tab")) {
    event.stopPropagation();
  }
}

/** The renderer, as a subclass of the page's own Widget. */
export const renderer = (Widget) =>
  class Table extends Widget {
    constructor() {
      super();
      this.addClass("tracebook-table");
      this.menuId = `tracebook-table-${++tables}-columns`;
      this.node.addEventListener("keydown", keepKeys);
      style();
      // Heights change as rows are drawn; only another width asks for another layout.
      let width = 0;
      this.sizes = new ResizeObserver(() => {
        if (this.node.clientWidth !== width) {
          width = this.node.clientWidth;
          this.layOut();
        }
      });
      this.sizes.observe(this.node);
    }

    dispose() {
      this.sizes.disconnect();
      super.dispose();
    }

    async renderModel(model) {
      const table = model.data[MIME];
      if (!Array.isArray(table?.columns) || !Array.isArray(table?.rows)) {
        this.node.textContent = "This table was written by a newer Tracebook.";
        return;
      }
      this.table = table;
      this.columns = prepare(table);
      this.facets = table.rows.length < FILTERED ? [] : facets(this.columns, table);
      this.node.classList.toggle("tb-many", hasManyColumns(this.columns));
      this.state = stateOf(model, table, this.state);
      this.build();
      this.find();
    }

    /** All but the rows. */
    build() {
      const caption = String(this.table.caption ?? "");
      this.heads = this.columns.map((column) => this.head(column));
      this.headRow = element("tr");
      this.body = element("tbody");
      // Heard once: a reader of the screen learns that heads are buttons.
      const spoken = element("caption", { className: "tb-hidden", text: `${caption} (column heads are buttons that sort)` });
      const table = element("table", {}, spoken, element("thead", {}, this.headRow), this.body);
      this.scroll = element("div", { className: "tb-scroll", tabIndex: 0, aria: { role: "region", label: caption } }, table);
      this.beyond = sideways(this.scroll);
      this.foot = element("div", { className: "tb-foot", aria: { role: "status", live: "polite" } });
      this.pages = pager(this.state, () => this.fill());
      this.node.replaceChildren(
        element("div", { className: "tb-caption", text: caption }),
        ...this.tools(),
        this.beyond.frame,
        this.beyond.row,
        this.pages.node,
        this.foot,
      );
      this.showColumns();
      this.showOrder();
    }

    head(column) {
      const order = element("span", { className: "tb-order", text: "↕", aria: { hidden: "true" } });
      const sorter = button(undefined, () => this.sort(column), { className: "" });
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

    /** The row of tools, and the menu of columns that opens below it; nothing for a table of one row. */
    tools() {
      this.chips = [];
      this.box = null;
      const { rows } = this.table;
      if (rows.length < 2) {
        return [];
      }
      const row = element("div", { className: "tb-tools" });
      if (rows.length >= FILTERED && searched(this.columns).length > 0) {
        this.box = filterBox(this.state, () => this.narrow());
        row.append(this.box.node);
      }
      this.chips = this.facets.map((facet) => chips(facet, this.state, () => this.narrow()));
      row.append(...this.chips.map(({ node }) => node));
      const shown = () => ({ columns: this.shown(), rows: this.found });
      const menu = columnMenu(this.columns, this.state, () => this.showColumns(true), this.menuId);
      const group = copies(shown);
      group.prepend(menu.opener);
      row.append(group);
      return [row, menu.list];
    }

    /** The columns that are shown. */
    shown() {
      return this.columns.filter(({ index }) => !this.state.hidden.has(index));
    }

    showColumns(again) {
      this.headRow.replaceChildren(...this.shown().map(({ index }) => this.heads[index]));
      if (again) {
        this.fill();
      }
    }

    /** Sorts by a column: numbers from the largest and texts from A, then the other way, then as the answer came. */
    sort(column) {
      const first = column.right ? -1 : 1;
      const { index, direction } = this.state.sorted;
      const next = index !== column.index ? first : direction === first ? -first : 0;
      this.state.sorted = { index: next ? column.index : -1, direction: next };
      this.state.page = 0;
      this.showOrder();
      this.find();
    }

    /** Marks the head by which is sorted; the others have no `aria-sort`. */
    showOrder() {
      const { index, direction } = this.state.sorted;
      this.heads.forEach((head, place) => {
        const here = place === index;
        head.querySelector(".tb-order").textContent = !here ? "↕" : direction > 0 ? "↑" : "↓";
        if (here) {
          head.setAttribute("aria-sort", direction > 0 ? "ascending" : "descending");
        } else {
          head.removeAttribute("aria-sort");
        }
      });
    }

    /** Finds and shows the rows after another choice of them; says what is wrong with it. */
    narrow() {
      this.state.page = 0;
      return this.find();
    }

    /** The rows that are wanted, in the order that is wanted. */
    find() {
      const { typed, chosen, sorted } = this.state;
      const { test, problem } = search(typed);
      const columns = searched(this.columns);
      const matches = (row) => columns.some((column) => test(String(row[column.index] ?? "")));
      const matching = typed ? this.table.rows.filter(matches) : this.table.rows;
      const taken = (facet, row) => !chosen[facet.name]?.size || chosen[facet.name].has(facet.of(row));
      // What a button would show counts what was typed, and the other buttons' choice.
      this.chips.forEach(({ recount }, place) =>
        recount(matching.filter((row) => this.facets.every((facet, other) => other === place || taken(facet, row)))),
      );
      this.found = matching.filter((row) => this.facets.every((facet) => taken(facet, row)));
      if (sorted.direction) {
        this.found.sort((one, other) => compare(one[sorted.index], other[sorted.index], sorted.direction));
      }
      this.fill();
      this.box?.judge(problem);
      return problem;
    }

    /** Draws the page of the rows that were found. */
    fill() {
      const { size } = this.state;
      // There may be fewer pages than when the reader turned to this one.
      const last = size ? Math.max(Math.ceil(this.found.length / size) - 1, 0) : 0;
      const page = (this.state.page = Math.min(this.state.page, last));
      const columns = this.shown();
      const drawn = size ? this.found.slice(page * size, (page + 1) * size) : this.found;
      this.names = [];
      this.opened = null;
      // One row is reached by Tab, the others by the arrows.
      this.stop = false;
      const rows = drawn.map((row) => this.row(row, columns));
      if (!rows.length) {
        const none = { className: "tb-none", colSpan: columns.length, text: this.nothing() };
        rows.push(element("tr", { className: "tb-empty" }, element("td", none)));
      }
      this.body.replaceChildren(...rows);
      this.layOut();
      this.pages.show(this.found.length, this.table.rows.length);
      const said = this.status(columns.length);
      // Said again only if it changed.
      if (this.foot.textContent !== said) {
        this.foot.textContent = said;
      }
    }

    /** What stands in place of rows. */
    nothing() {
      const { rows, total_rows: total, rest } = this.table;
      if (!rows.length) {
        return "no rows";
      }
      if (!(total > rows.length)) {
        return "no row matches";
      }
      return `no row matches among the first ${count(rows.length)} of ${count(total)} rows${rest ? `; ${rest}` : ""}`;
    }

    /** Fits the drawn rows into the page. */
    layOut() {
      if (this.scroll) {
        // The menu of a row stays within the window, and does not make the table wider than that.
        this.node.style.setProperty("--tb-window", `${Math.max(this.node.clientWidth - 24, 0)}px`);
        fit(this.node, this.scroll, this.names);
        this.beyond.show();
      }
    }

    /** A drawn row. One that stands for events opens on a click or Enter, and the arrows go from one to the next. */
    row(values, columns) {
      const made = element("tr", {}, ...columns.map((column) => this.cell(column, values[column.index])));
      const cells = this.table.events ? cellsOf(this.table, values) : [];
      if (cells.length) {
        const open = () => this.open(made, cells, columns.length);
        made.className = "tb-events";
        made.tabIndex = this.stop ? -1 : 0;
        this.stop = true;
        made.title = "click or Enter: list the events of this row";
        made.setAttribute("aria-expanded", "false");
        made.addEventListener("click", () => {
          // Who marks text wants the text.
          if (!String(window.getSelection())) {
            open();
          }
        });
        made.addEventListener("keydown", (event) => this.rowKey(event, made, open));
      }
      return made;
    }

    rowKey(event, row, open) {
      if (event.target !== row) {
        return;
      }
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        open();
      } else if (step) {
        event.preventDefault();
        const rows = [...this.body.querySelectorAll(".tb-events")];
        const next = rows[rows.indexOf(row) + step];
        if (next) {
          row.tabIndex = -1;
          next.tabIndex = 0;
          next.focus();
        }
      }
    }

    /** Opens the menu of a row, or closes it. */
    open(row, cells, columns) {
      const before = this.opened;
      const close = () => {
        this.opened?.menu.remove();
        this.opened?.row.setAttribute("aria-expanded", "false");
        this.opened = null;
      };
      close();
      if (before?.row === row) {
        return;
      }
      const menu = rowMenu(cells, columns, () => {
        close();
        row.focus();
      });
      row.after(menu);
      row.setAttribute("aria-expanded", "true");
      this.opened = { row, menu };
      menu.querySelector("button")?.focus();
    }

    cell(column, value) {
      const whole = column.write(value);
      const text = column.shortener.of(whole);
      const kind = { name: " tb-name", text: " tb-text" }[column.kind] ?? "";
      const cell = element("td", { text, className: (column.right ? "tb-right" : "tb-left") + kind });
      if (text !== whole) {
        cell.title = whole;
      }
      if (column.kind === "name") {
        this.names.push({ cell, column, whole });
      }
      const picture = bar(column, value);
      if (picture) {
        cell.style.backgroundImage = picture;
      }
      return cell;
    }

    /** How many of how many rows and columns, and what the answer says of itself. */
    status(columns) {
      const { sorted, chosen, typed } = this.state;
      const sent = this.table.rows.length;
      const total = Math.max(this.table.total_rows ?? 0, sent);
      const plural = (number) => (number === 1 ? "" : "s");
      const narrowed = typed !== "" || this.facets.some(({ name }) => chosen[name]?.size);
      const rows = this.found.length;
      const of = rows === total && !narrowed ? "" : `${count(rows)} of `;
      const all = this.columns.length;
      const parts = [
        `${of}${count(total)} row${plural(total)} × ${columns === all ? "" : `${columns} of `}${all} column${plural(all)}`,
      ];
      const notes = (this.table.notes ?? []).map(String);
      if (sorted.direction) {
        parts.push(`sorted by ${this.columns[sorted.index].name} ${sorted.direction > 0 ? "↑" : "↓"}`);
      }
      parts.push(...notes.filter((note) => !sorted.direction || !note.startsWith("sorted by ")));
      if (narrowed && sent < total) {
        const { rest } = this.table;
        parts.push(`only the first ${count(sent)} are here to be searched${rest ? `; ${rest}` : ""}`);
      }
      return parts.join(" · ");
    }
  };

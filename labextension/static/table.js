// Draws `application/vnd.tracebook.table.v1+json`: sorted by a click on a header, filtered by text and by category.
// Everything a trace can name is written with textContent.

export const MIME = "application/vnd.tracebook.table.v1+json";

/** How many characters of a name, and of another text, are shown; the whole stands in the title. */
const NAME_CHARS = 40;
const TEXT_CHARS = 120;
/** How many rows are drawn before the reader asks for more. */
const PAGE = 200;
/** A column with more categories than this gets no buttons. */
const MOST_CATEGORIES = 8;

const RIGHT = new Set(["number", "id", "difference", "bar"]);
const SEARCHED = new Set(["name", "text", "category"]);

const STYLE = `
.tracebook-table { color: var(--jp-content-font-color1, inherit); font-size: var(--jp-code-font-size, 13px); padding: 4px 0; }
.tracebook-table .tb-caption { font-weight: 600; padding: 2px 0 6px; }
.tracebook-table .tb-tools { display: flex; flex-wrap: wrap; align-items: center; gap: 6px; padding-bottom: 6px; }
.tracebook-table input { width: 220px; padding: 3px 8px; font: inherit; color: inherit; border-radius: 3px;
  background: var(--jp-layout-color1, transparent); border: 1px solid var(--jp-border-color1, #bbb); }
.tracebook-table .tb-chip, .tracebook-table .tb-more { padding: 2px 9px; font: inherit; color: inherit; cursor: pointer;
  background: transparent; border: 1px solid var(--jp-border-color1, #bbb); border-radius: 10px; }
.tracebook-table .tb-chip[aria-pressed="true"] { background: rgba(31, 119, 180, .3); border-color: rgba(31, 119, 180, .9); }
.tracebook-table .tb-scroll { width: fit-content; max-width: 100%; max-height: 540px; overflow: auto;
  border: 1px solid var(--jp-border-color2, #ddd); }
.tracebook-table table { border-collapse: separate; border-spacing: 0; margin: 0; font-variant-numeric: tabular-nums; }
.tracebook-table th { position: sticky; top: 0; z-index: 1; padding: 0; font-weight: 600; vertical-align: bottom;
  background: var(--jp-layout-color2, #eee); border-bottom: 1px solid var(--jp-border-color1, #bbb); }
.tracebook-table th button { all: unset; display: block; box-sizing: border-box; width: 100%; padding: 4px 7px;
  cursor: pointer; white-space: normal; text-align: inherit; }
.tracebook-table th button:focus-visible { outline: 2px solid var(--jp-brand-color1, #1f77b4); outline-offset: -2px; }
.tracebook-table td { padding: 3px 7px; white-space: nowrap; border-bottom: 1px solid var(--jp-border-color3, #eee); }
.tracebook-table tbody tr:hover td { background-color: var(--jp-rendermime-table-row-hover-background, rgba(33, 150, 243, .12)); }
.tracebook-table .tb-left { text-align: left; }
.tracebook-table .tb-right { text-align: right; }
.tracebook-table .tb-name { font-family: var(--jp-code-font-family, monospace); }
.tracebook-table .tb-foot { padding-top: 5px; color: var(--jp-content-font-color2, inherit); }
`;

function element(tag, { text, ...properties } = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  if (text !== undefined) {
    made.textContent = text;
  }
  made.append(...children);
  return made;
}

function style() {
  const id = "tracebook-table-style";
  if (!document.getElementById(id)) {
    document.head.append(element("style", { id, text: STYLE }));
  }
}

/** A long text without its middle: both ends tell a kernel apart. */
function elide(text, most) {
  const chars = Array.from(text);
  if (chars.length <= most) {
    return text;
  }
  const tail = Math.floor((most - 1) / 2);
  return `${chars.slice(0, most - 1 - tail).join("")}…${chars.slice(-tail).join("")}`;
}

/** The first character in which two names differ. */
function parting(one, other) {
  const [a, b] = [Array.from(one), Array.from(other)];
  const at = a.findIndex((char, index) => char !== b[index]);
  return at < 0 ? a.length : at;
}

/** Names → short names; names that would look alike show the place where they part. */
function elideApart(names) {
  const alike = new Map();
  for (const name of new Set(names)) {
    const short = elide(name, NAME_CHARS);
    alike.set(short, [...(alike.get(short) ?? []), name]);
  }
  const short = new Map();
  for (const [text, group] of alike) {
    const at = Math.min(...group.slice(1).map((name) => parting(group[0], name)));
    group.forEach((name) => short.set(name, group.length > 1 ? elideAt(name, at) : text));
  }
  return short;
}

/** As `elide`, and keeps what stands around character `keep`. */
function elideAt(name, keep) {
  const chars = Array.from(name);
  const head = Math.floor(NAME_CHARS / 3);
  const tail = NAME_CHARS - head - 1;
  if (chars.length <= NAME_CHARS || keep <= head) {
    return elide(name, NAME_CHARS);
  }
  const from = Math.min(Math.max(keep - Math.floor(tail / 3), 0), chars.length - tail);
  const rest = chars.slice(from, from + tail);
  const end = from + tail === chars.length ? rest.join("") : `${rest.slice(0, -1).join("")}…`;
  return `${chars.slice(0, head).join("")}…${end}`;
}

/** The text of a head: it may be broken behind an underscore, and not before its unit. */
function breakable(title) {
  const parts = title.replace(" [", "\u00a0[").split(/(?<=_)/);
  return parts.flatMap((part, index) => (index ? [document.createElement("wbr"), part] : [part]));
}

const count = (number) => number.toLocaleString("en-US");

/** A column with what its cells need: how to write a value, and the largest one. */
function prepare(column, index, rows) {
  const decimals = Math.min(Math.max(column.decimals ?? 0, 0), 20);
  const digits = new Intl.NumberFormat("en-US", { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
  const long = new Intl.NumberFormat("en-US", { notation: "scientific", maximumFractionDigits: 3 });
  // What is not zero is not shown as zero: two digits of it are.
  const small = (value) => {
    const more = 1 - Math.floor(Math.log10(value));
    return more > 12 ? value.toExponential(1) : value.toFixed(more);
  };
  const number = (value) => {
    const size = Math.abs(value);
    const text = (size < 1e16 ? digits : long).format(size);
    return size > 0 && !/[1-9]/.test(text) ? small(size) : text;
  };
  const signed = (value) => (value < 0 ? `−${number(value)}` : number(value));
  const write = (value) => {
    if (value === null || value === undefined) {
      return "—";
    }
    if (typeof value !== "number") {
      return String(value);
    }
    switch (column.kind) {
      case "id":
      case "name":
        return String(value);
      case "difference":
        return value > 0 ? `▲ +${number(value)}` : value < 0 ? `▼ −${number(value)}` : number(0);
      default:
        return signed(value);
    }
  };
  const largest = rows.reduce((most, row) => (typeof row[index] === "number" ? Math.max(most, Math.abs(row[index])) : most), 0);
  const names = column.kind === "name" ? elideApart(rows.map((row) => write(row[index]))) : new Map();
  const short = (text) => names.get(text) ?? elide(text, TEXT_CHARS);
  // HTA's `sum (us)` without the unit in it: the table may show another.
  const title = column.unit ? `${String(column.name).replace(/\s*\(us\)$/, "")} [${column.unit}]` : String(column.name);
  return { ...column, index, write, short, largest, title, side: RIGHT.has(column.kind) ? "tb-right" : "tb-left" };
}

/** A bar behind the value: red for more, green for less, blue where there is no better or worse. */
function bar(column, value) {
  if (typeof value !== "number" || value === 0 || column.largest === 0) {
    return "";
  }
  const percent = ((Math.abs(value) / column.largest) * 100).toFixed(1);
  const tint = (colour, rest) => `linear-gradient(90deg, rgba(${colour}, .3) ${percent}%, rgba(${colour}, ${rest}) ${percent}%)`;
  if (column.kind === "difference") {
    return tint(value > 0 ? "214, 39, 40" : "44, 160, 44", 0.08);
  }
  return column.kind === "bar" ? tint("31, 119, 180", 0) : "";
}

/** Orders two values: numbers by size, texts by letter, what is missing last whichever way. */
function compare(one, other, direction) {
  const missing = (value) => value === null || value === undefined;
  if (missing(one) || missing(other)) {
    return missing(one) - missing(other);
  }
  if (typeof one === "number" && typeof other === "number") {
    return direction * (one - other);
  }
  return direction * String(one).localeCompare(String(other), "en", { numeric: true });
}

/** The renderer, as a subclass of the page's own Widget. */
export const renderer = (Widget) =>
  class Table extends Widget {
    constructor() {
      super();
      this.addClass("tracebook-table");
      style();
    }

    async renderModel(model) {
      const table = model.data[MIME];
      if (!Array.isArray(table?.columns) || !Array.isArray(table?.rows)) {
        this.node.textContent = "This table was written by a newer Tracebook.";
        return;
      }
      this.table = table;
      this.columns = table.columns.map((column, index) => prepare(column, index, table.rows));
      this.sorted = { index: -1, direction: 0 };
      this.search = "";
      this.chosen = new Set();
      this.shown = PAGE;
      this.build();
      this.fill();
    }

    /** All but the rows. */
    build() {
      this.heads = this.columns.map((column) => {
        const button = element("button", { type: "button" }, ...breakable(column.title));
        button.addEventListener("click", () => this.sort(column));
        const head = element("th", { scope: "col", className: column.side, title: column.meaning || column.title }, button);
        head.setAttribute("aria-sort", "none");
        return head;
      });
      this.body = element("tbody");
      this.foot = element("div", { className: "tb-foot" });
      this.foot.setAttribute("aria-live", "polite");
      const table = element("table", {}, element("thead", {}, element("tr", {}, ...this.heads)), this.body);
      table.setAttribute("aria-label", this.table.caption);
      this.node.replaceChildren(
        element("div", { className: "tb-caption", text: this.table.caption }),
        element("div", { className: "tb-tools" }, ...this.tools()),
        element("div", { className: "tb-scroll" }, table),
        this.foot,
      );
    }

    /** The filter box, and a button for every category. */
    tools() {
      const { rows } = this.table;
      if (rows.length < 2) {
        return [];
      }
      const tools = [];
      if (this.columns.some((column) => SEARCHED.has(column.kind))) {
        const box = element("input", { type: "search", placeholder: "Filter", ariaLabel: "Filter rows by text" });
        box.addEventListener("input", () => {
          this.search = box.value.toLowerCase();
          this.fill();
        });
        tools.push(box);
      }
      const column = this.columns.find(({ kind }) => kind === "category");
      const words = column ? [...new Set(rows.map((row) => row[column.index]))].filter((word) => word !== null) : [];
      if (words.length > 1 && words.length <= MOST_CATEGORIES) {
        this.category = column.index;
        for (const word of words) {
          const chip = element("button", { type: "button", className: "tb-chip", text: word, ariaPressed: "false" });
          chip.title = `${column.name}: ${word}`;
          chip.addEventListener("click", () => {
            const pressed = !this.chosen.delete(word);
            if (pressed) {
              this.chosen.add(word);
            }
            chip.ariaPressed = String(pressed);
            this.fill();
          });
          tools.push(chip);
        }
      }
      return tools;
    }

    /** Sorts by a column: numbers from the largest and texts from A, then the other way, then as the answer came. */
    sort(column) {
      const first = RIGHT.has(column.kind) ? -1 : 1;
      const same = this.sorted.index === column.index;
      const direction = !same ? first : this.sorted.direction === first ? -first : 0;
      this.sorted = { index: direction ? column.index : -1, direction };
      this.heads.forEach((head, index) => {
        const here = index === this.sorted.index;
        head.setAttribute("aria-sort", !here ? "none" : direction > 0 ? "ascending" : "descending");
        head.firstChild.replaceChildren(...breakable(this.columns[index].title), !here ? "" : direction > 0 ? " ↑" : " ↓");
      });
      this.fill();
    }

    /** The rows that are wanted, in the order that is wanted. */
    wanted() {
      const searched = this.columns.filter((column) => SEARCHED.has(column.kind));
      const found = (row) => searched.some(({ index }) => String(row[index] ?? "").toLowerCase().includes(this.search));
      const rows = this.table.rows.filter(
        (row) => (this.chosen.size === 0 || this.chosen.has(row[this.category])) && (!this.search || found(row)),
      );
      const { index, direction } = this.sorted;
      return direction ? rows.sort((one, other) => compare(one[index], other[index], direction)) : rows;
    }

    fill() {
      const rows = this.wanted();
      const drawn = rows.slice(0, this.shown);
      this.body.replaceChildren(
        ...drawn.map((row) => element("tr", {}, ...this.columns.map((column) => this.cell(column, row[column.index])))),
      );
      this.foot.replaceChildren(this.footer(drawn.length, rows.length));
      if (drawn.length < rows.length) {
        const more = element("button", { type: "button", className: "tb-more", text: "Show more" });
        more.addEventListener("click", () => {
          this.shown += 5 * PAGE;
          this.fill();
        });
        this.foot.append(" ", more);
      }
    }

    cell(column, value) {
      const whole = column.write(value);
      const text = column.short(whole);
      const cell = element("td", { text, className: column.kind === "name" ? `${column.side} tb-name` : column.side });
      if (text !== whole) {
        cell.title = whole;
      }
      cell.style.backgroundImage = bar(column, value);
      return cell;
    }

    footer(drawn, found) {
      const total = this.table.total_rows ?? this.table.rows.length;
      const narrowed = this.search || this.chosen.size > 0;
      const matching = narrowed && found !== drawn ? `${count(found)} matching of ` : "";
      const of = drawn === total ? "" : `${count(drawn)} of ${matching}`;
      const columns = this.columns.length;
      const size = `${of}${count(total)} row${total === 1 ? "" : "s"} × ${columns} column${columns === 1 ? "" : "s"}`;
      return [size, ...(this.table.notes ?? [])].join(" · ");
    }
  };

// What the cells of a column need: how a value is written, how a long one is shortened, how long its bar is.

import { elide, elideApart } from "./names.js";

/** How many characters of a name are shown at most; where the page is narrow, fewer (`width.js`). */
export const NAME_CHARS = 40;
/** How many characters of another text are shown; the whole stands in the title. */
const TEXT_CHARS = 120;
/** In a table of more columns than this, rows and heads have one line: a text far to the right must not make them higher. */
const MANY_COLUMNS = 12;
const LINE_CHARS = 32;

const RIGHT = new Set(["number", "id", "difference", "bar"]);
const TIMES = new Set(["ns", "µs", "ms", "s"]);
/** Moments are measured in the units of durations, but a bar would say nothing. */
const MOMENTS = new Set(["ts", "end"]);

/** Writes the sizes of numbers: so many decimals, thousands separated, nothing but zero shown as zero. */
function sizes(decimals) {
  const digits = new Intl.NumberFormat("en-US", { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
  const long = new Intl.NumberFormat("en-US", { notation: "scientific", maximumFractionDigits: 3 });
  const small = (size) => {
    const more = 1 - Math.floor(Math.log10(size));
    return more > 12 ? size.toExponential(1) : size.toFixed(more);
  };
  return (value) => {
    const size = Math.abs(value);
    const text = (size < 1e16 ? digits : long).format(size);
    return size > 0 && !/[1-9]/.test(text) ? small(size) : text;
  };
}

/** An integer beyond 2⁵³, which comes as text, with its thousands separated. */
const grouped = (digits) => digits.replace(/\B(?=(\d{3})+$)/g, ",").replace("-", "−");

/** Value → text, and for a difference the arrow before it. `signs`: the column shows changes, whose minus is HTA's hyphen. */
function writer(column, signs) {
  const size = sizes(Math.min(Math.max(column.decimals ?? 0, 0), 20));
  return (value) => {
    if (value === null || value === undefined) {
      return "—";
    }
    if (column.kind === "number" && /^-?\d+$/.test(value)) {
      return typeof value === "number" && column.decimals ? signed(value, size) : grouped(String(value));
    }
    if (typeof value !== "number" || column.kind === "id" || column.kind === "name") {
      return signs && value === "-" ? "−" : String(value);
    }
    if (column.kind === "difference" && value !== 0) {
      return value > 0 ? `▲ +${size(value)}` : `▼ −${size(value)}`;
    }
    return signed(value, size);
  };
}

const signed = (value, size) => (value < 0 ? `−${size(value)}` : size(value));

/** Shortens the texts of a column; `most` says to how many characters, and may change. */
function shortener(texts, apart, most) {
  let short = null;
  return {
    get most() {
      return most;
    },
    set most(wanted) {
      short = wanted === most ? short : null;
      most = wanted;
    },
    of: (text) => {
      if (!apart) {
        return elide(text, most);
      }
      short ??= elideApart(texts(), most);
      return short.get(text) ?? elide(text, most);
    },
  };
}

/** Whether bars stand behind the values: where the answer says so, and behind durations that can be compared. */
function hasBars(column, rows, index) {
  if (column.kind === "difference" || column.kind === "bar") {
    return true;
  }
  const duration = column.kind === "number" && TIMES.has(column.unit) && !MOMENTS.has(column.name);
  return duration && rows.filter((row) => typeof row[index] === "number").length > 1;
}

/** The least and the largest value with zero between them; a share is one of a hundred. */
function range(column, rows, index) {
  let [least, most] = [0, column.kind === "bar" && column.unit === "%" ? 100 : 0];
  for (const row of rows) {
    if (typeof row[index] === "number") {
      [least, most] = [Math.min(least, row[index]), Math.max(most, row[index])];
    }
  }
  return { least, most };
}

/** The columns of a table, ready to be drawn. Those of one scale share the scale of their bars. */
export function prepare({ columns, rows, changes }) {
  const ranges = columns.map((column, index) => (hasBars(column, rows, index) ? range(column, rows, index) : null));
  const textChars = hasManyColumns(columns) ? LINE_CHARS : TEXT_CHARS;
  return columns.map((column, index) => {
    const write = writer(column, column.name === changes?.column);
    const isName = column.kind === "name";
    const sharing = ranges.filter((its, other) => its && (other === index || (column.scale && columns[other].scale === column.scale)));
    return {
      ...column,
      index,
      write,
      short: column.short ? String(column.short) : "",
      shortener: shortener(() => rows.map((row) => write(row[index])), isName, isName ? NAME_CHARS : textChars),
      // HTA's `sum (us)` without the unit in it: the table may show another.
      title: column.unit ? `${String(column.name).replace(/\s*\(us\)$/, "")} [${column.unit}]` : String(column.name),
      right: RIGHT.has(column.kind),
      range: ranges[index] && {
        least: Math.min(...sharing.map(({ least }) => least)),
        most: Math.max(...sharing.map(({ most }) => most)),
      },
    };
  });
}

/** Whether a table has so many columns that most stand outside of the window. */
export const hasManyColumns = (columns) => columns.length > MANY_COLUMNS;

/** The picture behind a value: a bar from zero to it. Orange is more, blue is less, as in figures test and control are. */
export function bar(column, value) {
  if (!column.range || typeof value !== "number" || value === 0) {
    return "";
  }
  const { least, most } = column.range;
  const place = (at) => ((at - least) / (most - least)) * 100;
  const [from, to] = [place(Math.min(0, value)), place(Math.max(0, value))].map((at) => `${at.toFixed(1)}%`);
  const tone = column.kind !== "difference" ? "size" : value > 0 ? "more" : "less";
  const colour = `var(--tb-${tone})`;
  return `linear-gradient(90deg, transparent ${from}, ${colour} ${from}, ${colour} ${to}, transparent ${to})`;
}

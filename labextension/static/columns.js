// @ts-check
// Columns of a table: how values are written and shortened, and how long the bars behind them are.

import { elide, elideApart } from "./names.js";

/** @import { Changes, Column, ColumnSpec, Range, Row, Shortener, Table, Value } from "../types/table" */

/** The longest name that is shown; a narrow page shows fewer characters (`width.js`). */
export const NAME_CHARS = 40;
/** The longest other text that is shown; the whole text is in the cell's title. */
const TEXT_CHARS = 120;
/** With more columns than this, each row has one line: a text far to the right must not make every row higher. */
const MANY_COLUMNS = 12;
const LINE_CHARS = 32;

const RIGHT = new Set(["number", "id", "difference", "bar"]);
/** @type {Record<string, number>} */
const SECONDS = { ns: 1e-9, µs: 1e-6, ms: 1e-3, s: 1 };
const DURATION_UNITS = new Set(Object.keys(SECONDS));
/** @type {[number, string][]} */
const TINY_UNITS = [
  [1e-3, "ms"],
  [1e-6, "µs"],
  [1e-9, "ns"],
];
/** Timestamps have the units of durations, but the length of their bars would mean nothing. */
const TIMESTAMPS = new Set(["ts", "end"]);

/**
 * Writes a duration in seconds that is far smaller than those around it, in a unit of its own: `71.0 ns`.
 *
 * @param {number} seconds
 */
function tinyDuration(seconds) {
  const [unit, name] = TINY_UNITS.find(([unit]) => seconds >= 0.9995 * unit) ?? [1e-9, "ns"];
  const size = seconds / unit;
  return `${size.toFixed(size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2)} ${name}`;
}

/**
 * Returns a function that writes sizes with `decimals` digits behind the point. A size that is not zero never reads as zero.
 *
 * @param {number} decimals
 * @param {string} unit
 * @returns {(value: number) => string}
 */
function sizeWriter(decimals, unit) {
  const digits = new Intl.NumberFormat("en-US", { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
  const scientific = new Intl.NumberFormat("en-US", { notation: "scientific", maximumFractionDigits: 3 });
  const small = (/** @type {number} */ size) => {
    const more = 1 - Math.floor(Math.log10(size));
    if (unit in SECONDS && more > 4) {
      return tinyDuration(size * SECONDS[unit]);
    }
    return more > 12 ? size.toExponential(1) : size.toFixed(more);
  };
  return (value) => {
    const size = Math.abs(value);
    const text = (size < 1e16 ? digits : scientific).format(size);
    return size > 0 && !/[1-9]/.test(text) ? small(size) : text;
  };
}

/** Separates the thousands of an integer. @param {string} digits */
const grouped = (digits) => digits.replace(/\B(?=(\d{3})+$)/g, ",").replace("-", "−");

/** @param {number} value @param {(value: number) => string} writeSize */
const signed = (value, writeSize) => (value < 0 ? `−${writeSize(value)}` : writeSize(value));

/**
 * Returns a function that writes the values of a column. A difference gets an arrow. In the column that shows changes
 * (`showsChange`), HTA's hyphen becomes a minus sign.
 *
 * @param {ColumnSpec} column
 * @param {boolean} showsChange
 * @returns {(value: Value | undefined) => string}
 */
function writer(column, showsChange) {
  const writeSize = sizeWriter(Math.min(Math.max(column.decimals ?? 0, 0), 20), column.unit ?? "");
  return (value) => {
    if (value === null || value === undefined) {
      return "—";
    }
    if (column.kind === "number" && /^-?\d+$/.test(String(value))) {
      return typeof value === "number" && column.decimals ? signed(value, writeSize) : grouped(String(value));
    }
    if (typeof value !== "number" || column.kind === "id" || column.kind === "name") {
      return showsChange && value === "-" ? "−" : String(value);
    }
    if (column.kind === "difference" && value !== 0) {
      return value > 0 ? `▲ +${writeSize(value)}` : `▼ −${writeSize(value)}`;
    }
    return signed(value, writeSize);
  };
}

/**
 * Returns what shortens the texts of a column. With `apart`, different texts stay different.
 *
 * @param {() => string[]} texts all texts of the column
 * @param {boolean} apart
 * @param {number} most the longest text, in characters; it may change
 * @returns {Shortener}
 */
function shortener(texts, apart, most) {
  /** @type {Map<string, string> | null} */
  let short = null;
  return {
    get most() {
      return most;
    },
    set most(wanted) {
      short = wanted === most ? short : null;
      most = wanted;
    },
    shorten: (text) => {
      if (!apart) {
        return elide(text, most);
      }
      short ??= elideApart(texts(), most);
      return short.get(text) ?? elide(text, most);
    },
  };
}

/**
 * Whether bars are drawn behind the values: differences, what the answer marks as a bar, and durations if there are two or more.
 *
 * @param {ColumnSpec} column
 * @param {Row[]} rows
 * @param {number} index
 */
function hasBars(column, rows, index) {
  if (column.kind === "difference" || column.kind === "bar") {
    return true;
  }
  const duration = column.kind === "number" && DURATION_UNITS.has(column.unit ?? "") && !TIMESTAMPS.has(column.name);
  return duration && rows.filter((row) => typeof row[index] === "number").length > 1;
}

/**
 * Returns the range of a column's values; it contains zero, and for percentages 100.
 *
 * @param {ColumnSpec} column
 * @param {Row[]} rows
 * @param {number} index
 * @returns {Range}
 */
function range(column, rows, index) {
  let [least, most] = [0, column.kind === "bar" && column.unit === "%" ? 100 : 0];
  for (const row of rows) {
    const value = row[index];
    if (typeof value === "number") {
      [least, most] = [Math.min(least, value), Math.max(most, value)];
    }
  }
  return { least, most };
}

/**
 * Returns the columns of a table, ready to be drawn. Columns of one scale share the range of their bars.
 *
 * @param {Table} table
 * @returns {Column[]}
 */
export function prepare({ columns, rows, changes }) {
  const ranges = columns.map((column, index) => (hasBars(column, rows, index) ? range(column, rows, index) : null));
  const textChars = hasManyColumns(columns) ? LINE_CHARS : TEXT_CHARS;
  return columns.map((column, index) => {
    const write = writer(column, column.name === changes?.column);
    const isName = column.kind === "name";
    const sharesScale = (/** @type {number} */ other) =>
      other === index || (column.scale !== undefined && columns[other].scale === column.scale);
    const shared = ranges.flatMap((other, at) => (other && sharesScale(at) ? [other] : []));
    return {
      ...column,
      index,
      write,
      short: column.short ? String(column.short) : "",
      shortener: shortener(() => rows.map((row) => write(row[index])), isName, isName ? NAME_CHARS : textChars),
      // HTA's name `sum (us)` loses its unit: the table may show another.
      title: column.unit ? `${String(column.name).replace(/\s*\(us\)$/, "")} [${column.unit}]` : String(column.name),
      right: RIGHT.has(column.kind),
      range: ranges[index] && {
        least: Math.min(...shared.map(({ least }) => least)),
        most: Math.max(...shared.map(({ most }) => most)),
      },
    };
  });
}

/** Whether most columns are outside of the window. @param {unknown[]} columns */
export const hasManyColumns = (columns) => columns.length > MANY_COLUMNS;

/**
 * Returns the bar behind a value as a CSS image: it begins at zero and ends at the value. Orange is more, blue is less: the
 * colours of test and control in figures.
 *
 * @param {Column} column
 * @param {Value | undefined} value
 */
export function bar(column, value) {
  if (!column.range || typeof value !== "number" || value === 0) {
    return "";
  }
  const { least, most } = column.range;
  const percent = (/** @type {number} */ end) => `${(((end - least) / (most - least)) * 100).toFixed(1)}%`;
  const [from, to] = [percent(Math.min(0, value)), percent(Math.max(0, value))];
  const tone = column.kind !== "difference" ? "size" : value > 0 ? "more" : "less";
  const colour = `var(--tb-${tone})`;
  return `linear-gradient(90deg, transparent ${from}, ${colour} ${from}, ${colour} ${to}, transparent ${to})`;
}

// @ts-check
// The widths of the columns of a tree. They do not depend on which rows are expanded, so that nothing moves sideways.

import { elideApart } from "./names.js";

/**
 * @import { Column, Row } from "../types/table"
 * @import { Tree } from "./tree.js"
 */

/** How far each level is indented, in pixels; less if the tree is deep or the output narrow. */
const STEP = 16;
const NARROW_STEP = 10;
/** How far the deepest level is indented at most. */
const MOST_INDENT = 220;
/** The padding of a cell and, in a head, the mark of its order. */
const PADDING = 16;
const NARROW_PADDING = 12;
const ORDER = 12;
/** The mark of a row with rows below it. */
const MARK = 18;
/** The longest name, in characters, and the narrowest columns of names, in pixels. */
const MOST_CHARS = 70;
const LEAST = 200;
const NARROW_LEAST = 160;
/** With less than this left for the names, everything else becomes narrower. */
const COMFORT = 360;
const FEWEST_CHARS = 8;
/** The widest other text, in pixels. */
const MOST_TEXT = 260;

const pen = document.createElement("canvas").getContext("2d");

/** Returns the width of a text in a font of CSS, in pixels. @param {string} text @param {string} font */
function textWidth(text, font) {
  if (!pen) {
    return 8 * text.length;
  }
  pen.font = font;
  return pen.measureText(text).width;
}

/** Returns the longest of some texts; those of the same length have nearly the same width. @param {string[]} texts */
const longest = (texts) => texts.reduce((one, other) => (other.length > one.length ? other : one), "");

/** Returns the parts of a title that stay in one line; a narrow head breaks before its unit, too. @param {string} title @param {boolean} narrow */
const words = (title, narrow) => title.split(narrow ? /(?<=_)| (?=\[)/ : /(?<=_)/);

/**
 * Returns what fits the columns of a tree to a width, and shortens its names.
 *
 * @param {Tree} tree
 * @param {Row[]} rows
 * @param {Column} branch the column that shows the tree
 */
export function treeWidths(tree, rows, branch) {
  const deepest = tree.levels.reduce((one, other) => Math.max(one, other), 0);
  const names = rows.map((row) => branch.write(row[branch.index]));
  let step = STEP;
  /** The width of the column of names, and of one of their characters. */
  let [wide, charWidth] = [0, 8];
  let padding = PADDING;
  /** The longest text of each column. @type {Map<Column, string>} */
  const texts = new Map();
  /** Names by the most characters they may have. @type {Map<number, Map<string, string>>} */
  const short = new Map();

  const indent = (/** @type {number} */ row) => tree.levels[row] * step;
  /** The number of rows below a row is small, and stands apart from the name. A narrow table shows none. */
  const below = (/** @type {number} */ row) =>
    step < STEP || !tree.below[row] ? 0 : 10 + String(tree.below[row]).length * charWidth;

  const most = (/** @type {number} */ row) => {
    const room = wide - padding - MARK - indent(row) - below(row);
    return Math.min(Math.max(Math.floor(room / charWidth), FEWEST_CHARS), MOST_CHARS);
  };

  /** Returns the indent of a row and its name, shortened to the column. @param {number} row @param {string} whole */
  const label = (row, whole) => {
    const chars = most(row);
    let texts = short.get(chars);
    if (!texts) {
      texts = elideApart(names.filter((_, index) => most(index) === chars), chars);
      short.set(chars, texts);
    }
    return { text: texts.get(whole) ?? whole, indent: indent(row) };
  };

  /**
   * Fits the columns to `room` pixels; tells whether the names must be drawn again.
   *
   * @param {HTMLElement} table
   * @param {HTMLElement} group
   * @param {Column[]} columns
   * @param {number} room
   */
  const fit = (table, group, columns, room) => {
    const { fontSize, fontFamily } = getComputedStyle(table);
    const code = getComputedStyle(table).getPropertyValue("--jp-code-font-family").trim() || "monospace";
    const font = (/** @type {string} */ weight, /** @type {string} */ family) => `${weight} ${fontSize} ${family}`;
    charWidth = textWidth("abcdefghij", font("400", code)) / 10;
    const widthOf = (/** @type {Column} */ column, /** @type {boolean} */ narrow) => {
      const family = column.kind === "name" ? code : fontFamily;
      const text = texts.get(column) ?? longest(rows.map((row) => column.write(row[column.index])));
      texts.set(column, text);
      const values = textWidth(text, font("400", family));
      const head = column.short ? [column.short] : words(column.title, narrow);
      const heads = Math.max(...head.map((word) => textWidth(word, font("600", fontFamily)))) + (narrow ? 0 : ORDER);
      return Math.ceil(Math.max(column.right ? values : Math.min(values, MOST_TEXT), heads) + padding + 1);
    };
    const chars = (/** @type {string} */ name) => Math.min(Array.from(name).length, MOST_CHARS);
    const needed = () =>
      names.reduce((one, name, row) => Math.max(one, indent(row) + chars(name) * charWidth + MARK + padding + below(row)), LEAST);
    const sum = (/** @type {number[]} */ widths) => widths.reduce((one, other) => one + other, 0);
    const othersOf = (/** @type {boolean} */ narrow) => {
      step = Math.min(narrow ? NARROW_STEP : STEP, MOST_INDENT / Math.max(deepest, 1));
      padding = narrow ? NARROW_PADDING : PADDING;
      return columns.map((column) => (column === branch ? 0 : widthOf(column, narrow)));
    };
    let others = othersOf(false);
    const narrow = room - sum(others) < Math.min(needed(), COMFORT);
    if (narrow) {
      others = othersOf(true);
    }
    const taken = sum(others);
    const before = wide;
    wide = Math.floor(Math.max(Math.min(needed(), room - taken), narrow ? NARROW_LEAST : LEAST));
    const widths = columns.map((column, at) => (column === branch ? wide : others[at]));
    group.replaceChildren(
      ...widths.map((width) => {
        const col = document.createElement("col");
        col.style.width = `${width}px`;
        return col;
      }),
    );
    table.style.width = `${sum(widths)}px`;
    // The lines that lead down from the mark of a row.
    table.style.setProperty("--tb-step", `${step}px`);
    const was = table.classList.contains("tb-compact");
    table.classList.toggle("tb-compact", narrow);
    if (wide === before && was === narrow) {
      return false;
    }
    short.clear();
    return true;
  };

  return { label, fit };
}

// @ts-check
// Rows as text for other programs: exact values, without separators, arrows and bars.

/** @import { Column, Row, Value } from "../types/table" */
/** @typedef {Pick<Column, "index" | "title" | "right">} CopiedColumn */

/** @param {Value | undefined} value */
const exact = (value) => (value === null || value === undefined ? "" : String(value));

/**
 * Returns comma-separated values, with the head. Texts with commas, quotes or line breaks are quoted.
 *
 * @param {CopiedColumn[]} columns
 * @param {Row[]} rows
 */
export function csv(columns, rows) {
  const field = (/** @type {string} */ text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const line = (/** @type {string[]} */ texts) => texts.map(field).join(",");
  const head = line(columns.map(({ title }) => title));
  return [head, ...rows.map((row) => line(columns.map(({ index }) => exact(row[index]))))].join("\n") + "\n";
}

/**
 * Returns a table in Markdown. Characters of names that are markup are escaped.
 *
 * @param {CopiedColumn[]} columns
 * @param {Row[]} rows
 */
export function markdown(columns, rows) {
  const escape = (/** @type {string} */ text) =>
    text.replace(/[\\`*|<>[\]$~&]|(?<!\w)_|_(?!\w)/g, "\\$&").replace(/[\r\n]+/g, " ");
  const line = (/** @type {string[]} */ texts) => `| ${texts.join(" | ")} |`;
  return [
    line(columns.map(({ title }) => escape(title))),
    line(columns.map(({ right }) => (right ? "---:" : "---"))),
    ...rows.map((row) => line(columns.map(({ index }) => escape(exact(row[index]))))),
  ].join("\n") + "\n";
}

/** Puts a text on the clipboard; returns whether that succeeded. @param {string} text */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // A page that was loaded over plain HTTP from another machine has no `navigator.clipboard`.
    return copySelection(text);
  }
}

/** @param {string} text */
function copySelection(text) {
  const focused = document.activeElement;
  const area = document.createElement("textarea");
  area.value = text;
  area.style.cssText = "position:fixed;top:0;opacity:0";
  document.body.append(area);
  area.select();
  const copied = document.execCommand("copy");
  area.remove();
  if (focused instanceof HTMLElement) {
    focused.focus();
  }
  return copied;
}

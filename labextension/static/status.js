// @ts-check
// The texts of a table about itself: the status line below the rows, and what replaces them if there are none.

import { count } from "./state.js";

/** @import { Column, Facet, Table, ViewState } from "../types/table" */

/** @param {number} number */
const plural = (number) => (number === 1 ? "" : "s");

/** Returns the text that replaces the rows if none is shown. @param {Table} table */
export function noRows({ rows, total_rows: total = 0, rest }) {
  if (!rows.length) {
    return "no rows";
  }
  if (!(total > rows.length)) {
    return "no row matches";
  }
  return `no row matches among the first ${count(rows.length)} of ${count(total)} rows${rest ? `; ${rest}` : ""}`;
}

/**
 * Returns the status line: how many of how many rows and columns are shown, the order, and the notes of the answer.
 *
 * @param {Table} table
 * @param {Pick<Column, "name">[]} columns all columns
 * @param {Pick<Facet, "name">[]} facets
 * @param {ViewState} state
 * @param {number} rows how many rows match
 */
export function statusLine(table, columns, facets, { sorted, chosen, typed, hidden }, rows) {
  const sent = table.rows.length;
  const total = Math.max(table.total_rows ?? 0, sent);
  const filtered = typed !== "" || facets.some(({ name }) => chosen[name]?.size);
  const all = columns.length;
  const ofRows = rows === total && !filtered ? "" : `${count(rows)} of `;
  const ofColumns = hidden.size ? `${all - hidden.size} of ` : "";
  const parts = [`${ofRows}${count(total)} row${plural(total)} × ${ofColumns}${all} column${plural(all)}`];
  if (sorted.direction) {
    parts.push(`sorted by ${columns[sorted.index].name} ${sorted.direction > 0 ? "↑" : "↓"}`);
  }
  const notes = (table.notes ?? []).map(String);
  parts.push(...notes.filter((note) => !sorted.direction || !note.startsWith("sorted by ")));
  if (filtered && sent < total) {
    parts.push(`searched only the first ${count(sent)} rows${table.rest ? `; ${table.rest}` : ""}`);
  }
  return parts.join(" · ");
}

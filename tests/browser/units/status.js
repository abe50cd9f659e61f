// @ts-check
// The status line, and what replaces the rows.

import { noRows, statusLine } from "/static/status.js";

import { equal } from "./assert.js";
import { operators, view } from "./samples.js";

/** @import { Table, ViewState } from "../../../labextension/types/table" */

/** @param {Table} table @param {Partial<ViewState>} state @param {number} rows */
const line = (table, state, rows) => statusLine(table, table.columns, [{ name: "rank" }], view(state), rows);

export function whole_table_is_rows_times_columns() {
  equal(line(operators(), {}, 6), "6 rows × 3 columns");
  equal(line({ columns: [{ name: "a", kind: "text" }], rows: [["x"]] }, {}, 1), "1 row × 1 column");
}

export function filters_and_hidden_columns_are_counted() {
  equal(line(operators(), { typed: "aten", hidden: new Set([1]) }, 4), "4 of 6 rows × 2 of 3 columns");
  equal(line(operators(), { chosen: { rank: new Set([0]) } }, 6), "6 of 6 rows × 3 columns");
}

export function chosen_order_replaces_the_note_of_the_answer() {
  const table = operators({ notes: ["sorted by name", "durations in ms"] });
  equal(line(table, {}, 6), "6 rows × 3 columns · sorted by name · durations in ms");
  equal(line(table, { sorted: { index: 2, direction: -1 } }, 6), "6 rows × 3 columns · sorted by dur ↓ · durations in ms");
}

export function search_in_cut_rows_is_pointed_out() {
  const table = operators({ total_rows: 5000, rest: "`%show a --top 0` shows all" });
  equal(
    line(table, { typed: "mm" }, 2),
    "2 of 5,000 rows × 3 columns · searched only the first 6 rows; `%show a --top 0` shows all",
  );
  equal(noRows(table), "no row matches among the first 6 of 5,000 rows; `%show a --top 0` shows all");
}

export function table_without_rows_differs_from_one_without_matches() {
  equal([noRows(operators({ rows: [] })), noRows(operators())], ["no rows", "no row matches"]);
}

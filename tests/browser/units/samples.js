// @ts-check
// Tables and view states for unit tests.

import { prepare } from "/static/columns.js";

/** @import { ColumnSpec, Row, Table, ViewState } from "../../../labextension/types/table" */

/** A column. @param {string} name @param {ColumnSpec["kind"]} kind @param {Partial<ColumnSpec>} [more] @returns {ColumnSpec} */
export const spec = (name, kind, more = {}) => ({ name, kind, ...more });

/** Six operators on two ranks. @param {Partial<Table>} [more] @returns {Table} */
export const operators = (more = {}) => ({
  caption: "operators",
  columns: [spec("name", "name"), spec("rank", "id"), spec("dur", "number", { unit: "ms", decimals: 1 })],
  rows: [
    ["aten::mm", 0, 3],
    ["aten::add_", 0, 1.5],
    ["nccl:all_reduce", 0, null],
    ["aten::mm", 1, 10],
    ["aten::add_", 1, 2],
    ["nccl:all_reduce", 1, 7],
  ],
  ...more,
});

/** The columns of a table of one column, ready to be drawn. @param {ColumnSpec} column @param {Row[]} [rows] */
export const prepared = (column, rows = []) => prepare({ columns: [column], rows })[0];

/** A view state. @param {Partial<ViewState>} [more] @returns {ViewState} */
export const view = (more = {}) => ({
  shape: "",
  sorted: { index: -1, direction: 0 },
  typed: "",
  chosen: {},
  hidden: new Set(),
  menu: false,
  page: 0,
  size: 100,
  ...more,
});

// @ts-check
// View states of tables: what the user chose. They outlive renderers, so that an output drawn again looks as before.

/** @import { Table, ViewState } from "../types/table" */

/** Rows per page, if the table does not say. */
const PAGE = 100;

/** View states by output model: Jupyter keeps the model while it replaces renderers. @type {WeakMap<object, ViewState>} */
const states = new WeakMap();

/** Writes a count with separated thousands. @param {number} number */
export const count = (number) => number.toLocaleString("en-US");

/** @param {Table} table @param {string} shape @returns {ViewState} */
function fresh(table, shape) {
  const { page } = table;
  return {
    shape,
    sorted: { index: -1, direction: 0 },
    typed: "",
    chosen: {},
    hidden: new Set(),
    menu: false,
    page: 0,
    size: page !== undefined && Number.isInteger(page) && page > 0 ? page : PAGE,
  };
}

/**
 * Returns the view state of a model's table: its own, or that of the renderer's previous table if both have the same columns.
 *
 * @param {object} model
 * @param {Table} table
 * @param {ViewState} [previous]
 */
export function stateOf(model, table, previous) {
  const shape = table.columns.map((column) => column.name).join("\n");
  const known = [states.get(model), previous].find((state) => state?.shape === shape);
  const state = known ?? fresh(table, shape);
  states.set(model, state);
  return state;
}

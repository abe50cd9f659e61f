// What the reader chose in a table. It outlives the drawing: an output that is drawn again is as it was left.

/** How many rows a table shows at first, if it does not say. */
const PAGE = 100;

/** By the output's model, which Jupyter keeps while it throws renderers away. */
const kept = new WeakMap();

export const count = (number) => number.toLocaleString("en-US");

function fresh(table, shape) {
  return {
    shape,
    /** Column and direction; no direction is the answer's own order. */
    sorted: { index: -1, direction: 0 },
    typed: "",
    /** Column name → words. */
    chosen: {},
    /** Places of columns that are not shown. */
    hidden: new Set(),
    menu: false,
    page: 0,
    /** Rows a page; 0 is all. */
    size: Number.isInteger(table.page) && table.page > 0 ? table.page : PAGE,
  };
}

/** The state for a model's table: what it was, or what the renderer's last table with the same columns had. */
export function stateOf(model, table, before) {
  const shape = table.columns.map((column) => column.name).join("\n");
  const known = [kept.get(model), before].find((state) => state?.shape === shape);
  const state = known ?? fresh(table, shape);
  kept.set(model, state);
  return state;
}

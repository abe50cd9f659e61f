// @ts-check
// View states that outlive renderers.

import { count, stateOf } from "/static/state.js";

import { equal, ok } from "./assert.js";
import { operators, spec } from "./samples.js";

export function model_keeps_its_state() {
  const model = {};
  const state = stateOf(model, operators());
  state.typed = "mm";
  ok(stateOf(model, operators()) === state, "another state");
}

export function new_model_takes_the_previous_state_of_the_same_columns() {
  const previous = stateOf({}, operators());
  ok(stateOf({}, operators({ rows: [] }), previous) === previous, "another state");
}

export function other_columns_get_a_fresh_state() {
  const model = {};
  const previous = stateOf(model, operators());
  previous.hidden.add(0);
  const state = stateOf(model, { columns: [spec("other", "text")], rows: [] }, previous);
  ok(state !== previous && state.hidden.size === 0, "the state of other columns");
}

export function page_size_is_the_tables_or_100() {
  equal([20, 0, 1.5, undefined].map((page) => stateOf({}, operators({ page })).size), [20, 100, 100, 100]);
}

export function counts_have_thousands() {
  equal(count(1234567), "1,234,567");
}

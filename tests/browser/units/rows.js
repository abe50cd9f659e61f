// @ts-check
// Filtering and sorting rows.

import { prepare } from "/static/columns.js";
import { compare, facets, search, select } from "/static/rows.js";

import { equal, ok } from "./assert.js";
import { operators, spec, view } from "./samples.js";

/** @import { ViewState } from "../../../labextension/types/table" */

/** The rows of the sample that a view state selects. @param {Partial<ViewState>} state */
function selected(state) {
  const table = operators();
  const columns = prepare(table);
  return select(table.rows, columns, facets(columns, table), view(state));
}

export function search_takes_an_expression_or_its_letters() {
  equal(["aten::add_ 1", "aten::mm"].map(search("ADD_ \\d$").test), [true, false]);
  ok(search("kernel<4, float>").test("void Kernel<4, float>(x)"), "a pasted name does not find itself");
  equal(search("add").problem, "");
}

export function invalid_expression_is_searched_as_text() {
  const { test, problem } = search("add_ (");
  ok(problem.startsWith("not a regular expression, searched as plain text: "), problem);
  equal(["x ADD_ (y)", "add_"].map(test), [true, false]);
}

export function missing_values_come_last_in_both_directions() {
  for (const direction of [1, -1]) {
    const sorted = [null, 2, null, 1].sort((a, b) => compare(a, b, direction));
    equal(sorted, direction > 0 ? [1, 2, null, null] : [2, 1, null, null]);
  }
}

export function integers_beyond_2_to_the_53_are_compared_exactly() {
  equal(compare("9223372036854775807", "9223372036854775806", 1), 1);
  equal(compare("9223372036854775806", "9223372036854775807", -1), 1);
  equal(compare("9223372036854775807", 1.5, 1), 1);
  equal(compare("-9223372036854775807", "-9223372036854775807", 1), 0);
}

export function texts_with_numbers_sort_naturally() {
  equal(["rank10", "Rank9", "rank1"].sort((a, b) => compare(a, b, 1)), ["rank1", "Rank9", "rank10"]);
}

export function rank_is_a_facet_with_its_own_words() {
  const table = operators();
  const [facet] = facets(prepare(table), table);
  equal([facet.name, facet.words, facet.words.map(facet.write)], ["rank", [0, 1], ["rank 0", "rank 1"]]);
}

export function kinds_of_the_kernel_are_the_first_facet() {
  const changes = { column: "sign", kinds: ["added", "deleted", "increased"], rows: [2, 0, 2] };
  const table = { columns: [spec("sign", "category"), spec("cat", "category")], rows: [["+", "a"], ["+", "b"], ["+", "a"]], changes };
  const found = facets(prepare(table), table);
  equal(found.map(({ name, words }) => [name, words]), [["sign", ["added", "increased"]], ["cat", ["a", "b"]]]);
  equal(table.rows.map(found[0].wordOf), ["increased", "added", "increased"]);
}

export function words_of_two_facets_name_their_facet() {
  const words = [["exact", "regression"], ["added", "added"], ["added", "regression"]];
  const table = { columns: [spec("grade", "category"), spec("verdict", "category")], rows: words };
  const labels = facets(prepare(table), table).map(({ words, label }) => words.map(label));
  equal(labels, [["added (grade)", "exact"], ["added (verdict)", "regression"]]);
}

export function column_with_one_word_per_row_is_no_facet() {
  const table = { columns: [spec("cat", "category")], rows: [["a"], ["b"], ["c"]] };
  equal(facets(prepare(table), table), []);
}

export function filter_box_and_words_narrow_the_rows() {
  const { found, perFacet } = selected({ typed: "aten", chosen: { rank: new Set([1]) } });
  equal(found.map(([name, rank]) => [name, rank]), [["aten::mm", 1], ["aten::add_", 1]]);
  // The buttons of a facet count without its own choice.
  equal(perFacet.map((rows) => rows.length), [4]);
}

export function found_rows_are_sorted_and_the_table_is_not() {
  const table = operators();
  const { found } = select(table.rows, prepare(table), [], view({ sorted: { index: 2, direction: -1 } }));
  equal(found.map((row) => row[2]), [10, 7, 3, 2, 1.5, null]);
  equal(table.rows, operators().rows);
}

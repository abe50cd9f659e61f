// @ts-check
// Columns: writing values, bars.

import { NAME_CHARS, bar, prepare } from "/static/columns.js";

import { equal, ok } from "./assert.js";
import { operators, prepared, spec } from "./samples.js";

export function missing_value_is_a_dash() {
  equal(prepared(spec("a", "number")).write(null), "—");
  equal(prepared(spec("a", "name")).write(undefined), "—");
}

export function number_has_thousands_and_the_columns_decimals() {
  const column = prepared(spec("a", "number", { decimals: 2 }));
  equal([1234567.891, -0.5, 0].map(column.write), ["1,234,567.89", "−0.50", "0.00"]);
}

export function small_number_never_reads_as_zero() {
  const column = prepared(spec("a", "number", { decimals: 1 }));
  equal([0.004, -0.00001, 1e-20].map(column.write), ["0.0040", "−0.000010", "1.0e-20"]);
}

export function duration_far_smaller_than_its_column_has_its_own_unit() {
  const column = prepared(spec("a", "number", { unit: "ms", decimals: 1 }));
  equal([0.004, -0.000071, 0.0000123].map(column.write), ["0.0040", "−71.0 ns", "12.3 ns"]);
}

export function integer_beyond_2_to_the_53_is_grouped_exactly() {
  equal(prepared(spec("a", "number")).write("-9223372036854775807"), "−9,223,372,036,854,775,807");
}

export function id_has_no_separators() {
  equal(prepared(spec("pid", "id")).write(1234567), "1234567");
}

export function difference_has_an_arrow_and_a_sign() {
  const column = prepared(spec("diff", "difference", { decimals: 1 }));
  equal([2, -1234.5, 0].map(column.write), ["▲ +2.0", "▼ −1,234.5", "0.0"]);
}

export function hyphen_of_a_change_is_a_minus() {
  const changes = { column: "sign", kinds: ["deleted"], rows: [0] };
  const [sign, other] = prepare({ columns: [spec("sign", "category"), spec("other", "category")], rows: [["-", "-"]], changes });
  equal([sign.write("-"), other.write("-")], ["−", "-"]);
}

export function title_contains_the_unit_once() {
  equal(prepared(spec("sum (us)", "number", { unit: "ms" })).title, "sum [ms]");
  equal(prepared(spec("count", "number")).title, "count");
}

export function name_is_shortened_and_short_names_stay_different() {
  const names = ["a", "b"].map((end) => `kernel_${"x".repeat(60)}_${end}_${"y".repeat(60)}`);
  const { shortener } = prepared(spec("name", "name"), names.map((name) => [name]));
  const short = names.map(shortener.shorten);
  ok(short.every((text) => Array.from(text).length <= NAME_CHARS), `too long: ${short}`);
  ok(short[0] !== short[1], `the same: ${short}`);
  shortener.most = 12;
  ok(names.map(shortener.shorten).every((text) => Array.from(text).length <= 12), "not shortened again");
}

export function bar_of_a_difference_begins_at_zero() {
  const column = prepared(spec("diff", "difference"), [[-10], [30]]);
  equal(column.range, { least: -10, most: 30 });
  ok(bar(column, 30).includes("--tb-more) 25.0%") && bar(column, 30).includes("--tb-more) 100.0%"), bar(column, 30));
  ok(bar(column, -10).includes("--tb-less) 0.0%") && bar(column, -10).includes("--tb-less) 25.0%"), bar(column, -10));
  equal([bar(column, 0), bar(column, null)], ["", ""]);
}

export function single_duration_and_timestamps_have_no_bar() {
  equal(prepared(spec("dur", "number", { unit: "ms" }), [[5]]).range, null);
  equal(prepared(spec("ts", "number", { unit: "ns" }), [[5], [6]]).range, null);
  equal(prepare(operators())[2].range, { least: 0, most: 10 });
}

export function percentage_has_a_range_up_to_100() {
  equal(prepared(spec("share", "bar", { unit: "%" }), [[5], [20]]).range, { least: 0, most: 100 });
}

export function columns_of_one_scale_share_their_range() {
  const scaled = (/** @type {string} */ name) => spec(name, "number", { unit: "ms", scale: "dur" });
  const [a, b] = prepare({ columns: [scaled("a"), scaled("b")], rows: [[1, 20], [2, 30]] });
  equal([a.range, b.range], [{ least: 0, most: 30 }, { least: 0, most: 30 }]);
}

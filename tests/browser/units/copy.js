// @ts-check
// Rows as CSV and Markdown.

import { csv, markdown } from "/static/copy.js";

import { equal } from "./assert.js";

const COLUMNS = [{ index: 0, title: "name", right: false }, { index: 2, title: "dur [ms]", right: true }];

export function csv_quotes_what_needs_quotes() {
  const rows = [["a, b", 1, 0.125], ['say "x"', 1, null], ["two\nlines", 1, "9223372036854775807"]];
  equal(csv(COLUMNS, rows), 'name,dur [ms]\n"a, b",0.125\n"say ""x""",\n"two\nlines",9223372036854775807\n');
}

export function markdown_escapes_markup_in_names() {
  const rows = [["<b>|`x`*$", 1, 2], ["two\nlines", 1, 3]];
  equal(
    markdown(COLUMNS, rows),
    "| name | dur \\[ms\\] |\n| --- | ---: |\n| \\<b\\>\\|\\`x\\`\\*\\$ | 2 |\n| two lines | 3 |\n",
  );
}

export function markdown_escapes_underscores_only_at_word_edges() {
  equal(markdown([COLUMNS[0]], [["_a_b_"]]).split("\n")[2], "| \\_a_b\\_ |");
}

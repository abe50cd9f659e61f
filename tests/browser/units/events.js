// @ts-check
// The cells that list the events of a row.

import { cellsOf, quoted } from "/static/events.js";

import { equal } from "./assert.js";
import { operators } from "./samples.js";

const EVENTS = {
  name: "name",
  rank: "rank",
  cells: [{ title: "events in a", before: "%events a --name ", after: " --top 5", counts: "dur" }],
};

export function name_becomes_one_word_of_the_magic_line() {
  equal(quoted("aten::mm x"), "'aten::mm x'");
  equal(quoted("it's {a} \"b\" \\ $c"), '"it\'s \\{a} \\"b\\" \\\\ \\$c"');
}

export function row_gets_a_cell_with_its_name_and_rank() {
  const [cell] = cellsOf(operators({ events: EVENTS }), ["aten::mm", 1, 10]);
  equal(cell, { title: "events in a", code: "%events a --name 'aten::mm' --rank 1 --top 5" });
}

export function row_without_events_gets_no_cell() {
  equal(cellsOf(operators({ events: EVENTS }), ["aten::mm", 1, 0]), []);
  equal(cellsOf(operators({ events: EVENTS }), [null, 1, 10]), []);
  equal(cellsOf(operators(), ["aten::mm", 1, 10]), []);
}

export function rank_is_left_out_if_there_is_none() {
  const events = { ...EVENTS, rank: null };
  equal(cellsOf(operators({ events }), ["aten::mm", 1, 10])[0].code, "%events a --name 'aten::mm' --top 5");
}

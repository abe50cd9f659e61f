// @ts-check
// Words of magic lines. Which lines are magics: tests/magic-lines.json, in test_units.py.

import { pieces, words } from "/static/magic.js";

import { equal } from "./assert.js";

/** The words of a line with their kinds. @param {string} line */
const kinds = (line) => words(line, 0).map(({ kind, from, to }) => [kind, line.slice(from, to)]);

export function flags_numbers_and_strings_are_found() {
  equal(kinds("a --top 10 --where 'dur > 1us' x=5%"), [
    ["flag", "--top"],
    ["number", "10"],
    ["flag", "--where"],
    ["string", "'dur > 1us'"],
    ["number", "5%"],
  ]);
}

export function value_behind_an_equals_sign_is_a_number() {
  equal(kinds("--top=20"), [["flag", "--top"], ["number", "20"]]);
}

export function expressions_and_variables_are_found_in_strings_too() {
  equal(kinds('"a {f("}")} b" ${HOME}/x {1 + {2}}'), [
    ["string", '"a '],
    ["expression", '{f("}")}'],
    ["string", ' b"'],
    ["variable", "${HOME}"],
    ["expression", "{1 + {2}}"],
  ]);
}

export function unclosed_parts_end_with_the_line() {
  equal(kinds("'abc"), [["string", "'abc"]]);
  equal(kinds("{abc"), [["expression", "{abc"]]);
}

export function cell_splits_into_pieces_without_gaps() {
  const cell = "let x = 1;\n%show x\ny = %a b\n";
  const found = pieces(cell);
  equal(found.map(({ from, to }) => cell.slice(from, to)), ["let x = 1;\n", "%show x\n", "y = %a b\n"]);
  equal(found.map(({ head }) => head?.bind), [undefined, undefined, [0, 1]]);
}

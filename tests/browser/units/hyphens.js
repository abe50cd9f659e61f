// @ts-check
// Words with hyphens in text outputs.

import { pieces } from "/static/hyphens.js";

import { equal } from "./assert.js";

/** The words of a text that must not be broken. @param {string} text */
const whole = (text) => pieces(text).flatMap((piece) => (piece.whole ? [piece.text] : []));

export function flags_and_hyphenated_words_stay_whole() {
  equal(whole("try --test-iteration 3, or well-known -x - y"), ["--test-iteration", "well-known"]);
}

export function pieces_add_up_to_the_text() {
  const text = "a --b-c d\n-e-f ";
  equal(pieces(text).map((piece) => piece.text).join(""), text);
}

export function words_longer_than_a_line_may_break() {
  equal(whole(`x ${"a-".repeat(30)}b`), []);
}

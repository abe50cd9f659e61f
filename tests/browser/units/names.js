// @ts-check
// Short names.

import { elide, elideApart } from "/static/names.js";

import { equal, ok } from "./assert.js";

export function short_text_stays() {
  equal(elide("aten::mm", 8), "aten::mm");
}

export function long_text_keeps_both_ends() {
  equal(elide("abcdefghij", 5), "ab…ij");
  equal(elide("abcdefghij", 6), "abc…ij");
}

export function characters_outside_of_the_bmp_stay_whole() {
  equal(elide("🙂🙂🙂🙂🙂", 3), "🙂…🙂");
}

export function limit_below_three_is_three() {
  equal(elide("abcdef", 1), "a…f");
}

export function different_names_stay_different() {
  const name = (/** @type {string} */ middle) => `${"a".repeat(30)}${middle}${"z".repeat(30)}`;
  const short = elideApart([name("cta"), name("warp"), name("cta")], 20);
  const [one, other] = [short.get(name("cta")) ?? "", short.get(name("warp")) ?? ""];
  equal(short.size, 2);
  ok(one !== other && one.includes("c") && other.includes("w"), `${one}, ${other}`);
  ok([one, other].every((text) => Array.from(text).length <= 20), `${one}, ${other}`);
}

export function names_that_differ_in_many_places_are_numbered() {
  const names = Array.from({ length: 64 }, (_, bits) =>
    Array.from({ length: 6 }, (_, bit) => ((bits >> bit) & 1 ? "x" : "y") + "-".repeat(30)).join(""),
  );
  const short = elideApart(names, 12);
  equal(new Set(short.values()).size, names.length);
  ok([...short.values()].every((text) => Array.from(text).length <= 12), [...short.values()].join(" "));
  ok([...short.values()].some((text) => text.includes("·2")), [...short.values()].join(" "));
}

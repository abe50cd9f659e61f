// @ts-check
// Fitting figures: titles and names at the axis.

import { fittedLabels, fittedTicks, fittedTitle, plain, wrap } from "/static/fit.js";

import { equal, ok } from "./assert.js";

const FAMILY = "monospace";
const SIZE = { width: 1200, bar: 100, legend: 0, family: FAMILY };

/** A layout of the kernel. @param {string} text */
const layout = (text) => ({ title: { text, x: 0, xref: "container", xanchor: "left" }, margin: { t: 80 }, height: 400 });

const length = (/** @type {string} */ text) => text.length;

export function plain_removes_tags_and_entities() {
  equal(plain("a &lt;b&gt;<br><sub>c &amp;lt;</sub>").trim(), "a <b>  c &lt;");
}

export function text_wraps_at_blanks() {
  equal(wrap("one two three", length, () => 8), ["one two ", "three"]);
  equal(wrap("", length, () => 8), [""]);
}

export function word_wider_than_a_line_is_broken() {
  equal(wrap("abcdefghij k", length, () => 4), ["abcd", "efgh", "ij k"]);
}

export function wide_page_keeps_title_and_height() {
  const changes = fittedTitle(layout("Title &amp; co<br><sub>below</sub>"), SIZE);
  equal(changes, { "title.text": "Title &amp; co<br><sub>below</sub>", "margin.t": 80, height: 400 });
}

export function narrow_page_adds_a_line_and_its_height() {
  const changes = fittedTitle(layout("Durations of operators by rank and iteration"), { ...SIZE, width: 420 });
  const lines = String(changes["title.text"]).split("<br>").length;
  ok(lines > 1, `${lines} lines`);
  equal(changes.height, 400 + 22 * (lines - 1));
}

export function high_legend_gets_room() {
  equal(fittedTitle(layout("T"), { ...SIZE, legend: 58 }).height, 440);
}

export function figure_of_a_user_is_not_changed() {
  equal(fittedTitle({ title: { text: "T" } }, SIZE), {});
  equal(fittedTitle({ title: "T" }, SIZE), {});
}

export function names_that_fit_stay() {
  const axis = { tickvals: [0, 1, 2], ticktext: ["a", "b", "c"] };
  equal(fittedTicks(axis, 3, 3, 300), { ...axis, tickangle: undefined, more: 0 });
}

export function crowded_names_are_thinned_out() {
  const tickvals = Array.from({ length: 100 }, (_, at) => at);
  const { tickvals: kept, ticktext } = fittedTicks({ tickvals, ticktext: tickvals.map(String) }, 100, 100, 520);
  equal([kept, ticktext], [tickvals.filter((at) => at % 4 === 0), tickvals.filter((at) => at % 4 === 0).map(String)]);
}

export function vertical_names_need_13_pixels() {
  const tickvals = Array.from({ length: 100 }, (_, at) => at);
  const ticktext = tickvals.map((at) => `operator ${at}`);
  equal(fittedTicks({ tickvals, ticktext, tickangle: -90 }, 100, 100, 520).tickvals, tickvals.filter((at) => at % 3 === 0));
}

export function long_slanted_names_become_vertical() {
  const name = "a_long_kernel_name".repeat(2);
  const fitted = fittedTicks({ tickvals: [0, 1], ticktext: [name, name], tickangle: -35 }, 2, 2, 300);
  equal(fitted.tickangle, -90);
  ok(fitted.more > 50, `more by ${fitted.more}`);
}

export function axis_without_names_is_not_changed() {
  equal(fittedTicks({}, 3, 3, 300), { more: 0 });
}

export function labels_of_small_bars_give_way() {
  const measure = (/** @type {string} */ text) => 7 * text.length;
  const texts = ["11.11", "+3.98", "\u22120.36", "\u22120.24", "16.70"];
  equal(fittedLabels(texts, [100, 200, 150, 145, 300], 30, measure), ["11.11", "+3.98", "\u22120.36", "", "16.70"]);
  equal(fittedLabels(texts, [100, 200, 150, 145, 300], 80, measure), texts);
}

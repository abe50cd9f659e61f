// @ts-check
// File names and buttons of pictures.

import { buttons, fileName } from "/static/picture.js";

import { equal, ok } from "./assert.js";

/** @import { GraphDiv, Plotly } from "../../../labextension/types/plotly" */

export function file_name_is_made_of_the_titles_words() {
  equal(fileName("Durations: control → test (µs)"), "Durations-control-test-µs.png");
  equal(fileName(" … "), "figure.png");
  equal(fileName("x".repeat(200)).length, 84);
}

export async function failure_is_shown_in_the_figure() {
  /** @type {string[]} */
  const notes = [];
  const figure = { name: () => "n", family: () => "serif", notify: (/** @type {string} */ text) => notes.push(text) };
  const icon = { width: 1, height: 1, path: "" };
  const plotly = /** @type {Plotly} */ (
    /** @type {unknown} */ ({ Icons: { camera: icon }, toImage: () => Promise.reject(new Error("no canvas")) })
  );
  const [save] = buttons(plotly, figure);
  const holder = /** @type {GraphDiv} */ (Object.assign(document.createElement("div"), { data: [], layout: {}, on: () => {} }));
  await save.click(holder);
  ok(notes.length === 1 && notes[0] === "cannot make the picture: no canvas", notes.join());
}

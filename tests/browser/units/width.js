// @ts-check
// Fitting tables to the width of their output.

import { prepare } from "/static/columns.js";
import { fit, sideways } from "/static/width.js";

import { equal, ok } from "./assert.js";
import { spec } from "./samples.js";

const NAMES = ["a", "b"].map((end) => `${"kernel_".repeat(5)}${end}`);

/** A drawn table of long names in an output of a given width. @param {number} width */
function drawn(width) {
  const [column] = prepare({ columns: [spec("name", "name")], rows: NAMES.map((name) => [name]) });
  const node = document.createElement("div");
  node.style.cssText = `width: ${width}px; font: 16px monospace`;
  const scroll = document.createElement("div");
  scroll.style.overflow = "auto";
  const table = document.createElement("table");
  table.innerHTML = "<thead><tr><th></th></tr></thead>";
  const names = NAMES.map((whole) => {
    const cell = table.insertRow().insertCell();
    cell.style.whiteSpace = "nowrap";
    cell.textContent = column.shortener.shorten(whole);
    return { cell, column, whole };
  });
  scroll.append(table);
  node.append(scroll);
  document.body.append(node);
  return { node, scroll, table, names };
}

export function wide_output_shows_whole_names() {
  const { node, scroll, names } = drawn(1000);
  fit(node, scroll, names);
  equal(names.map(({ cell }) => cell.textContent), NAMES);
  ok(!node.classList.contains("tb-narrow"), "marked as narrow");
  node.remove();
}

export function narrow_output_shortens_names_until_they_fit() {
  const { node, scroll, table, names } = drawn(200);
  fit(node, scroll, names);
  ok(table.offsetWidth <= 200, `${table.offsetWidth} pixels`);
  ok(names[0].cell.textContent !== names[1].cell.textContent, "the names look the same");
  equal(names.map(({ cell }) => cell.title), NAMES);
  ok(node.classList.contains("tb-narrow"), "not marked as narrow");
  node.remove();
}

export function names_grow_again_with_the_output() {
  const { node, scroll, names } = drawn(200);
  fit(node, scroll, names);
  node.style.width = "1000px";
  fit(node, scroll, names);
  equal(names.map(({ cell }) => cell.textContent), NAMES);
  node.remove();
}

export function hidden_columns_are_counted() {
  const { node, scroll, table } = drawn(200);
  table.innerHTML = `<thead><tr>${"<th style='min-width: 150px'>x</th>".repeat(4)}</tr></thead>`;
  const { frame, row, show } = sideways(scroll);
  node.append(frame, row);
  show();
  equal(row.textContent, "3 more columns →");
  node.remove();
}

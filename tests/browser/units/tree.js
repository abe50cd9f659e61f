// @ts-check
// Trees: which rows are visible, and what a filter keeps.

import { prepare } from "/static/columns.js";
import { facets } from "/static/rows.js";
import { branchColumn, filterTree, siblingOrder, treeOf } from "/static/tree.js";

import { equal, ok } from "./assert.js";
import { spec, view } from "./samples.js";

/** @import { Table, ViewState } from "../../../labextension/types/table" */

/** A step with two layers; the second is open at first. @param {Partial<Table>} [more] @returns {Table} */
const step = (more = {}) => ({
  columns: [spec("name", "name"), spec("grade", "category"), spec("dur", "number")],
  rows: [
    ["step", "name", 60],
    ["layer 0", "exact", 20],
    ["mm", "exact", 15],
    ["add", "exact", 5],
    ["layer 1", "name", 40],
    ["mm", "exact", 15],
    ["gelu", "added", 25],
    ["kernel", "added", 25],
  ],
  tree: { level: [0, 1, 2, 2, 1, 2, 2, 3], open: [true, false, false, false, true, false, false, false] },
  ...more,
});

/** The tree of a table, which must be one. @param {Table} table */
function treeIn(table) {
  const tree = treeOf(table);
  if (!tree) {
    throw new Error("no tree");
  }
  return tree;
}

/** What a view state keeps of the step. @param {Partial<ViewState>} state */
function filtered(state) {
  const table = step();
  const columns = prepare(table);
  const tree = treeIn(table);
  const kept = filterTree(tree, table.rows, columns, facets(columns, table), view(state));
  const rows = tree.visible(kept.keeps, kept.paths, null).map(({ row }) => row);
  return { ...kept, found: [...kept.found], rows, counts: kept.perFacet.map((found) => found.length) };
}

export function open_paths_are_visible() {
  const tree = treeIn(step());
  const rows = tree.visible(() => true, tree.opened(), null);
  equal(rows.map(({ row }) => row), [0, 1, 4, 5, 6]);
  equal(rows.map(({ place, of }) => `${place}/${of}`), ["1/1", "1/2", "2/2", "1/2", "2/2"]);
  equal(tree.visible(() => true, tree.inner(), null).length, 8);
  equal(tree.visible(() => true, tree.root(), null).map(({ row }) => row), [0, 1, 4]);
}

export function tree_knows_what_is_above_and_below() {
  const tree = treeIn(step());
  equal([...tree.below], [7, 2, 0, 0, 3, 0, 1, 0]);
  equal([...tree.parents], [-1, 0, 1, 1, 0, 4, 4, 6]);
  equal([tree.children(-1), tree.children(0), tree.children(4), tree.children(7)], [[0], [1, 4], [5, 6], []]);
  equal(tree.above(7), [6, 4, 0]);
}

export function levels_that_fit_no_tree_are_adapted() {
  const level = /** @type {any} */ ([4, "x", 9, -1]);
  const tree = treeIn(step({ rows: [["a"], ["b"], ["c"], ["d"], ["e"]], tree: { level, open: [] } }));
  equal(tree.levels, [0, 0, 1, 0, 0]);
  equal(tree.root(), new Set());
}

export function table_without_levels_is_no_tree() {
  equal([undefined, {}, { level: [0] }].map((tree) => treeOf(step({ tree: /** @type {any} */ (tree) }))), [null, null, null]);
  equal(treeOf(step({ rows: [] })), null);
}

export function deep_trees_do_not_exhaust_the_stack() {
  const rows = Array.from({ length: 50_000 }, (_, at) => [`row ${at}`]);
  const tree = treeIn(step({ rows, tree: { level: rows.map((_, at) => at), open: rows.map(() => true) } }));
  equal(tree.visible(() => true, tree.opened(), null).length, rows.length);
}

export function text_finds_rows_with_all_below_them() {
  const { found, keeps, rows, counts, active } = filtered({ typed: "LAYER 1" });
  // Its own rows are kept, and collapsed.
  equal([found, rows, active], [[4], [0, 4], true]);
  equal([0, 1, 2, 3, 4, 5, 6, 7].filter(keeps), [0, 4, 5, 6, 7]);
  equal(counts, [4]);
}

export function words_find_rows_of_that_word_only() {
  const { found, keeps, rows } = filtered({ chosen: { grade: new Set(["added"]) } });
  equal([found, rows], [[6, 7], [0, 4, 6, 7]]);
  ok(!keeps(5), "a row with another word is kept");
}

export function text_and_words_narrow_together() {
  equal(filtered({ typed: "layer 0", chosen: { grade: new Set(["added"]) } }).rows, []);
  equal(filtered({ typed: "layer", chosen: { grade: new Set(["added"]) } }).found, [6, 7]);
  equal(filtered({ typed: "kernel" }).rows, [0, 4, 6, 7]);
}

export function without_filters_everything_is_kept() {
  const { keeps, active, counts } = filtered({});
  equal([[0, 3, 7].every(keeps), active, counts], [true, false, [8]]);
}

export function siblings_are_sorted_and_stay_below_their_parent() {
  const table = step();
  const tree = treeIn(table);
  const order = siblingOrder(table.rows, view({ sorted: { index: 2, direction: -1 } }));
  equal(tree.visible(() => true, tree.inner(), order).map(({ row }) => row), [0, 4, 6, 7, 5, 1, 2, 3]);
  equal(siblingOrder(table.rows, view()), null);
}

export function first_column_of_names_shows_the_tree() {
  equal(branchColumn([{ kind: "id" }, { kind: "name" }, { kind: "name" }]), { kind: "name" });
  equal(branchColumn([{ kind: "text" }]), { kind: "text" });
}

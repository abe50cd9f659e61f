// @ts-check
// The tree of a table's rows: which rows are below which, which a filter keeps, and which are visible.

import { compare, search, searched } from "./rows.js";

/** @import { Column, Facet, Row, Table, Value, ViewState } from "../types/table" */
/** A visible row: its index, and its place among its siblings, from 1. @typedef {{ row: number, place: number, of: number }} Visible */

export class Tree {
  /** @param {number[]} levels the level of each row, in depth-first order @param {boolean[]} open @param {number[]} left */
  constructor(levels, open, left) {
    this.levels = levels;
    /** Whether a row is expanded at first. */
    this.open = open;
    /** How many rows below a row were not sent. */
    this.left = left;
    /** The row above each row; −1 for a root. */
    this.parents = new Int32Array(levels.length);
    /** The number of rows below each row, at all levels. */
    this.below = new Int32Array(levels.length);
    /** @type {number[]} */
    const path = [];
    levels.forEach((level, row) => {
      path.length = level;
      this.parents[row] = level ? path[level - 1] : -1;
      path.push(row);
    });
    for (let row = levels.length - 1; row >= 0; row -= 1) {
      const parent = this.parents[row];
      if (parent >= 0) {
        this.below[parent] += this.below[row] + 1;
      }
    }
  }

  /** Returns the rows directly below a row, or the roots for −1. @param {number} parent */
  children(parent) {
    const found = [];
    const end = parent < 0 ? this.levels.length : parent + this.below[parent] + 1;
    for (let row = parent + 1; row < end; row += this.below[row] + 1) {
      found.push(row);
    }
    return found;
  }

  /** Returns the rows above a row, the nearest first. @param {number} row */
  above(row) {
    const found = [];
    for (let parent = this.parents[row]; parent >= 0; parent = this.parents[parent]) {
      found.push(parent);
    }
    return found;
  }

  /** Returns the rows that are expanded at first. */
  opened() {
    return new Set(this.levels.flatMap((_, row) => (this.below[row] > 0 && this.open[row] ? [row] : [])));
  }

  /** Returns the rows that have rows below them. */
  inner() {
    return new Set(this.levels.flatMap((_, row) => (this.below[row] > 0 ? [row] : [])));
  }

  /** Returns the rows that stay expanded if all are collapsed: a single root, which alone would show nothing. */
  root() {
    return new Set(this.below[0] === this.levels.length - 1 ? [0] : []);
  }

  /**
   * Returns the visible rows in order: those whose parents are all expanded.
   *
   * @param {(row: number) => boolean} keeps whether the filters keep a row
   * @param {Set<number>} expanded
   * @param {((one: number, other: number) => number) | null} order the order of siblings; null for that of the answer
   */
  visible(keeps, expanded, order) {
    /** @type {Visible[]} */
    const found = [];
    // Rows still to be visited, the next one last: recursion could exhaust the stack.
    /** @type {Visible[]} */
    const waiting = [];
    const push = (/** @type {number} */ parent) => {
      const rows = this.children(parent).filter(keeps);
      if (order) {
        rows.sort(order);
      }
      for (let at = rows.length - 1; at >= 0; at -= 1) {
        waiting.push({ row: rows[at], place: at + 1, of: rows.length });
      }
    };
    push(-1);
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      found.push(next);
      if (expanded.has(next.row)) {
        push(next.row);
      }
    }
    return found;
  }
}

/** Returns the tree of a table; null if its rows are not a tree. @param {Table} table */
export function treeOf({ rows, tree }) {
  if (!Array.isArray(tree?.level) || !Array.isArray(tree.open) || !rows.length) {
    return null;
  }
  let deepest = 0;
  const levels = rows.map((_, row) => {
    const level = Math.min(Math.max(Math.trunc(Number(tree.level[row]) || 0), 0), deepest);
    deepest = level + 1;
    return level;
  });
  const left = Array.isArray(tree.left) ? tree.left.map(Number) : [];
  return new Tree(levels, tree.open.map(Boolean), left);
}

/**
 * Filters the rows of a tree. A text finds rows with all that is below them; words of facets keep single rows. `found` are the
 * rows that match themselves; `kept` are those, what is below them if only a text filters, and the rows above them; `paths` are
 * the rows above what is found, which are expanded to show it. `perFacet` are the rows that each facet counts.
 *
 * @param {Tree} tree
 * @param {Row[]} rows
 * @param {Column[]} columns
 * @param {Facet[]} facets
 * @param {ViewState} state
 */
export function filterTree(tree, rows, columns, facets, { typed, chosen }) {
  const { test, problem } = search(typed);
  const places = searched(columns);
  const named = rows.map((row) => !typed || places.some(({ index }) => test(String(row[index] ?? ""))));
  // Below a row with the text.
  const within = new Uint8Array(rows.length);
  tree.parents.forEach((parent, row) => (within[row] = Number(named[row] || (parent >= 0 && within[parent] === 1))));
  const accepts = (/** @type {Facet} */ { name, wordOf }, /** @type {Row} */ row) =>
    !chosen[name]?.size || chosen[name].has(/** @type {Value} */ (wordOf(row)));
  const words = facets.some(({ name }) => chosen[name]?.size);
  /** @type {Set<number>} */
  const found = new Set();
  const kept = new Uint8Array(rows.length);
  /** @type {Set<number>} */
  const paths = new Set();
  rows.forEach((row, index) => {
    const matches = within[index] === 1 && facets.every((facet) => accepts(facet, row));
    if (!matches) {
      return;
    }
    kept[index] = 1;
    if (words || named[index]) {
      found.add(index);
      for (let parent = tree.parents[index]; parent >= 0 && !paths.has(parent); parent = tree.parents[parent]) {
        paths.add(parent);
        kept[parent] = 1;
      }
    }
  });
  const counted = (/** @type {Facet} */ own) =>
    rows.filter((row, index) => within[index] && facets.every((facet) => facet === own || accepts(facet, row)));
  return { found, keeps: (/** @type {number} */ row) => kept[row] === 1, paths, perFacet: facets.map(counted), problem, active: typed !== "" || words };
}

/** Returns the order of siblings that the heads chose; null for that of the answer. @param {Row[]} rows @param {ViewState} state */
export function siblingOrder(rows, { sorted: { index, direction } }) {
  return direction
    ? (/** @type {number} */ one, /** @type {number} */ other) => compare(rows[one][index], rows[other][index], direction)
    : null;
}

/** Returns the column that shows the tree: the first of names, else the first. @template {{ kind: string }} C @param {C[]} columns */
export const branchColumn = (columns) => columns.find(({ kind }) => kind === "name") ?? columns[0];

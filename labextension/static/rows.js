// @ts-check
// Filters and sorts the rows of a table.

/** @import { Column, Facet, Row, Table, Value, ViewState } from "../types/table" */

/** A column with more words than this gets no buttons. */
const MAX_WORDS = 8;
/** Grades of regions have up to ten. */
const MAX_TREE_WORDS = 10;
const MAX_FACETS = 2;
const SEARCHED = new Set(["name", "text", "category"]);

/** @type {(value: Value | undefined) => value is null | undefined} */
const missing = (value) => value === null || value === undefined;
/** Integers beyond 2⁵³ are sent as text. @param {Value} value */
const isNumber = (value) => typeof value === "number" || /^-?\d+$/.test(String(value));

/** Returns the columns that the filter box searches. @param {Column[]} columns */
export const searched = (columns) => columns.filter(({ kind }) => SEARCHED.has(kind));

/**
 * Turns the text of the filter box into a test of texts: a regular expression, or the text itself, so that a pasted kernel
 * name finds itself. `problem` says why the text is not a regular expression.
 *
 * @param {string} typed
 */
export function search(typed) {
  const letters = typed.toLowerCase();
  const plain = (/** @type {string} */ text) => text.toLowerCase().includes(letters);
  try {
    const expression = new RegExp(typed, "i");
    return { test: (/** @type {string} */ text) => expression.test(text) || plain(text), problem: "" };
  } catch (error) {
    const why = (error instanceof Error ? error.message : String(error)).replace(/^Invalid regular expression: /, "");
    return { test: plain, problem: `not a regular expression, searched as plain text: ${why}` };
  }
}

const texts = new Intl.Collator("en", { numeric: true });

/**
 * Compares two values: numbers by size, texts alphabetically. Missing values come last in both directions.
 *
 * @param {Value | undefined} one
 * @param {Value | undefined} other
 * @param {number} direction 1 or −1
 */
export function compare(one, other, direction) {
  if (missing(one) || missing(other)) {
    return Number(missing(one)) - Number(missing(other));
  }
  if (typeof one === "number" && typeof other === "number") {
    return direction * (one - other);
  }
  if (isNumber(one) && isNumber(other)) {
    // BigInt takes no fraction; next to an integer beyond 2⁵³ the fraction does not matter.
    const [a, b] = [one, other].map((value) => BigInt(typeof value === "number" ? Math.trunc(value) : value));
    return a === b ? 0 : a < b ? -direction : direction;
  }
  return direction * texts.compare(String(one), String(other));
}

/**
 * Returns the facet of how rows changed, if the kernel sent that.
 *
 * @param {Table} table
 * @returns {Facet | null}
 */
function changeFacet({ changes, rows }) {
  if (!Array.isArray(changes?.kinds) || !Array.isArray(changes.rows)) {
    return null;
  }
  const { column, kinds } = changes;
  const kindOf = new Map(rows.map((row, index) => [row, kinds[changes.rows[index]]]));
  const found = new Set(kindOf.values());
  return { name: String(column), words: kinds.filter((kind) => found.has(kind)), write: String, label: String, wordOf: (row) => kindOf.get(row) };
}

/**
 * Returns the facets of a table: columns of few words, by which rows can be filtered.
 *
 * @param {Column[]} columns
 * @param {Table} table
 * @returns {Facet[]}
 */
export function facets(columns, table) {
  const { rows } = table;
  const change = changeFacet(table);
  const found = change ? [change] : [];
  for (const column of columns) {
    if ((column.kind !== "category" && column.name !== "rank") || column.name === change?.name) {
      continue;
    }
    const wordOf = (/** @type {Row} */ row) => row[column.index];
    const words = new Set(rows.map(wordOf).filter((word) => !missing(word)));
    /** @type {Facet["write"]} */
    const write = column.kind === "id" ? (word) => `rank ${word}` : column.write;
    found.push({ name: String(column.name), words: [...words].sort((a, b) => compare(a, b, 1)), write, label: write, wordOf });
  }
  const most = table.tree ? MAX_TREE_WORDS : MAX_WORDS;
  // A facet with one word per row groups nothing.
  const useful = (/** @type {Facet} */ { words }) => words.length > 1 && words.length <= most && words.length < rows.length;
  return labelled(found.filter(useful).slice(0, MAX_FACETS));
}

/**
 * Labels words that several facets have by their facet, since each button counts other rows: `added (grade)`, `added (verdict)`.
 *
 * @param {Facet[]} facets
 */
function labelled(facets) {
  const shared = (/** @type {Facet} */ own, /** @type {string} */ text) =>
    facets.some((facet) => facet !== own && facet.words.some((word) => facet.write(word) === text));
  for (const facet of facets) {
    facet.label = (word) => (shared(facet, facet.write(word)) ? `${facet.write(word)} (${facet.name})` : facet.write(word));
  }
  return facets;
}

/**
 * Returns the rows that match the filter box and the chosen words, sorted. `perFacet` are, for each facet, the rows that match
 * everything but its own words: what its buttons count. `problem` is that of `search`.
 *
 * @param {Row[]} rows
 * @param {Column[]} columns
 * @param {Facet[]} facets
 * @param {ViewState} state
 */
export function select(rows, columns, facets, { typed, chosen, sorted }) {
  const { test, problem } = search(typed);
  const places = searched(columns);
  const matches = (/** @type {Row} */ row) => places.some(({ index }) => test(String(row[index] ?? "")));
  const matching = typed ? rows.filter(matches) : rows;
  const accepts = (/** @type {Facet} */ { name, wordOf }, /** @type {Row} */ row) =>
    !chosen[name]?.size || chosen[name].has(/** @type {Value} */ (wordOf(row)));
  const perFacet = facets.map((own) => matching.filter((row) => facets.every((facet) => facet === own || accepts(facet, row))));
  const found = matching.filter((row) => facets.every((facet) => accepts(facet, row)));
  if (sorted.direction) {
    found.sort((one, other) => compare(one[sorted.index], other[sorted.index], sorted.direction));
  }
  return { found, perFacet, problem };
}

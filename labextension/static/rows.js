// Which rows are wanted, and in which order.

/** A column with more words than this gets no buttons. */
const MOST_WORDS = 8;
const MOST_FACETS = 2;
const SEARCHED = new Set(["name", "text", "category"]);

const missing = (value) => value === null || value === undefined;
/** Integers beyond 2⁵³ come as text. */
const isNumber = (value) => typeof value === "number" || /^-?\d+$/.test(value);

/** The columns in which is searched. */
export const searched = (columns) => columns.filter(({ kind }) => SEARCHED.has(kind));

/**
 * What is typed into the filter box, as a test of texts: a regular expression, or the letters themselves, so that a
 * pasted kernel name finds itself. `problem` says why it is no regular expression.
 */
export function search(typed) {
  const letters = typed.toLowerCase();
  const plain = (text) => text.toLowerCase().includes(letters);
  try {
    const expression = new RegExp(typed, "i");
    return { test: (text) => expression.test(text) || plain(text), problem: "" };
  } catch (error) {
    const why = String(error.message).replace(/^Invalid regular expression: /, "");
    return { test: plain, problem: `not a regular expression, searched as plain text: ${why}` };
  }
}

const texts = new Intl.Collator("en", { numeric: true });

/** Orders two values: numbers by size, texts by letter, what is missing last whichever way. */
export function compare(one, other, direction) {
  if (missing(one) || missing(other)) {
    return missing(one) - missing(other);
  }
  if (typeof one === "number" && typeof other === "number") {
    return direction * (one - other);
  }
  if (isNumber(one) && isNumber(other)) {
    // A fraction cannot become a big integer, and beside one that big it does not matter.
    const [a, b] = [one, other].map((value) => BigInt(typeof value === "number" ? Math.trunc(value) : value));
    return a === b ? 0 : a < b ? -direction : direction;
  }
  return direction * texts.compare(String(one), String(other));
}

/** How every row changed, as the kernel says it: the kinds that occur, and the kind of a row. */
function changed({ changes, rows }) {
  if (!Array.isArray(changes?.kinds) || !Array.isArray(changes.rows)) {
    return null;
  }
  const kinds = new Map(rows.map((row, index) => [row, changes.kinds[changes.rows[index]]]));
  const found = new Set(kinds.values());
  return { name: String(changes.column), words: changes.kinds.filter((kind) => found.has(kind)), of: (row) => kinds.get(row) };
}

/** Columns of few words, by which rows are taken: what they are called, their words, and the word of a row. */
export function facets(columns, table) {
  const { rows } = table;
  const change = changed(table);
  const found = change ? [{ ...change, write: String }] : [];
  for (const column of columns) {
    if ((column.kind !== "category" && column.name !== "rank") || column.name === change?.name) {
      continue;
    }
    const of = (row) => row[column.index];
    const words = new Set(rows.map(of).filter((word) => !missing(word)));
    const write = column.kind === "id" ? (word) => `rank ${word}` : column.write;
    found.push({ name: String(column.name), words: [...words].sort((a, b) => compare(a, b, 1)), write, of });
  }
  // Where every row has a word of its own there is nothing to take together.
  const useful = ({ words }) => words.length > 1 && words.length <= MOST_WORDS && words.length < rows.length;
  return found.filter(useful).slice(0, MOST_FACETS);
}

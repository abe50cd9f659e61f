// Which rows are wanted, and in which order.

/** A column with more words than this gets no buttons. */
const MOST_WORDS = 8;
const MOST_FACETS = 2;
const SEARCHED = new Set(["name", "text", "category"]);
const CHANGES = ["added", "deleted", "increased", "decreased", "unchanged"];
/** How HTA writes a change of counts. */
const SIGNS = { "+": "increased", "-": "decreased", "=": "unchanged" };

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

/** The counts of both sides, if the table has them. */
function counts(columns) {
  const at = (name) => columns.find((column) => column.name === name)?.index;
  const [control, test] = [at("control_counts"), at("test_counts")];
  return control === undefined || test === undefined ? null : { control, test };
}

/** The word for a row's change: from the counts, which know what is new, or from HTA's sign. */
function changeOf(column, sides) {
  if (!sides) {
    return (row) => SIGNS[row[column.index]];
  }
  return (row) => {
    const [control, test] = [row[sides.control] ?? 0, row[sides.test] ?? 0];
    if (control === test) {
      return "unchanged";
    }
    return control === 0 ? "added" : test === 0 ? "deleted" : test > control ? "increased" : "decreased";
  };
}

/** Columns of few words, by which rows are taken: what they are called, their words, and the word of a row. */
export function facets(columns, rows) {
  const found = [];
  for (const column of columns) {
    if (column.kind !== "category" && column.name !== "rank") {
      continue;
    }
    let of = (row) => row[column.index];
    let words = new Set(rows.map(of).filter((word) => !missing(word)));
    if (column.name === "counts_change_categories" && [...words].every((word) => word in SIGNS)) {
      of = changeOf(column, counts(columns));
      words = new Set(rows.map(of));
    }
    // Where every row has a word of its own there is nothing to take together.
    if (words.size > 1 && words.size <= MOST_WORDS && words.size < rows.length) {
      const change = [...words].every((word) => CHANGES.includes(word));
      const rank = (word) => `rank ${word}`;
      found.push({
        name: String(column.name),
        words: change ? CHANGES.filter((word) => words.has(word)) : [...words].sort((a, b) => compare(a, b, 1)),
        write: column.kind === "id" ? rank : String,
        of,
      });
    }
  }
  return found.slice(0, MOST_FACETS);
}

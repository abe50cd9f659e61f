// The JSON of a table (`application/vnd.tracebook.table.v1+json`), and what the renderer makes of it.

/** A value of a table. An integer beyond 2⁵³ is text, a missing or non-finite value is null. */
export type Value = string | number | null;

export type Row = Value[];

export type Kind = "name" | "text" | "number" | "id" | "difference" | "bar" | "category";

export interface ColumnSpec {
  name: string;
  unit?: string;
  kind: Kind;
  meaning?: string;
  /** Digits behind the point. */
  decimals?: number;
  /** Columns with the same scale share the range of their bars. */
  scale?: string;
  /** A title of one or two characters. */
  short?: string;
}

/** How each row changed from control to test: `rows[i]` is the index of row i's kind in `kinds`. */
export interface Changes {
  column: string;
  kinds: string[];
  rows: number[];
}

/** The notebook cells that list the events of a row; `name`, `rank` and `counts` are column names. */
export interface EventCells {
  name: string;
  rank?: string | null;
  cells: { title: string; before: string; after: string; counts: string }[];
}

export interface Table {
  version?: number;
  caption?: string;
  columns: ColumnSpec[];
  rows: Row[];
  total_rows?: number;
  notes?: string[];
  /** The number of rows to show at first. */
  page?: number;
  changes?: Changes;
  events?: EventCells;
  /** How to reach the rows that were not sent. */
  rest?: string;
  tree?: TreeSpec;
}

/** The tree of the rows, which are in depth-first order. */
export interface TreeSpec {
  /** The level of each row; 0 is a root. */
  level: number[];
  /** Whether each row is expanded at first. */
  open: boolean[];
  /** How many rows below each row were not sent; absent if all were. */
  left?: number[];
}

/** What the user expanded in a tree. */
export interface TreeState {
  /** The levels of the rows: rows of another tree are other rows. */
  shape: string;
  expanded: Set<number>;
  /** The rows that are expanded while a filter is on; null without one. */
  filtered: Set<number> | null;
  /** The row that Tab reaches. */
  active: number;
  /** How far the rows are scrolled, in pixels. */
  scrolled: number;
}

/** Shortens the texts of a column to at most `most` characters. */
export interface Shortener {
  most: number;
  shorten(text: string): string;
}

/** The values at which bars begin and end. */
export interface Range {
  least: number;
  most: number;
}

/** A column, ready to be drawn. */
export interface Column extends ColumnSpec {
  /** Its index in a row. */
  index: number;
  title: string;
  short: string;
  right: boolean;
  write(value: Value | undefined): string;
  shortener: Shortener;
  range: Range | null;
}

/** A column of few different words, by which rows can be filtered. */
export interface Facet {
  name: string;
  words: Value[];
  write(word: Value): string;
  /** The text of the word's button. */
  label(word: Value): string;
  wordOf(row: Row): Value | undefined;
}

/** What the user chose in a table. */
export interface ViewState {
  /** The names of the columns: a state fits tables of the same shape. */
  shape: string;
  /** Column index and direction; direction 0 is the order of the answer. */
  sorted: { index: number; direction: number };
  /** The text in the filter box. */
  typed: string;
  /** Column name → words. */
  chosen: Record<string, Set<Value>>;
  /** The indices of hidden columns. */
  hidden: Set<number>;
  /** Whether the menu of columns is open. */
  menu: boolean;
  page: number;
  /** Rows per page; 0 is all. */
  size: number;
  tree?: TreeState;
}

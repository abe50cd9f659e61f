// @ts-check
// The grammar of magic lines, for colours: which lines of a cell are magics, and what their words are. It mirrors `crates/kernel-base/src/cell`;
// `tests/magic-lines.json` tests both.

/**
 * Offsets in a line: where the variable and the name of a magic begin and end. `owns`: a cell magic (`%%`).
 *
 * @typedef {{ bind?: [number, number], name: [number, number], length: number, owns?: boolean }} Head
 * @typedef {{ from: number, to: number, head?: Head }} Piece
 * @typedef {{ kind: string, from: number, to: number }} Word
 */

const NAME = "(?![0-9])[\\p{L}\\p{N}_]+";
const MAGIC = new RegExp(`^(\\s*)(%{1,2})(${NAME})(.*)$`, "u");
const BOUND = new RegExp(`^(\\s*(?:let[ \\t]+)?(?:mut[ \\t]+)?)(${NAME})([ \\t]*=[ \\t]*)%(${NAME})(.*)$`, "u");
const HELP = new RegExp(`^\\s*\\?+%{0,2}(?:${NAME})$`, "u");
const WORD = /[\p{L}\p{N}_]+/uy;
const RAW = /(?:b|c)?r(#*)"/y;
const QUOTE = /[bc]?"/y;
const CHARACTER = /b?'(?:\\(?:.[^']*)?|[^'\\])'/suy;
/** @type {Record<string, string>} */
const CLOSES = { "(": ")", "[": "]", "{": "}" };

/** Matches a sticky expression at an offset. @param {RegExp} expression @param {string} text @param {number} offset */
function at(expression, text, offset) {
  expression.lastIndex = offset;
  return expression.exec(text);
}

/** A scanner of Rust tokens that finds the lines which start outside of strings, comments and brackets. */
class Scanner {
  /** @param {string} code @param {number} start */
  constructor(code, start) {
    this.code = code;
    this.at = start;
    /** The closing brackets that are expected. @type {string[]} */
    this.open = [];
    /** The first character of the last token; blanks and comments are not tokens. @type {string | undefined} */
    this.last = undefined;
  }

  /** Whether a statement may start here. */
  atStatement() {
    return this.last === undefined || this.last === ";";
  }

  /** Returns the start of the next line outside of strings, comments and brackets, or undefined. */
  nextLine() {
    while (this.at < this.code.length) {
      const start = this.at;
      if (/\s/.test(this.code[start])) {
        const [blank] = at(/\s+/y, this.code, start) ?? [""];
        this.at += blank.length;
        const line = blank.lastIndexOf("\n");
        if (line >= 0 && this.open.length === 0) {
          return start + line + 1;
        }
      } else if (this.code.startsWith("//", start)) {
        const end = this.code.indexOf("\n", start);
        this.at = end < 0 ? this.code.length : end;
      } else if (this.code.startsWith("/*", start)) {
        this.comment();
      } else {
        this.last = this.token();
      }
    }
    return undefined;
  }

  /** Skips a block comment; they nest. */
  comment() {
    let depth = 0;
    while (this.at < this.code.length) {
      if (this.code.startsWith("/*", this.at)) {
        depth += 1;
        this.at += 2;
      } else if (this.code.startsWith("*/", this.at)) {
        depth -= 1;
        this.at += 2;
        if (depth === 0) {
          return;
        }
      } else {
        this.at += 1;
      }
    }
  }

  /** Skips a token and returns its first character. */
  token() {
    const { code } = this;
    const first = code[this.at];
    let found;
    if ((found = at(RAW, code, this.at))) {
      const end = code.indexOf(`"${found[1]}`, this.at + found[0].length);
      this.at = end < 0 ? code.length : end + 1 + found[1].length;
    } else if ((found = at(QUOTE, code, this.at))) {
      this.at += found[0].length;
      while (this.at < code.length && code[this.at] !== '"') {
        this.at += code[this.at] === "\\" ? 2 : 1;
      }
      this.at += 1;
    } else if ((found = at(CHARACTER, code, this.at)) || (found = at(WORD, code, this.at))) {
      this.at += found[0].length;
    } else {
      if (first in CLOSES) {
        this.open.push(CLOSES[first]);
      } else if (")]}".includes(first)) {
        this.open.pop();
      }
      this.at += 1;
    }
    return first;
  }
}

/**
 * Parses a line as a magic; undefined if it is not one.
 *
 * @param {string} line
 * @param {boolean} atStatement whether a statement of Rust may start here
 * @returns {Head | undefined}
 */
function head(line, atStatement) {
  const text = line.trimEnd();
  const allowed = atStatement || !/^\s/.test(text);
  let found = BOUND.exec(text);
  if (found) {
    const [, before, bind, between, name, rest] = found;
    const sigil = before.length + bind.length + between.length;
    return /^(?:$|[; \t])/.test(rest)
      ? { bind: [before.length, before.length + bind.length], name: [sigil, sigil + 1 + name.length], length: text.length }
      : undefined;
  }
  if (!allowed) {
    return undefined;
  }
  if ((found = HELP.exec(text))) {
    return { name: [text.length - text.trimStart().length, text.length], length: text.length };
  }
  if ((found = MAGIC.exec(text))) {
    const [, before, sigil, name, rest] = found;
    const help = /^\?+$/.test(rest);
    if (help || /^(?:$|[; \t])/.test(rest)) {
      const end = before.length + sigil.length + name.length + (help ? rest.length : 0);
      return { name: [before.length, end], length: text.length, owns: sigil.length === 2 && !help };
    }
  }
  return undefined;
}

/** Splits a cell into pieces without gaps. A piece without a head is Rust. @param {string} code */
export function pieces(code) {
  /** @type {Piece[]} */
  const found = [];
  let rust = 0;
  let line = 0;
  let scanner = new Scanner(code, 0);
  while (line < code.length) {
    const end = code.indexOf("\n", line) + 1 || code.length;
    const text = code.slice(line, end);
    const magic = head(text, scanner.atStatement());
    const command = /^\s*:(?!:)/.test(text) && scanner.atStatement();
    if (magic || command) {
      if (magic) {
        if (rust < line) {
          found.push({ from: rust, to: line });
        }
        found.push({ from: line, to: end, head: magic });
        rust = end;
      }
      line = end;
      scanner = new Scanner(code, end);
    } else {
      line = scanner.nextLine() ?? code.length;
    }
  }
  if (rust < code.length) {
    found.push({ from: rust, to: code.length });
  }
  return found;
}

/** Returns the end of a `{expression}` with its inner braces and strings. @param {string} line @param {number} from */
function braceEnd(line, from) {
  let depth = 0;
  let quoted = false;
  for (let offset = from; offset < line.length; offset += 1) {
    const char = line[offset];
    if (quoted && char === "\\") {
      offset += 1;
    } else if (char === '"') {
      quoted = !quoted;
    } else if (!quoted && char === "{") {
      depth += 1;
    } else if (!quoted && char === "}" && (depth -= 1) === 0) {
      return offset + 1;
    }
  }
  return line.length;
}

/**
 * Returns the coloured words of a magic line from `from` on, in order and without overlaps. Their kinds are `flag`, `string`,
 * `number`, `expression` and `variable`.
 *
 * @param {string} line
 * @param {number} from
 */
export function words(line, from) {
  /** @type {Word[]} */
  const found = [];
  /** @type {(kind: string, start: number, end: number) => void} */
  const add = (kind, start, end) => {
    if (end > start) {
      found.push({ kind, from: start, to: end });
    }
  };
  let offset = from;
  while (offset < line.length) {
    if (/\s/.test(line[offset])) {
      offset += 1;
      continue;
    }
    const flag = at(/-{1,2}[\p{L}_][^\s=]*/uy, line, offset);
    const number = at(/[-+]?(?:\d[\d.,_-]*|\.\d+)[\p{L}%]*(?=[\s;]|$)/uy, line, offset);
    if (flag) {
      add("flag", offset, (offset += flag[0].length));
    } else if (number) {
      add("number", offset, (offset += number[0].length));
    }
    // The rest of the word may contain quoted texts, expressions and variables.
    while (offset < line.length && !/\s/.test(line[offset])) {
      const start = offset;
      if (line[offset] === "'") {
        offset = line.indexOf("'", offset + 1) + 1 || line.length;
        add("string", start, offset);
      } else if (line[offset] === '"') {
        offset += 1;
        let text = start;
        while (offset < line.length && line[offset] !== '"') {
          if (line[offset] === "{" || line.startsWith("${", offset)) {
            add("string", text, offset);
            offset = special(offset);
            text = offset;
          } else {
            offset += line[offset] === "\\" ? 2 : 1;
          }
        }
        offset = Math.min(offset + 1, line.length);
        add("string", text, offset);
      } else if (line[offset] === "{" || line.startsWith("${", offset)) {
        offset = special(offset);
      } else {
        offset += line[offset] === "\\" ? 2 : 1;
        const value = line[offset - 1] === "=" && at(/-?\d[\d.,_-]*[\p{L}%]*(?=[\s;]|$)/uy, line, offset);
        if (value) {
          add("number", offset, (offset += value[0].length));
        }
      }
    }
  }
  return found;

  /** Adds an `{expression}` or a `${VARIABLE}`; returns its end. @param {number} start */
  function special(start) {
    if (line[start] === "$") {
      const end = line.indexOf("}", start) + 1 || line.length;
      add("variable", start, end);
      return end;
    }
    const end = braceEnd(line, start);
    add("expression", start, end);
    return end;
  }
}

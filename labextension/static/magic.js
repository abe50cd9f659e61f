// Which lines of a cell are magics, and what their words are: the grammar of `src/cell` (segment.rs, rust.rs, words.rs), in
// JavaScript, for colours. `tests/magic-lines.json` holds the two together.

const NAME = "(?![0-9])[\\p{L}\\p{N}_]+";
const MAGIC = new RegExp(`^(\\s*)(%{1,2})(${NAME})(.*)$`, "u");
const BOUND = new RegExp(`^(\\s*(?:let[ \\t]+)?(?:mut[ \\t]+)?)(${NAME})([ \\t]*=[ \\t]*)%(${NAME})(.*)$`, "u");
const HELP = new RegExp(`^\\s*\\?+%{0,2}(?:${NAME})$`, "u");
const WORD = /[\p{L}\p{N}_]+/uy;
const RAW = /(?:b|c)?r(#*)"/y;
const QUOTE = /[bc]?"/y;
const CHARACTER = /b?'(?:\\(?:.[^']*)?|[^'\\])'/suy;
const CLOSES = { "(": ")", "[": "]", "{": "}" };

/** Matches a sticky expression at a place. */
function at(expression, text, place) {
  expression.lastIndex = place;
  return expression.exec(text);
}

/** Walks over the tokens of Rust, just well enough to know where a line starts outside strings, comments and brackets. */
class Walk {
  constructor(code, start) {
    this.code = code;
    this.at = start;
    this.open = [];
    /** The last token that is no blank and no comment. */
    this.last = undefined;
  }

  /** Whether a statement may start here. */
  atStatement() {
    return this.last === undefined || this.last === ";";
  }

  /** The start of the next line outside strings, comments and brackets; undefined if there is none. */
  nextLine() {
    while (this.at < this.code.length) {
      const start = this.at;
      if (/\s/.test(this.code[start])) {
        const blank = at(/\s+/y, this.code, start)[0];
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

  /** Goes over one token; answers with its first character. */
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

/** The magic that a line is by its form: where its parts start and end, from the start of the line; undefined if it is none. */
function head(line, atStatement) {
  const text = line.trimEnd();
  const placed = atStatement || !/^\s/.test(text);
  let found = BOUND.exec(text);
  if (found) {
    const [, before, bind, between, name, rest] = found;
    const sigil = before.length + bind.length + between.length;
    return /^(?:$|[; \t])/.test(rest)
      ? { bind: [before.length, before.length + bind.length], name: [sigil, sigil + 1 + name.length], length: text.length }
      : undefined;
  }
  if (!placed) {
    return undefined;
  }
  if ((found = HELP.exec(text))) {
    return { name: [text.length - text.trimStart().length, text.length], length: text.length };
  }
  if ((found = MAGIC.exec(text))) {
    const [, before, sigil, name, rest] = found;
    const asks = /^\?+$/.test(rest);
    if (asks || /^(?:$|[; \t])/.test(rest)) {
      const end = before.length + sigil.length + name.length + (asks ? rest.length : 0);
      return { name: [before.length, end], length: text.length, owns: sigil.length === 2 && !asks };
    }
  }
  return undefined;
}

/** A cell as pieces without gaps, `{ from, to, head }`; without a head they are Rust. */
export function pieces(code) {
  const found = [];
  let rust = 0;
  let line = 0;
  let walk = new Walk(code, 0);
  while (line < code.length) {
    const end = code.indexOf("\n", line) + 1 || code.length;
    const text = code.slice(line, end);
    const magic = head(text, walk.atStatement());
    const command = /^\s*:(?!:)/.test(text) && walk.atStatement();
    if (magic || command) {
      if (magic) {
        if (rust < line) {
          found.push({ from: rust, to: line });
        }
        found.push({ from: line, to: end, head: magic });
        rust = end;
      }
      line = end;
      walk = new Walk(code, end);
    } else {
      line = walk.nextLine() ?? code.length;
    }
  }
  if (rust < code.length) {
    found.push({ from: rust, to: code.length });
  }
  return found;
}

/** Where a `{expression}` that starts at `from` ends; braces and strings inside are counted. */
function braceEnd(line, from) {
  let depth = 0;
  let quoted = false;
  for (let place = from; place < line.length; place += 1) {
    const letter = line[place];
    if (quoted && letter === "\\") {
      place += 1;
    } else if (letter === '"') {
      quoted = !quoted;
    } else if (!quoted && letter === "{") {
      depth += 1;
    } else if (!quoted && letter === "}" && (depth -= 1) === 0) {
      return place + 1;
    }
  }
  return line.length;
}

/** The words of a magic line from `from` on that have a colour: `{ kind, from, to }` with the kinds `flag`, `string`, `number`,
 * `expression` and `variable`, in order and apart from each other. */
export function words(line, from) {
  const found = [];
  const add = (kind, start, end) => end > start && found.push({ kind, from: start, to: end });
  let place = from;
  while (place < line.length) {
    if (/\s/.test(line[place])) {
      place += 1;
      continue;
    }
    const flag = at(/-{1,2}[\p{L}_][^\s=]*/uy, line, place);
    const number = at(/[-+]?(?:\d[\d.,_-]*|\.\d+)[\p{L}%]*(?=[\s;]|$)/uy, line, place);
    if (flag) {
      add("flag", place, (place += flag[0].length));
    } else if (number) {
      add("number", place, (place += number[0].length));
    }
    // The rest of the word: its quoted parts, expressions and variables.
    while (place < line.length && !/\s/.test(line[place])) {
      const start = place;
      if (line[place] === "'") {
        place = line.indexOf("'", place + 1) + 1 || line.length;
        add("string", start, place);
      } else if (line[place] === '"') {
        place += 1;
        let text = start;
        while (place < line.length && line[place] !== '"') {
          if (line[place] === "{" || line.startsWith("${", place)) {
            add("string", text, place);
            place = special(place);
            text = place;
          } else {
            place += line[place] === "\\" ? 2 : 1;
          }
        }
        place = Math.min(place + 1, line.length);
        add("string", text, place);
      } else if (line[place] === "{" || line.startsWith("${", place)) {
        place = special(place);
      } else {
        place += line[place] === "\\" ? 2 : 1;
        const value = line[place - 1] === "=" && at(/-?\d[\d.,_-]*[\p{L}%]*(?=[\s;]|$)/uy, line, place);
        if (value) {
          add("number", place, (place += value[0].length));
        }
      }
    }
  }
  return found;

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

//! Words of a magic line: shell-like quoting, without globs.
//!
//! * Blanks separate words. `'…'` is literal. A `\` escapes the next character in bare text; in `"…"` it escapes only `"`, `\`,
//!   `{` and `$`.
//! * `{expr}`, `${NAME}` and `${NAME:-default}` in bare or double-quoted text become pieces of their own, which the magic
//!   expands.
//! * A `;` at the end of the line is dropped, as in Rust.

use std::ops::Range;

/// A word and its range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// Its bytes in the line, quotes included.
    pub range: Range<usize>,
    /// Its pieces, in order.
    pub pieces: Vec<Piece>,
}

/// A piece of a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Text without its quotes and escapes.
    Text {
        /// The text.
        text: String,
        /// Whether it was quoted: then it is never a flag or a `~`.
        quoted: bool,
    },
    /// `{expr}`: a Rust expression.
    Expr(String),
    /// `${NAME}` or `${NAME:-default}`: an environment variable.
    Env {
        /// The variable.
        name: String,
        /// The value if the variable is unset or empty.
        default: Option<String>,
    },
}

/// A quote or brace without its partner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unclosed {
    /// The opening character.
    pub open: char,
    /// Its offset.
    pub at: usize,
}

/// Splits a line into words.
///
/// # Errors
/// The first quote or brace that is not closed.
pub fn words(line: &str) -> Result<Vec<Word>, Unclosed> {
    let (words, unclosed) = lex(line);
    unclosed.map_or(Ok(words), Err)
}

/// Splits a line into words; returns also the first unclosed quote or brace, in which case the last word ends with the line.
pub(super) fn lex(line: &str) -> (Vec<Word>, Option<Unclosed>) {
    let mut lexer = Lexer { line, end: line.trim_end().len(), at: 0, pieces: Vec::new(), unclosed: None };
    let mut words = Vec::new();
    loop {
        lexer.skip_blanks();
        if lexer.at_end() {
            return (words, lexer.unclosed);
        }
        let start = lexer.at;
        lexer.word();
        words.push(Word { range: start..lexer.at, pieces: std::mem::take(&mut lexer.pieces) });
    }
}

impl Word {
    /// Parses `--name` or `--name=value` (or with one dash): returns the name with its dashes, and the value. `None` for other
    /// words, quoted words and negative numbers.
    pub fn as_flag(&self) -> Option<(&str, Option<Vec<Piece>>)> {
        let Some(Piece::Text { text, quoted: false }) = self.pieces.first() else { return None };
        let first = text.strip_prefix('-')?.chars().next();
        if first.is_none_or(|c| c.is_ascii_digit() || c == '.') {
            return None;
        }
        let Some((name, value)) = text.split_once('=') else { return Some((text, None)) };
        let mut pieces = Vec::new();
        if !value.is_empty() || self.pieces.len() == 1 {
            pieces.push(Piece::Text { text: value.to_owned(), quoted: false });
        }
        pieces.extend_from_slice(&self.pieces[1..]);
        Some((name, Some(pieces)))
    }
}

struct Lexer<'line> {
    line: &'line str,
    /// End of the line without its trailing blanks.
    end: usize,
    at: usize,
    pieces: Vec<Piece>,
    unclosed: Option<Unclosed>,
}

impl Lexer<'_> {
    fn rest(&self) -> &str {
        &self.line[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn bump(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    fn skip_blanks(&mut self) {
        self.at = self.line.len() - self.rest().trim_start().len();
    }

    /// Whether only the end of the line, or its final `;`, is left.
    fn at_end(&self) -> bool {
        matches!(self.line.get(self.at..self.end), None | Some("" | ";"))
    }

    fn word(&mut self) {
        while let Some(c) = self.peek() {
            if c.is_whitespace() || self.at_end() {
                return;
            }
            match c {
                '\'' => self.single(),
                '"' => self.double(),
                _ if self.special() => {}
                '\\' => {
                    self.at += 1;
                    let c = self.bump().unwrap_or('\\');
                    self.push(c, true);
                }
                _ => {
                    self.at += c.len_utf8();
                    self.push(c, false);
                }
            }
        }
    }

    fn single(&mut self) {
        let open = self.at;
        self.at += 1;
        let length = self.rest().find('\'');
        let text = self.rest()[..length.unwrap_or(self.rest().len())].to_owned();
        self.at += text.len() + usize::from(length.is_some());
        if length.is_none() {
            self.unclosed.get_or_insert(Unclosed { open: '\'', at: open });
        }
        self.pieces.push(Piece::Text { text, quoted: true });
    }

    fn double(&mut self) {
        let open = self.at;
        self.at += 1;
        self.pieces.push(Piece::Text { text: String::new(), quoted: true });
        while let Some(c) = self.peek() {
            if c == '"' {
                self.at += 1;
                return;
            }
            if self.special() {
                continue;
            }
            self.at += c.len_utf8();
            let escaped = self.peek().filter(|next| c == '\\' && matches!(next, '"' | '\\' | '{' | '$'));
            self.at += escaped.map_or(0, char::len_utf8);
            self.push(escaped.unwrap_or(c), true);
        }
        self.unclosed.get_or_insert(Unclosed { open: '"', at: open });
    }

    /// Reads a `{expr}` or `${NAME}` if there is one here.
    fn special(&mut self) -> bool {
        if let Some(inside) = self.rest().strip_prefix("${") {
            let end = inside.find('}');
            let text = &inside[..end.unwrap_or(inside.len())];
            let (name, default) = match text.split_once(":-") {
                Some((name, default)) => (name.to_owned(), Some(default.to_owned())),
                None => (text.to_owned(), None),
            };
            let piece = Piece::Env { name, default };
            self.take_braces(1, "${".len() + text.len(), end.is_some(), piece);
            return true;
        }
        if let Some(inside) = self.rest().strip_prefix('{') {
            let end = closing_brace(inside);
            let text = inside[..end.unwrap_or(inside.len())].to_owned();
            self.take_braces(0, "{".len() + text.len(), end.is_some(), Piece::Expr(text));
            return true;
        }
        false
    }

    fn take_braces(&mut self, brace: usize, length: usize, closed: bool, piece: Piece) {
        if !closed {
            self.unclosed.get_or_insert(Unclosed { open: '{', at: self.at + brace });
        }
        self.at += length + usize::from(closed);
        self.pieces.push(piece);
    }

    fn push(&mut self, c: char, quoted: bool) {
        match self.pieces.last_mut() {
            Some(Piece::Text { text, quoted: same }) if *same == quoted => text.push(c),
            _ => self.pieces.push(Piece::Text { text: c.to_string(), quoted }),
        }
    }
}

/// Returns the offset of the `}` that ends a Rust expression; it skips nested braces, and braces in strings.
fn closing_brace(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut in_string = false;
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if in_string => escaped = true,
            '"' => in_string = !in_string,
            _ if in_string => {}
            '{' => depth += 1,
            '}' if depth == 0 => return Some(at),
            '}' => depth -= 1,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn plain(line: &str) -> Vec<String> {
        words(line)
            .unwrap()
            .into_iter()
            .map(|word| {
                word.pieces
                    .into_iter()
                    .map(|piece| match piece {
                        Piece::Text { text, .. } => text,
                        Piece::Expr(expr) => format!("<{expr}>"),
                        Piece::Env { name, default } => format!("<${name}|{}>", default.unwrap_or_default()),
                    })
                    .collect()
            })
            .collect()
    }

    #[test]
    fn blanks_separate_words() {
        assert_eq!(plain("  a\tb  c "), ["a", "b", "c"]);
        assert_eq!(plain(""), Vec::<String>::new());
    }

    #[test]
    fn quotes_and_escapes_are_those_of_a_shell() {
        assert_eq!(plain(r#""a b" 'c d' e" "f'g"h'"#), ["a b", "c d", "e fg\"h"]);
        assert_eq!(plain(r#""a \"b\" \\ \n""#), [r#"a "b" \ \n"#]);
        assert_eq!(plain(r"a\ b \'c 'd\'"), ["a b", "'c", r"d\"]);
        assert_eq!(plain(r#""" ''"#), ["", ""]);
    }

    #[test]
    fn empty_quoted_word_is_a_word() {
        assert_eq!(words("''").unwrap().len(), 1);
    }

    #[test]
    fn braces_are_expressions_or_environment_variables() {
        assert_eq!(plain("x{a + 1}y"), ["x<a + 1>y"]);
        assert_eq!(plain(r#"{ f(&S { a: "}" }) }"#), [r#"< f(&S { a: "}" }) >"#]);
        assert_eq!(plain("${HOME}/x ${A:-data}/control"), ["<$HOME|>/x", "<$A|data>/control"]);
        assert_eq!(plain(r#""{a} ${B}""#), ["<a> <$B|>"]);
        assert_eq!(plain("'{a}' \\{b} $c"), ["{a}", "{b}", "$c"]);
    }

    #[test]
    fn semicolon_is_dropped_only_at_the_end() {
        assert_eq!(plain("a b;"), ["a", "b"]);
        assert_eq!(plain("a b ; "), ["a", "b"]);
        assert_eq!(plain("a;b ';'"), ["a;b", ";"]);
    }

    #[test]
    fn first_unclosed_quote_or_brace_is_an_error() {
        assert_eq!(words("a \"b c"), Err(Unclosed { open: '"', at: 2 }));
        assert_eq!(words("'b"), Err(Unclosed { open: '\'', at: 0 }));
        assert_eq!(words("x ${B"), Err(Unclosed { open: '{', at: 3 }));
        assert_eq!(words("{b"), Err(Unclosed { open: '{', at: 0 }));
    }

    #[test]
    fn flags_are_bare_words_with_a_dash() {
        let flag = |line: &str| {
            let word = words(line).unwrap().remove(0);
            word.as_flag().map(|(name, value)| (name.to_owned(), value.map(|value| value.len())))
        };
        assert_eq!(flag("--top"), Some(("--top".into(), None)));
        assert_eq!(flag("--top=5"), Some(("--top".into(), Some(1))));
        assert_eq!(flag("--top="), Some(("--top".into(), Some(1))));
        assert_eq!(flag("--csv=\"a b\".csv"), Some(("--csv".into(), Some(2))));
        assert_eq!(flag("-h"), Some(("-h".into(), None)));
        for no in ["'--top'", "-", "-5", "-.5", "top", "\\--top", "{x}"] {
            assert_eq!(flag(no), None, "{no}");
        }
    }
}

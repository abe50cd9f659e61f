//! The words of a magic line: quoting like a shell, without globs.
//!
//! * Blanks separate words; `'…'` is taken as it stands; in `"…"` and in bare text a `\` takes the next character
//!   as it stands (in `"…"` only `\"`, `\\`, `\{` and `\$`).
//! * `{expr}` and `${NAME}`, `${NAME:-default}` in bare or double-quoted text are kept as pieces of their own; what
//!   they mean is for the magic to say.
//! * A `;` at the end of the line is dropped, as in Rust.

use std::ops::Range;

/// A word and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// Its bytes in the line, quotes included.
    pub range: Range<usize>,
    /// What it is made of, in order.
    pub pieces: Vec<Piece>,
}

/// A piece of a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Text without its quotes and escapes.
    Text {
        /// The text.
        text: String,
        /// Whether it stood in quotes: then it is never a flag or a `~`.
        quoted: bool,
    },
    /// `{expr}`: a Rust expression.
    Expr(String),
    /// `${NAME}` or `${NAME:-default}`: a variable of the environment.
    Env {
        /// The variable.
        name: String,
        /// What stands for it if it is not set or empty.
        default: Option<String>,
    },
}

/// A quote or brace without its partner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unclosed {
    /// The opening character.
    pub open: char,
    /// Where it stands.
    pub at: usize,
}

/// The words of `line`.
///
/// # Errors
/// The first quote or brace that is not closed.
pub fn words(line: &str) -> Result<Vec<Word>, Unclosed> {
    let (words, unclosed) = lex(line);
    unclosed.map_or(Ok(words), Err)
}

/// The words of `line`, and what is not closed: the last word then reaches to the end of the line.
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
    /// `--name` or `--name=value` (or with one dash): the name with its dashes, and the value. A quoted word and a
    /// negative number are no flags.
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
    /// Where the blanks at the end of the line start.
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

    /// At the end of the line, or at the `;` that ends it.
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

    /// Takes a `{expr}` or `${NAME}` if one stands here.
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

/// Where the `}` stands that ends a Rust expression; braces and strings inside it are counted.
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
    fn quotes_hold_words_together_like_a_shell() {
        assert_eq!(plain(r#""a b" 'c d' e" "f'g"h'"#), ["a b", "c d", "e fg\"h"]);
        assert_eq!(plain(r#""a \"b\" \\ \n""#), [r#"a "b" \ \n"#]);
        assert_eq!(plain(r"a\ b \'c 'd\'"), ["a b", "'c", r"d\"]);
        assert_eq!(plain(r#""" ''"#), ["", ""]);
    }

    #[test]
    fn an_empty_quoted_word_is_a_word() {
        assert_eq!(words("''").unwrap().len(), 1);
    }

    #[test]
    fn braces_are_expressions_and_dollar_braces_the_environment() {
        assert_eq!(plain("x{a + 1}y"), ["x<a + 1>y"]);
        assert_eq!(plain(r#"{ f(&S { a: "}" }) }"#), [r#"< f(&S { a: "}" }) >"#]);
        assert_eq!(plain("${HOME}/x ${A:-data}/control"), ["<$HOME|>/x", "<$A|data>/control"]);
        assert_eq!(plain(r#""{a} ${B}""#), ["<a> <$B|>"]);
        assert_eq!(plain("'{a}' \\{b} $c"), ["{a}", "{b}", "$c"]);
    }

    #[test]
    fn a_semicolon_ends_the_line_only_at_its_end() {
        assert_eq!(plain("a b;"), ["a", "b"]);
        assert_eq!(plain("a b ; "), ["a", "b"]);
        assert_eq!(plain("a;b ';'"), ["a;b", ";"]);
    }

    #[test]
    fn what_is_not_closed_is_named() {
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

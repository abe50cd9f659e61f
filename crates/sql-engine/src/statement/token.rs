//! Tokens of a statement as SQLite reads them, with their places. Text of any kind has tokens: what is no SQL is refused later.

use super::names::KEYWORDS;
use std::ops::Range;

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// A keyword or a name.
    Word,
    /// A name in double quotes, backticks or brackets.
    Quoted,
    /// A text in single quotes.
    Text,
    /// A number.
    Number,
    /// One character of punctuation.
    Symbol,
}

/// A token of a statement. Blanks and comments are none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token<'s> {
    pub(super) kind: TokenKind,
    /// The token as written, quotes included.
    pub(super) text: &'s str,
    /// Its bytes in the statement.
    pub(super) range: Range<usize>,
    /// Of an opening parenthesis the token that closes it; the number of tokens if nothing does.
    pub(super) close: usize,
}

impl Token<'_> {
    /// Whether it is this word, whatever the case.
    pub(super) fn is(&self, word: &str) -> bool {
        self.kind == TokenKind::Word && self.text.eq_ignore_ascii_case(word)
    }

    /// Whether it is one of these words.
    pub(super) fn is_any(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.is(word))
    }

    /// Whether it is this punctuation.
    pub(super) fn is_symbol(&self, symbol: &str) -> bool {
        self.kind == TokenKind::Symbol && self.text == symbol
    }

    /// Whether it is a keyword of queries.
    pub(super) fn is_keyword(&self) -> bool {
        KEYWORDS.split_whitespace().any(|word| self.is(word))
    }

    /// Returns the name that it stands for; `None` if it is neither a word nor quoted as a name.
    pub(super) fn name(&self) -> Option<String> {
        match self.kind {
            TokenKind::Word => Some(self.text.to_owned()),
            TokenKind::Quoted => Some(unquoted(self.text)),
            _ => None,
        }
    }

    /// Whether it stands for this name, whatever the case.
    pub(super) fn is_name(&self, name: &str) -> bool {
        self.name().is_some_and(|found| found.eq_ignore_ascii_case(name))
    }

    /// Whether it ends a value: a name, a text, a number, a parenthesis.
    pub(super) fn ends_value(&self) -> bool {
        match self.kind {
            TokenKind::Word => !self.is_keyword() || self.is_any(&["END", "NULL"]),
            TokenKind::Symbol => self.text == ")",
            _ => true,
        }
    }
}

/// Returns what is between the quotes; a doubled quote is one.
fn unquoted(text: &str) -> String {
    let quote = if text.starts_with('[') { "]" } else { &text[..1] };
    let inner = text[1..].strip_suffix(quote).unwrap_or(&text[1..]);
    inner.replace(&quote.repeat(2), quote)
}

/// Returns the tokens of a statement. A quote or a comment that is not closed ends with the text.
pub(super) fn tokens(statement: &str) -> Vec<Token<'_>> {
    let mut found: Vec<Token<'_>> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    let mut at = 0;
    while let Some(first) = statement[at..].chars().next() {
        let rest = &statement[at..];
        let skipped = blank(rest);
        if skipped > 0 {
            at += skipped;
            continue;
        }
        let (kind, length) = match first {
            '\'' => (TokenKind::Text, quoted(rest, first)),
            '"' | '`' => (TokenKind::Quoted, quoted(rest, first)),
            '[' => (TokenKind::Quoted, rest.find(']').map_or(rest.len(), |end| end + 1)),
            first if is_word(first) && !first.is_ascii_digit() && first != '$' => (TokenKind::Word, run(rest, is_word)),
            first if first.is_ascii_digit() => (TokenKind::Number, number(rest)),
            first => (TokenKind::Symbol, first.len_utf8()),
        };
        match first {
            '(' => open.push(found.len()),
            ')' => open.pop().into_iter().for_each(|opening| found[opening].close = found.len()),
            _ => {}
        }
        found.push(Token { kind, text: &rest[..length], range: at..at + length, close: usize::MAX });
        at += length;
    }
    let count = found.len();
    found.iter_mut().for_each(|token| token.close = token.close.min(count));
    found
}

fn is_word(c: char) -> bool {
    c == '_' || c == '$' || c.is_ascii_alphanumeric() || !c.is_ascii()
}

/// Returns the length of the characters at the beginning that pass.
fn run(text: &str, passes: impl Fn(char) -> bool) -> usize {
    text.find(|c| !passes(c)).unwrap_or(text.len())
}

/// Returns the length of the blanks, or of the comment, at the beginning.
fn blank(text: &str) -> usize {
    if text.starts_with("--") {
        return text.find('\n').unwrap_or(text.len());
    }
    if let Some(comment) = text.strip_prefix("/*") {
        return comment.find("*/").map_or(text.len(), |end| end + 4);
    }
    run(text, |c| c.is_ascii_whitespace() || c == '\u{feff}')
}

/// Returns the length of a text in quotes at the beginning.
fn quoted(text: &str, quote: char) -> usize {
    let mut at = 1;
    while let Some(end) = text[at..].find(quote) {
        at += end + 1;
        if !text[at..].starts_with(quote) {
            return at;
        }
        at += 1;
    }
    text.len()
}

fn number(text: &str) -> usize {
    let length = run(text, |c| c == '.' || is_word(c));
    let has_exponent = text[..length].ends_with(['e', 'E']) && text[length..].starts_with(['+', '-']);
    if has_exponent { length + 1 + run(&text[length + 1..], is_word) } else { length }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(statement: &str) -> Vec<&str> {
        tokens(statement).into_iter().map(|token| token.text).collect()
    }

    #[test]
    fn words_numbers_and_quotes_are_tokens() {
        assert_eq!(
            texts("SELECT a.b, 'it''s', \"x y\", 1.5e-3 -- no\nFROM t /* a /* b */ ;"),
            ["SELECT", "a", ".", "b", ",", "'it''s'", ",", "\"x y\"", ",", "1.5e-3", "FROM", "t", ";"]
        );
        assert_eq!(texts("\u{feff}名前 é=`q`[x y]"), ["名前", "é", "=", "`q`", "[x y]"]);
        assert_eq!(texts("a$b 1_000 0x1F 2e+9-3 $1"), ["a$b", "1_000", "0x1F", "2e+9", "-", "3", "$", "1"]);
        let names: Vec<String> = tokens("\"x\"\"y\" z [a]").iter().filter_map(Token::name).collect();
        assert_eq!(names, ["x\"y", "z", "a"]);
    }

    #[test]
    fn unclosed_quotes_and_comments_end_with_the_text() {
        assert_eq!(texts("a 'b c"), ["a", "'b c"]);
        assert_eq!(texts("a /* b "), ["a"]);
        assert_eq!(texts("a --"), ["a"]);
        for (text, name) in [("\"", ""), ("[", ""), ("`é", "é"), ("[é", "é")] {
            assert_eq!(tokens(text)[0].name().as_deref(), Some(name));
        }
    }

    #[test]
    fn parentheses_know_what_closes_them() {
        let all = tokens("f(a, (b, c)) x) (");
        assert_eq!([all[1].close, all[4].close, all[12].close], [9, 8, all.len()]);
    }
}

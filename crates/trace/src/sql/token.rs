//! Tokens of a statement, with their places. Text of any kind has tokens: what is no SQL is refused later, by the parser.

use std::ops::Range;

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// A keyword or a name.
    Word,
    /// A name in double quotes or backticks.
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

    /// Returns the name that it stands for; `None` if it is no name.
    pub(super) fn name(&self) -> Option<String> {
        match self.kind {
            TokenKind::Word => Some(self.text.to_owned()),
            TokenKind::Quoted => Some(unquoted(self.text)),
            _ => None,
        }
    }

    /// Returns the text of a text in quotes.
    pub(super) fn literal(&self) -> Option<String> {
        (self.kind == TokenKind::Text).then(|| unquoted(self.text))
    }
}

/// Returns what is between the quotes; a doubled quote is one.
fn unquoted(text: &str) -> String {
    let Some(quote) = text.chars().next() else { return String::new() };
    let inner = &text[quote.len_utf8()..];
    inner.strip_suffix(quote).unwrap_or(inner).replace(&format!("{quote}{quote}"), &quote.to_string())
}

/// Returns the tokens of a statement. A quote or a comment that is not closed ends with the text.
pub(super) fn tokens(statement: &str) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(first) = statement[at..].chars().next() {
        let rest = &statement[at..];
        let skipped = blank(rest, first);
        if skipped > 0 {
            at += skipped;
            continue;
        }
        let (kind, length) = match first {
            '\'' => (TokenKind::Text, quoted(rest, first)),
            '"' | '`' => (TokenKind::Quoted, quoted(rest, first)),
            first if is_word_start(first) => (TokenKind::Word, run(rest, is_word)),
            first if first.is_ascii_digit() => (TokenKind::Number, number(rest)),
            first => (TokenKind::Symbol, first.len_utf8()),
        };
        found.push(Token { kind, text: &rest[..length], range: at..at + length });
        at += length;
    }
    found
}

fn is_word_start(c: char) -> bool {
    c == '_' || c.is_alphabetic()
}

fn is_word(c: char) -> bool {
    c == '_' || c == '$' || c.is_alphanumeric()
}

/// Returns the length of the characters at the beginning that pass.
fn run(text: &str, passes: impl Fn(char) -> bool) -> usize {
    text.find(|c| !passes(c)).unwrap_or(text.len())
}

/// Returns the length of the blanks, or of the comment, at the beginning.
fn blank(text: &str, first: char) -> usize {
    if first.is_whitespace() {
        return run(text, char::is_whitespace);
    }
    if text.starts_with("--") {
        return text.find('\n').unwrap_or(text.len());
    }
    if !text.starts_with("/*") {
        return 0;
    }
    let (mut depth, mut at) = (0_usize, 0);
    while at < text.len() {
        let rest = &text[at..];
        if rest.starts_with("/*") {
            (depth, at) = (depth + 1, at + 2);
        } else if rest.starts_with("*/") {
            (depth, at) = (depth - 1, at + 2);
            if depth == 0 {
                return at;
            }
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    text.len()
}

/// Returns the length of a text in quotes at the beginning.
fn quoted(text: &str, quote: char) -> usize {
    let width = quote.len_utf8();
    let mut at = width;
    while let Some(end) = text[at..].find(quote) {
        at += end + width;
        if !text[at..].starts_with(quote) {
            return at;
        }
        at += width;
    }
    text.len()
}

fn number(text: &str) -> usize {
    let mut length = run(text, |c| c.is_ascii_digit() || c == '.' || c == '_');
    let exponent = text[length..].strip_prefix(['e', 'E']).map(|rest| rest.strip_prefix(['+', '-']).unwrap_or(rest));
    if let Some(digits) = exponent.filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit())) {
        length = text.len() - digits.len() + run(digits, |c| c.is_ascii_digit());
    }
    length
}

/// Returns the token that closes the parenthesis at token `open`; the number of tokens if nothing does.
pub(super) fn closing(tokens: &[Token<'_>], open: usize) -> usize {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        if token.is_symbol("(") {
            depth += 1;
        } else if token.is_symbol(")") {
            depth = depth.saturating_sub(1);
            if depth == 0 {
                return at;
            }
        }
    }
    tokens.len()
}

/// Returns the parts of a list of tokens that commas outside of parentheses separate, as ranges of tokens.
pub(super) fn parts(tokens: &[Token<'_>], within: Range<usize>) -> Vec<Range<usize>> {
    let (mut found, mut depth, mut from) = (Vec::new(), 0_usize, within.start);
    for at in within.clone() {
        let token = &tokens[at];
        if token.is_symbol("(") || token.is_symbol("[") {
            depth += 1;
        } else if token.is_symbol(")") || token.is_symbol("]") {
            depth = depth.saturating_sub(1);
        } else if depth == 0 && token.is_symbol(",") {
            found.push(from..at);
            from = at + 1;
        }
    }
    if from < within.end {
        found.push(from..within.end);
    }
    found
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
            texts("SELECT a.b, 'it''s', \"x y\", 1.5e-3 -- no\nFROM t /* a /* b */ */ ;"),
            ["SELECT", "a", ".", "b", ",", "'it''s'", ",", "\"x y\"", ",", "1.5e-3", "FROM", "t", ";"]
        );
        assert_eq!(texts("名前 é=`q`"), ["名前", "é", "=", "`q`"]);
        let all = tokens("'it''s' \"x\"\"y\" z");
        assert_eq!(all[0].literal().as_deref(), Some("it's"));
        assert_eq!(all[1].name().as_deref(), Some("x\"y"));
        assert_eq!(all[2].name().as_deref(), Some("z"));
    }

    #[test]
    fn unclosed_quotes_and_comments_end_with_the_text() {
        assert_eq!(texts("a 'b c"), ["a", "'b c"]);
        assert_eq!(texts("a /* b /* c */"), ["a"]);
        assert_eq!(texts("a --"), ["a"]);
        assert_eq!(tokens("'").first().and_then(Token::literal).as_deref(), Some(""));
    }

    #[test]
    fn parts_and_closing_respect_nesting() {
        let all = tokens("f(a, (b, c), [d, e]) x");
        let close = closing(&all, 1);
        assert!(all[close].is_symbol(")") && all[close + 1].is("X"));
        let lists: Vec<usize> = parts(&all, 2..close).into_iter().map(|part| part.len()).collect();
        assert_eq!(lists, [1, 5, 5]);
        assert_eq!(closing(&tokens("(a"), 0), 2);
    }
}

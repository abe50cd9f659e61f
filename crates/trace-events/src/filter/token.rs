//! The tokens of an expression.

use crate::error::WhereReason;
use std::ops::Range;

/// Where and why a text is no expression.
pub(super) type Wrong = (Range<usize>, WhereReason);

/// A token: its word, and its bytes in the text.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Token {
    pub(super) word: Word,
    pub(super) at: Range<usize>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Word {
    /// A column, a keyword, a unit, a text without quotes.
    Name(String),
    /// A column in back quotes.
    Quoted(String),
    /// A number as written.
    Number(String),
    /// A text in quotes.
    Text(String),
    /// An operator, a bracket, a comma.
    Sign(&'static str),
    /// The end of the expression.
    End,
}

/// Operators and brackets, longer ones first.
const SIGNS: [&str; 19] =
    ["==", "!=", "<=", ">=", "!~", "&&", "||", "=", "<", ">", "~", "!", "&", "|", "(", ")", "[", "]", ","];

/// Splits a text into tokens, the last of which is [`Word::End`].
///
/// # Errors
/// Where and why a token is invalid.
pub(super) fn tokens(text: &str) -> Result<Vec<Token>, Wrong> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        }
        let (word, length) = match first {
            '"' | '\'' | '`' => {
                quoted(rest, first).ok_or_else(|| (at..at + 1, WhereReason::Syntax(format!("unclosed {first}"))))?
            }
            '-' => (Word::Sign("-"), 1),
            _ if first.is_ascii_digit() || (first == '.' && rest[1..].starts_with(|c: char| c.is_ascii_digit())) => {
                let length = number(rest);
                (Word::Number(rest[..length].replace('_', "")), length)
            }
            _ if is_name(first) => {
                let length = name(rest);
                (Word::Name(rest[..length].to_owned()), length)
            }
            _ => match SIGNS.into_iter().find(|sign| rest.starts_with(sign)) {
                Some(sign) => (Word::Sign(sign), sign.len()),
                None => {
                    return Err((at..at + first.len_utf8(), WhereReason::Syntax(format!("unexpected `{first}`"))));
                }
            },
        };
        tokens.push(Token { word, at: at..at + length });
        at += length;
    }
    tokens.push(Token { word: Word::End, at: at..at });
    Ok(tokens)
}

fn is_name(character: char) -> bool {
    character.is_alphabetic() || character == '_'
}

/// Returns the length of a name: letters, digits, `_`, and inner dots and `::`, so that `aten::mm` needs no quotes.
fn name(rest: &str) -> usize {
    let mut length = 0;
    loop {
        let here = &rest[length..];
        let Some(next) = here.chars().next() else { return length };
        let inside =
            |skip: usize| here[skip..].starts_with(is_name) || here[skip..].starts_with(|c: char| c.is_ascii_digit());
        if is_name(next) || next.is_ascii_digit() {
            length += next.len_utf8();
        } else if here.starts_with("::") && inside(2) {
            length += 2;
        } else if next == '.' && inside(1) {
            length += 1;
        } else {
            return length;
        }
    }
}

/// Returns the length of a number: digits and `_`, a point followed by digits, an exponent.
fn number(rest: &str) -> usize {
    let digits = |from: usize| {
        let part = &rest[from..];
        from + part.len() - part.trim_start_matches(|c: char| c.is_ascii_digit() || c == '_').len()
    };
    let mut end = digits(0);
    if rest[end..].starts_with('.') && rest[end + 1..].starts_with(|c: char| c.is_ascii_digit()) {
        end = digits(end + 1);
    }
    if let Some(exponent) = rest[end..].strip_prefix(['e', 'E']) {
        let unsigned = exponent.trim_start_matches(['+', '-']);
        if exponent.len() - unsigned.len() <= 1 && unsigned.starts_with(|c: char| c.is_ascii_digit()) {
            end = digits(rest.len() - unsigned.len());
        }
    }
    end
}

/// Reads a text up to the closing quote; a `\` is literal except before the quote. Also returns its length.
fn quoted(rest: &str, quote: char) -> Option<(Word, usize)> {
    let mut text = String::new();
    let mut at = 1;
    loop {
        let next = rest[at..].chars().next()?;
        at += next.len_utf8();
        if next == quote {
            let word = if quote == '`' { Word::Quoted(text) } else { Word::Text(text) };
            return Some((word, at));
        }
        if next == '\\' && rest[at..].starts_with(quote) {
            at += 1;
            text.push(quote);
        } else {
            text.push(next);
        }
    }
}

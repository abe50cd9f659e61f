//! Macros that write members into an `impl` and are called with named parts: `int_impl! { Self = i32, BITS = 32, … }`.

use ra_ap_rustc_lexer::{FrontmatterAllowed, TokenKind, tokenize};
use std::collections::BTreeMap;

/// What the first arm of a macro's rules says when it is called with these parts; `None` if it is no macro of that kind.
pub(super) fn expand(rules: &str, call: &str) -> Option<String> {
    let (pattern, rest) = bracketed(inside(rules)?)?;
    let (body, _) = bracketed(rest.trim_start().strip_prefix("=>")?)?;
    let parts = named(inside(call)?);
    // `Self = $SelfT:ty, …`
    let variables: BTreeMap<String, &String> = named(pattern)
        .into_iter()
        .filter_map(|(name, variable)| {
            let variable = variable.strip_prefix('$')?.split(':').next()?.to_owned();
            Some((variable, parts.iter().find(|(part, _)| *part == name).map(|(_, value)| value)?))
        })
        .collect();
    (!variables.is_empty()).then(|| substitute(body, &variables))
}

fn substitute(body: &str, variables: &BTreeMap<String, &String>) -> String {
    let mut text = String::new();
    let mut pieces = body.split('$');
    text.push_str(pieces.next().unwrap_or_default());
    for piece in pieces {
        let end = piece.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(piece.len());
        match variables.get(&piece[..end]) {
            Some(value) => text.push_str(value),
            None => text.push_str(&piece[..end]),
        }
        text.push_str(&piece[end..]);
    }
    text
}

/// The text without its outer brackets.
fn inside(text: &str) -> Option<&str> {
    text.trim().strip_prefix(['{', '('])?.strip_suffix(['}', ')'])
}

/// What stands in the first brackets, and what behind them. Brackets in texts and comments are none.
fn bracketed(text: &str) -> Option<(&str, &str)> {
    let (mut at, mut depth, mut open) = (0, 0_usize, None);
    for token in tokenize(text, FrontmatterAllowed::No) {
        let start = at;
        at += token.len as usize;
        match token.kind {
            TokenKind::OpenParen | TokenKind::OpenBrace => {
                depth += 1;
                open.get_or_insert(at);
            }
            TokenKind::CloseParen | TokenKind::CloseBrace => {
                depth = depth.saturating_sub(1);
                if let (Some(open), 0) = (open, depth) {
                    return Some((&text[open..start], &text[at..]));
                }
            }
            _ => {}
        }
    }
    None
}

/// The text without its comments.
fn uncommented(text: &str) -> String {
    let mut at = 0;
    let mut kept = String::new();
    for token in tokenize(text, FrontmatterAllowed::No) {
        let start = at;
        at += token.len as usize;
        if !matches!(token.kind, TokenKind::LineComment { .. } | TokenKind::BlockComment { .. }) {
            kept.push_str(&text[start..at]);
        }
    }
    kept
}

/// The `name = value` parts of a list.
fn named(list: &str) -> Vec<(String, String)> {
    let list = uncommented(list);
    let parts = list.split(',').filter_map(|part| {
        let (name, value) = part.split_once('=')?;
        Some((name.trim().to_owned(), value.trim().to_owned()))
    });
    parts.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn named_parts_are_put_in() {
        let rules = "{ (// What = this, is\n Self = $SelfT:ty, Other = $O:ident,) => { // a ) in a comment\n #[doc = \"(\"] pub fn f(self) -> $O { $x } fn g(a: $SelfT) {} }; }";
        let text = expand(rules, "{ Self = i32, Other = u32, BITS = 32 }").unwrap_or_default();
        assert!(text.contains("fn f(self) -> u32 { x }") && text.contains("fn g(a: i32)"), "{text}");
        assert_eq!(expand("{ ($x:expr) => { fn f() {} } }", "(1)"), None);
    }
}

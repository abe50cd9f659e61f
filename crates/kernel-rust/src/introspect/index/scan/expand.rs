//! Expansion of macros with named arguments inside an `impl`: `int_impl! { Self = i32, BITS = 32, … }`.

use ra_ap_rustc_lexer::{FrontmatterAllowed, TokenKind, tokenize};
use std::collections::BTreeMap;

/// Expands a call by the first arm of the macro's rules; `None` if the macro has another form.
pub(super) fn expand(rules: &str, call: &str) -> Option<String> {
    let (pattern, rest) = bracketed(inside(rules)?)?;
    let (body, _) = bracketed(rest.trim_start().strip_prefix("=>")?)?;
    let arguments = named(inside(call)?);
    // `Self = $SelfT:ty, …`
    let variables: BTreeMap<String, &String> = named(pattern)
        .into_iter()
        .filter_map(|(name, variable)| {
            let variable = variable.strip_prefix('$')?.split(':').next()?.to_owned();
            Some((variable, arguments.iter().find(|(argument, _)| *argument == name).map(|(_, value)| value)?))
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

/// Removes the outer brackets.
fn inside(text: &str) -> Option<&str> {
    text.trim().strip_prefix(['{', '('])?.strip_suffix(['}', ')'])
}

/// Returns the text inside the first brackets, and the text after them. Ignores brackets in strings and comments.
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

/// Removes comments.
fn uncommented(text: &str) -> String {
    let mut at = 0;
    let mut code = String::new();
    for token in tokenize(text, FrontmatterAllowed::No) {
        let start = at;
        at += token.len as usize;
        if !matches!(token.kind, TokenKind::LineComment { .. } | TokenKind::BlockComment { .. }) {
            code.push_str(&text[start..at]);
        }
    }
    code
}

/// Parses a list of `name = value`.
fn named(list: &str) -> Vec<(String, String)> {
    let list = uncommented(list);
    let pairs = list.split(',').filter_map(|pair| {
        let (name, value) = pair.split_once('=')?;
        Some((name.trim().to_owned(), value.trim().to_owned()))
    });
    pairs.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn named_arguments_are_substituted() {
        let rules = "{ (// What = this, is\n Self = $SelfT:ty, Other = $O:ident,) => { // a ) in a comment\n #[doc = \"(\"] pub fn f(self) -> $O { $x } fn g(a: $SelfT) {} }; }";
        let text = expand(rules, "{ Self = i32, Other = u32, BITS = 32 }").unwrap_or_default();
        assert!(text.contains("fn f(self) -> u32 { x }") && text.contains("fn g(a: i32)"), "{text}");
        assert_eq!(expand("{ ($x:expr) => { fn f() {} } }", "(1)"), None);
    }
}

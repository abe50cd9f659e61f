//! Names of columns, inside the quotes of what takes them.

use crate::session::View;
use ra_ap_rustc_lexer::{FrontmatterAllowed, LiteralKind, TokenKind, tokenize};
use std::collections::BTreeSet;
use trace::EVENT_COLUMNS;

/// Functions and methods whose texts are names of columns.
const TAKES: &[&str] = &[
    "by_name",
    "col",
    "cols",
    "column",
    "columns",
    "drop",
    "drop_in_place",
    "drop_many",
    "explode",
    "group_by",
    "group_by_stable",
    "join",
    "left_on",
    "on",
    "over",
    "partition_by",
    "partition_by_stable",
    "rename",
    "right_on",
    "select",
    "sort",
    "unique",
    "unique_stable",
    "with_row_index",
];

/// If a name of a column is being typed at the end of `before`: where it starts, and the names that fit; those of frames
/// that the cell `code` mentions first.
pub(super) fn at(before: &str, code: &str, view: &View) -> Option<(usize, Vec<String>)> {
    let mut tokens = Vec::new();
    let mut at = 0;
    for token in tokenize(before, FrontmatterAllowed::No) {
        tokens.push((token.kind, at));
        at += token.len as usize;
    }
    let (TokenKind::Literal { kind: LiteralKind::Str { terminated: false }, .. }, quote) = tokens.pop()? else {
        return None;
    };
    // Back over other names in a list to what takes them.
    let mut taker = None;
    while let Some((kind, at)) = tokens.pop() {
        match kind {
            TokenKind::Whitespace
            | TokenKind::Comma
            | TokenKind::And
            | TokenKind::Literal { kind: LiteralKind::Str { .. }, .. } => {}
            TokenKind::OpenBracket => {
                // `df["…`
                let indexed = matches!(tokens.last(), Some((TokenKind::Ident | TokenKind::CloseParen, _)));
                if indexed {
                    taker = Some("col");
                    break;
                }
            }
            TokenKind::OpenParen => {
                let (kind, name) = tokens.pop()?;
                taker = (kind == TokenKind::Ident).then(|| &before[name..at]);
                break;
            }
            TokenKind::Bang if !tokens.is_empty() => {}
            _ => return None,
        }
    }
    if !TAKES.contains(&taker?.trim()) {
        return None;
    }
    let start = quote + 1;
    let typed = &before[start..];
    let mut names: Vec<&str> = Vec::new();
    let mentioned = |name: &str| code.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name);
    for wanted in [true, false] {
        for (variable, columns) in view.columns.iter().filter(|(variable, _)| mentioned(variable) == wanted) {
            let _ = variable;
            names.extend(columns.iter().map(String::as_str));
        }
        if view.labels.iter().any(|label| mentioned(label)) == wanted && !view.labels.is_empty() {
            names.extend(EVENT_COLUMNS.iter().map(|column| column.name));
        }
    }
    let mut seen = BTreeSet::new();
    names.retain(|name| name.starts_with(typed) && seen.insert(*name));
    // In a text of Rust these would end it.
    names.retain(|name| !name.contains(['"', '\\']));
    Some((start, names.into_iter().map(str::to_owned).collect()))
}

//! Completion of column names inside quotes: `col("…")`, `df["…"]`, `select(["…"])`.

use super::infer::{Columns, FrameInference, FrameShape, Scope, Token, chain, tokens};
use crate::session::View;
use ra_ap_rustc_lexer::{LiteralKind, TokenKind};
use std::collections::BTreeSet;
use trace_core::columns::EVENT_COLUMNS;

/// Functions and methods whose string arguments are column names.
const TAKE_COLUMN_NAMES: &[&str] = &[
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

/// Types whose methods take column names.
const HAVE_COLUMNS: &[&str] = &[
    "Column",
    "DataFrame",
    "DynamicGroupOptions",
    "Expr",
    "GroupBy",
    "JoinBuilder",
    "LazyFrame",
    "LazyGroupBy",
    "OpsDiff",
    "Schema",
    "Selector",
    "Series",
    "Trace",
    "TraceSet",
];

/// A column name that is being typed.
pub(super) struct ColumnCompletion {
    /// Its start, in bytes.
    pub(super) start: usize,
    /// Names and data types of candidates, best first; not filtered by the text typed so far.
    pub(super) columns: Vec<(String, String)>,
}

/// Whether `before` ends inside a string.
pub(super) fn is_in_string(before: &str) -> bool {
    let last = tokens(before).pop();
    matches!(last, Some((TokenKind::Literal { kind: LiteralKind::Str { terminated: false }, .. }, ..)))
}

/// Returns the column name that is typed at the end of `before`, a prefix of the cell `code`; `None` elsewhere.
///
/// Candidates are the columns of the receiver's frame. If they are not all known, the columns of all frames follow, those of
/// frames that the cell mentions first.
pub(super) fn column_names_at(before: &str, code: &str, scope: &Scope<'_>, view: &View) -> Option<ColumnCompletion> {
    let mut tokens = tokens(before);
    let (TokenKind::Literal { kind: LiteralKind::Str { terminated: false }, .. }, quote, _) = tokens.pop()? else {
        return None;
    };
    tokens.retain(|(kind, ..)| {
        !matches!(kind, TokenKind::Whitespace | TokenKind::LineComment { .. } | TokenKind::BlockComment { .. })
    });
    let inference = FrameInference::new(scope, view);
    let enclosing_call = enclosing_call(&tokens)?;
    if let Some(name) = enclosing_call.name {
        if !TAKE_COLUMN_NAMES.contains(&&before[name.1..name.2]) {
            return None;
        }
        // `names.join("` of a list of strings
        if let Some(receiver) = receiver(&tokens, enclosing_call.open)
            && let Some(found) = scope.type_of(&before[receiver.0..receiver.1])
            && let Some(head) = known_head(scope, found.ty)
            && !HAVE_COLUMNS.contains(&head.as_str())
        {
            return None;
        }
    }
    let own = receiver_columns(&tokens, before, &inference);
    let mut columns = own.as_ref().map(|own| own.names.clone()).unwrap_or_default();
    if own.is_none_or(|own| !own.complete) {
        columns.extend(all_columns(code, view));
    }
    let mut seen = BTreeSet::new();
    // A quote or backslash would have to be escaped.
    columns.retain(|(name, _)| seen.insert(name.clone()) && !name.contains(['"', '\\']));
    Some(ColumnCompletion { start: quote + 1, columns })
}

/// Returns the head of a type inside `Result`, `Option` and smart pointers; `None` for a type parameter.
fn known_head(scope: &Scope<'_>, ty: super::index::Type) -> Option<String> {
    let mut ty = scope.index.expand_alias(ty);
    while matches!(ty.head.as_str(), "Result" | "Option" | "Box" | "Arc" | "Rc") {
        ty = scope.index.expand_alias(ty.args.into_iter().next()?);
    }
    // A type parameter of a signature can be any type.
    (ty.head.len() > 1 && ty.head != "Self").then_some(ty.head)
}

/// Call or index that has the string as an argument.
struct EnclosingCall {
    /// The token that opens the arguments.
    open: usize,
    /// The name of the function or method; `None` for an index.
    name: Option<Token>,
}

/// Finds the enclosing call or index, backwards over earlier strings of a list.
fn enclosing_call(tokens: &[Token]) -> Option<EnclosingCall> {
    let mut at = tokens.len();
    loop {
        at = at.checked_sub(1)?;
        match tokens[at].0 {
            TokenKind::Comma
            | TokenKind::And
            | TokenKind::Bang
            | TokenKind::Literal { kind: LiteralKind::Str { .. }, .. } => {}
            TokenKind::OpenBracket => match at.checked_sub(1).map(|before| tokens[before].0) {
                // `df["…`, but not `&mut ["…`
                Some(TokenKind::Ident | TokenKind::CloseParen | TokenKind::Question) => {
                    return Some(EnclosingCall { open: at, name: None });
                }
                // `vec!["…`
                Some(TokenKind::Bang) => at = at.checked_sub(2)?,
                _ => {}
            },
            TokenKind::OpenParen => {
                let name = tokens[at.checked_sub(1)?];
                return (name.0 == TokenKind::Ident).then_some(EnclosingCall { open: at, name: Some(name) });
            }
            _ => return None,
        }
    }
}

/// Returns the range of the receiver of the method call whose arguments token `open` opens.
fn receiver(tokens: &[Token], open: usize) -> Option<(usize, usize)> {
    let [before @ .., (TokenKind::Dot, ..), (TokenKind::Ident, ..)] = &tokens[..open] else { return None };
    chain(before)
}

/// Returns the columns of the frame whose method or index encloses the end of the tokens.
fn receiver_columns(tokens: &[Token], text: &str, inference: &FrameInference<'_>) -> Option<Columns> {
    // Open brackets, each with its commas.
    let mut open: Vec<(usize, Vec<usize>)> = Vec::new();
    for (at, (kind, ..)) in tokens.iter().enumerate() {
        match kind {
            TokenKind::OpenParen | TokenKind::OpenBracket | TokenKind::OpenBrace => open.push((at, Vec::new())),
            TokenKind::CloseParen | TokenKind::CloseBracket | TokenKind::CloseBrace => drop(open.pop()),
            TokenKind::Comma => open.iter_mut().last().into_iter().for_each(|(_, commas)| commas.push(at)),
            _ => {}
        }
    }
    for (bracket, commas) in open.iter().rev() {
        let found = match tokens[*bracket].0 {
            // A block starts new statements.
            TokenKind::OpenBrace => return None,
            TokenKind::OpenBracket => {
                let indexed = matches!(
                    bracket.checked_sub(1).map(|before| tokens[before].0),
                    Some(TokenKind::Ident | TokenKind::CloseParen | TokenKind::Question)
                );
                if indexed { chain(&tokens[..*bracket]) } else { None }
            }
            _ => receiver(tokens, *bracket),
        };
        let Some((from, to)) = found else { continue };
        let Some(shape) = inference.shape_of_text(&text[from..to]) else { continue };
        // The third argument of a join names columns of the first.
        let method = &text[tokens[bracket - 1].1..tokens[bracket - 1].2];
        if method.ends_with("join")
            && let [first, _, ..] = commas.as_slice()
        {
            let other = &text[tokens[*bracket].2..tokens[*first].1];
            return inference.shape_of_text(other).map(FrameShape::input_columns);
        }
        return Some(shape.input_columns());
    }
    None
}

/// Returns the columns of all frames and traces; those that the cell mentions come first.
fn all_columns(code: &str, view: &View) -> Vec<(String, String)> {
    let words: BTreeSet<&str> = code.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    let mut names = Vec::new();
    for wanted in [true, false] {
        for (_, schema) in view.frames.iter().filter(|(variable, _)| words.contains(variable.as_str()) == wanted) {
            names.extend(schema.columns.iter().cloned());
        }
        for (_, schema) in view.events.iter().filter(|(label, _)| words.contains(label.as_str()) == wanted) {
            names.extend(schema.columns.iter().cloned());
        }
    }
    if !view.labels.is_empty() {
        names.extend(EVENT_COLUMNS.iter().map(|column| (column.name.to_owned(), String::new())));
    }
    names
}

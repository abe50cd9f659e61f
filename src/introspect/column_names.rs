//! Names of columns, inside the quotes of what takes them.

use super::infer::Scope;
use super::infer::{Columns, Shapes};
use super::infer::{Token, chain, tokens};
use crate::session::View;
use ra_ap_rustc_lexer::{LiteralKind, TokenKind};
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

/// Types whose methods take names of columns.
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

/// The name of a column that is being typed.
pub(super) struct Typed {
    /// Where it starts.
    pub(super) start: usize,
    /// Names and types of the columns that could be meant, best first; whether they start as typed was not looked at.
    pub(super) columns: Vec<(String, String)>,
}

/// Whether a text is open at the end of `before`.
pub(super) fn is_open(before: &str) -> bool {
    let last = tokens(before).pop();
    matches!(last, Some((TokenKind::Literal { kind: LiteralKind::Str { terminated: false }, .. }, ..)))
}

/// If a name of a column is being typed at the end of `before`, a part of the cell `code`: where, and the columns of the
/// frame that the chain around it starts from. Where that is not known, those of frames that the cell mentions come first.
pub(super) fn at(before: &str, code: &str, scope: &Scope<'_>, view: &View) -> Option<Typed> {
    let mut tokens = tokens(before);
    let (TokenKind::Literal { kind: LiteralKind::Str { terminated: false }, .. }, quote, _) = tokens.pop()? else {
        return None;
    };
    tokens.retain(|(kind, ..)| {
        !matches!(kind, TokenKind::Whitespace | TokenKind::LineComment { .. } | TokenKind::BlockComment { .. })
    });
    let shapes = Shapes::new(scope, view);
    let taker = taker(&tokens)?;
    if let Some(name) = taker.name {
        if !TAKES.contains(&&before[name.1..name.2]) {
            return None;
        }
        // `names.join("`, of a list of texts
        if let Some(receiver) = receiver(&tokens, taker.open)
            && let Some(found) = scope.type_of(&before[receiver.0..receiver.1])
            && let Some(head) = known_head(scope, found.ty)
            && !HAVE_COLUMNS.contains(&head.as_str())
        {
            return None;
        }
    }
    let own = frame(&tokens, before, &shapes);
    let mut columns = own.as_ref().map(|own| own.names.clone()).unwrap_or_default();
    if own.is_none_or(|own| !own.complete) {
        columns.extend(others(code, view));
    }
    let mut seen = BTreeSet::new();
    // In a text of Rust these would end it.
    columns.retain(|(name, _)| seen.insert(name.clone()) && !name.contains(['"', '\\']));
    Some(Typed { start: quote + 1, columns })
}

/// The head of a type, without the results around it; `None` of one that says nothing.
fn known_head(scope: &Scope<'_>, ty: super::index::Type) -> Option<String> {
    let mut ty = scope.index.expanded(ty);
    while matches!(ty.head.as_str(), "Result" | "Option" | "Box" | "Arc" | "Rc") {
        ty = scope.index.expanded(ty.args.into_iter().next()?);
    }
    // A parameter of a signature stands for anything.
    (ty.head.len() > 1 && ty.head != "Self").then_some(ty.head)
}

/// What takes the text at the end of some tokens.
struct Taker {
    /// The token that opens its arguments.
    open: usize,
    /// The function or method; `None` of an index.
    name: Option<Token>,
}

/// Back over other names in a list to what takes them.
fn taker(tokens: &[Token]) -> Option<Taker> {
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
                    return Some(Taker { open: at, name: None });
                }
                // `vec!["…`
                Some(TokenKind::Bang) => at = at.checked_sub(2)?,
                _ => {}
            },
            TokenKind::OpenParen => {
                let name = tokens[at.checked_sub(1)?];
                return (name.0 == TokenKind::Ident).then_some(Taker { open: at, name: Some(name) });
            }
            _ => return None,
        }
    }
}

/// Where the receiver of the method call starts and ends whose arguments token `open` opens.
fn receiver(tokens: &[Token], open: usize) -> Option<(usize, usize)> {
    let [before @ .., (TokenKind::Dot, ..), (TokenKind::Ident, ..)] = &tokens[..open] else { return None };
    chain(before)
}

/// The columns of the frame whose method has the end of the tokens among its arguments, or that is indexed there.
fn frame(tokens: &[Token], text: &str, shapes: &Shapes<'_>) -> Option<Columns> {
    // Unclosed brackets, each with the commas that follow it.
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
            // A block is a new beginning.
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
        let Some(shape) = shapes.of_text(&text[from..to]) else { continue };
        // The third argument of a join names columns of the first.
        let method = &text[tokens[bracket - 1].1..tokens[bracket - 1].2];
        if method.ends_with("join")
            && let [first, _, ..] = commas.as_slice()
        {
            let other = &text[tokens[*bracket].2..tokens[*first].1];
            return shapes.of_text(other).map(super::infer::Shape::rows);
        }
        return Some(shape.rows());
    }
    None
}

/// The columns of all frames and traces; of those that the cell mentions first.
fn others(code: &str, view: &View) -> Vec<(String, String)> {
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

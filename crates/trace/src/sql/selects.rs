//! Parts of the SELECTs of a statement: what is selected, from which tables, grouped by what.

use super::token::{Token, closing, parts};
use std::ops::Range;

/// A SELECT, as ranges of tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Select {
    /// The selected items.
    pub(super) items: Vec<Range<usize>>,
    /// What follows FROM, up to the next clause; empty if there is no FROM.
    pub(super) from: Range<usize>,
    /// The condition of WHERE; empty if there is none.
    pub(super) condition: Range<usize>,
    /// The expressions of GROUP BY; `None` if there is none.
    pub(super) keys: Option<Vec<Range<usize>>>,
    /// The expressions of ORDER BY, with their directions.
    pub(super) order: Vec<Range<usize>>,
}

/// Words that begin a clause after FROM.
const CLAUSES: &[&str] = &[
    "WHERE",
    "GROUP",
    "HAVING",
    "ORDER",
    "LIMIT",
    "OFFSET",
    "QUALIFY",
    "WINDOW",
    "FETCH",
    "UNION",
    "EXCEPT",
    "INTERSECT",
];

/// Words that end a SELECT.
const SET_OPERATORS: &[&str] = &["UNION", "EXCEPT", "INTERSECT"];

/// Returns all SELECTs, those of subqueries included.
pub(super) fn selects(tokens: &[Token<'_>]) -> Vec<Select> {
    (0..tokens.len()).filter(|&at| tokens[at].is("SELECT")).map(|at| select(tokens, at + 1)).collect()
}

/// Returns the SELECT whose items begin at token `start`.
fn select(tokens: &[Token<'_>], start: usize) -> Select {
    let start = first_item(tokens, start);
    let end = end_of(tokens, start, |at| tokens[at].is_any(SET_OPERATORS) && !is_table_function(tokens, at));
    let is_from = |at: usize| tokens[at].is("FROM") && !(at > start && tokens[at - 1].is("DISTINCT"));
    let items_end = end_of(tokens, start, |at| is_from(at) || is_clause(tokens, at)).min(end);
    let has_from = items_end < end && tokens[items_end].is("FROM");
    let from_start = if has_from { items_end + 1 } else { items_end };
    let from_end = end_of(tokens, from_start, |at| is_clause(tokens, at)).min(end);
    let clause = |word: &str, skipped: usize| {
        let at = end_of(tokens, items_end, |at| tokens[at].is(word)).min(end);
        let start = (at + skipped).min(end);
        start..end_of(tokens, start, |at| is_clause(tokens, at)).clamp(start, end)
    };
    let by =
        |word: &str| Some(clause(word, 2)).filter(|range| range.start < range.end).map(|range| parts(tokens, range));
    Select {
        items: parts(tokens, start..items_end),
        from: from_start..from_end,
        condition: clause("WHERE", 1),
        keys: by("GROUP"),
        order: by("ORDER").unwrap_or_default(),
    }
}

/// Whether a clause begins at a token; `intersect (…)` after FROM, JOIN or a comma is a table function.
fn is_clause(tokens: &[Token<'_>], at: usize) -> bool {
    tokens[at].is_any(CLAUSES) && !is_table_function(tokens, at)
}

fn is_table_function(tokens: &[Token<'_>], at: usize) -> bool {
    tokens[at].is("INTERSECT")
        && at > 0
        && (tokens[at - 1].is_any(&["FROM", "JOIN"]) || tokens[at - 1].is_symbol(",") || tokens[at - 1].is_symbol("("))
}

/// Skips DISTINCT, ALL and `DISTINCT ON (…)`.
fn first_item(tokens: &[Token<'_>], start: usize) -> usize {
    let Some(first) = tokens.get(start).filter(|token| token.is_any(&["DISTINCT", "ALL"])) else { return start };
    let next = start + 1;
    if first.is("DISTINCT") && tokens.get(next).is_some_and(|token| token.is("ON")) {
        return (closing(tokens, next + 1) + 1).min(tokens.len());
    }
    next
}

/// Returns the first token from `start` on, outside of parentheses, at which `ends`; else the parenthesis that closes around, the
/// semicolon, or the number of tokens.
fn end_of(tokens: &[Token<'_>], start: usize, ends: impl Fn(usize) -> bool) -> usize {
    let mut at = start;
    while at < tokens.len() {
        if tokens[at].is_symbol("(") {
            at = closing(tokens, at) + 1;
            continue;
        }
        if tokens[at].is_symbol(")") || tokens[at].is_symbol(";") || ends(at) {
            return at;
        }
        at += 1;
    }
    tokens.len()
}

/// Returns the tokens at which a table is named, in all FROMs.
pub(super) fn table_places(tokens: &[Token<'_>]) -> Vec<usize> {
    let mut found = Vec::new();
    for select in selects(tokens) {
        let mut at = select.from.start;
        while at < select.from.end {
            let token = &tokens[at];
            if token.is_symbol("(") && tokens.get(at + 1).is_some_and(|next| next.is_any(&["SELECT", "WITH"])) {
                at = closing(tokens, at) + 1;
                continue;
            }
            let before = at.checked_sub(1).map(|before| &tokens[before]);
            let opens = before.is_some_and(|before| {
                before.is_any(&["FROM", "JOIN", "LATERAL"]) || before.is_symbol(",") || before.is_symbol("(")
            });
            if opens && token.name().is_some() && !token.is("LATERAL") {
                found.push(at);
                // What a table function takes is read with its call.
                if tokens.get(at + 1).is_some_and(|next| next.is_symbol("(")) {
                    at = closing(tokens, at + 1);
                }
            }
            at += 1;
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::super::token::tokens;
    use super::*;

    fn shape(statement: &str) -> Vec<(usize, String, Option<usize>)> {
        let all = tokens(statement);
        let text = |range: Range<usize>| all[range].iter().map(|token| token.text).collect::<Vec<_>>().join(" ");
        let found = selects(&all).into_iter();
        found.map(|select| (select.items.len(), text(select.from), select.keys.map(|keys| keys.len()))).collect()
    }

    #[test]
    fn items_tables_and_keys_are_found() {
        assert_eq!(
            shape("SELECT DISTINCT a, f(b, c) FROM t JOIN u ON t.x = u.x WHERE a GROUP BY a, 2 ORDER BY 1"),
            [(2, "t JOIN u ON t . x = u . x".to_owned(), Some(2))]
        );
        assert_eq!(
            shape("SELECT (SELECT max(x) FROM u GROUP BY y) FROM t UNION SELECT 1"),
            [(1, "t".to_owned(), None), (1, "u".to_owned(), Some(1)), (1, String::new(), None)]
        );
        assert_eq!(shape("SELECT a IS DISTINCT FROM b FROM t"), [(1, "t".to_owned(), None)]);
        assert_eq!(shape("SELECT FROM"), [(0, String::new(), None)]);
    }

    #[test]
    fn places_of_tables_are_found() {
        let names = |statement: &str| {
            let all = tokens(statement);
            table_places(&all).into_iter().map(|at| all[at].text.to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(names("SELECT a, b FROM t, u x JOIN (v) ON 1 WHERE a IN (SELECT b FROM w)"), ["t", "u", "v", "w"]);
        assert_eq!(names("SELECT * FROM intersect(a, (SELECT * FROM b)) i"), ["intersect", "b"]);
        assert_eq!(names("WITH c AS (SELECT * FROM gaps(7)) SELECT * FROM c"), ["gaps", "c"]);
        assert_eq!(names("SELECT gaps(7)"), [""; 0]);
    }
}

//! The tables that a statement names.

use super::token::{Token, tokens};
use std::ops::Range;

/// Words that end a FROM.
const CLAUSES: &[&str] = &[
    "SELECT",
    "WITH",
    "VALUES",
    "WHERE",
    "GROUP",
    "HAVING",
    "ORDER",
    "LIMIT",
    "OFFSET",
    "WINDOW",
    "UNION",
    "EXCEPT",
    "INTERSECT",
];

/// A table in a FROM.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NamedTable {
    /// The token of its name.
    pub(super) at: usize,
    /// Its name as it is written in FROM.
    pub(super) name: String,
    /// What other parts of the statement call it: its alias, or its name.
    pub(super) alias: String,
}

/// Returns the tokens at which a table is named, or could be: after FROM and JOIN, and after the commas between tables. The last may be
/// the number of tokens.
pub(super) fn table_positions(tokens: &[Token<'_>]) -> Vec<usize> {
    let mut found = Vec::new();
    // Whether a comma precedes a table; of the innermost parenthesis last.
    let mut in_from = vec![false];
    let mut is_next = false;
    for (at, token) in tokens.iter().enumerate() {
        if is_next && !token.is_symbol("(") && !token.is_any(&["SELECT", "WITH", "VALUES"]) {
            found.push(at);
        }
        let mut inside = in_from.pop().unwrap_or(false);
        if token.is_symbol("(") {
            in_from.extend([inside, is_next]);
            continue;
        }
        if token.is_symbol(")") {
            is_next = false;
            continue;
        }
        // IS DISTINCT FROM compares.
        let is_from = token.is("FROM") && !(at > 0 && tokens[at - 1].is("DISTINCT"));
        // Where a table is named, `intersect` is the table function.
        let ends = token.is_any(CLAUSES) && !(is_next && token.is("INTERSECT"));
        inside = (inside || is_from) && !ends;
        is_next = is_from || token.is("JOIN") || (inside && token.is_symbol(","));
        in_from.push(inside);
    }
    found.extend(is_next.then_some(tokens.len()));
    found
}

/// Returns the tables that a statement names in its FROMs.
pub(super) fn named_tables(tokens: &[Token<'_>]) -> Vec<NamedTable> {
    let named = |at: usize| {
        let token = tokens.get(at).filter(|token| !token.is_keyword())?;
        let name = token.name()?;
        let mut next = at + 1;
        if let Some(open) = tokens.get(next).filter(|token| token.is_symbol("(")) {
            next = open.close.saturating_add(1);
        }
        let alias = match tokens.get(next) {
            Some(token) if token.is("AS") => tokens.get(next + 1),
            token => token,
        };
        let alias = alias.filter(|token| !token.is_keyword()).and_then(Token::name);
        Some(NamedTable { at, alias: alias.unwrap_or_else(|| name.clone()), name })
    };
    table_positions(tokens).into_iter().filter_map(named).collect()
}

/// Returns the names of the tables of WITH.
pub(super) fn with_names(tokens: &[Token<'_>]) -> Vec<String> {
    let name_before_body = |at: usize| {
        let before = at.checked_sub(1).map(|before| &tokens[before])?;
        let is_first = before.is_any(&["WITH", "RECURSIVE"]) || before.is_symbol(",");
        let columns = tokens.get(at + 1).filter(|next| next.is_symbol("("));
        let next = columns.map_or(at + 1, |open| open.close.saturating_add(1));
        let body = tokens.get(next + 1).filter(|_| tokens[next].is("AS"))?;
        let is_body = body.is_symbol("(") || body.is_any(&["MATERIALIZED", "NOT"]);
        (is_first && is_body).then(|| tokens[at].name()).flatten()
    };
    (0..tokens.len()).filter_map(name_before_body).collect()
}

/// A call of a table function whose arguments are tables: `overlap(kernels)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableCall {
    /// The function, as the caller writes it.
    pub name: String,
    /// Its bytes in the statement, arguments included.
    pub range: Range<usize>,
    /// The bytes of its arguments: names, queries, calls.
    pub arguments: Vec<Range<usize>>,
    /// The bytes of the tables of WITH that are complete before the call; may be empty.
    pub with: Range<usize>,
}

/// Returns the calls of functions with these names outside of each other's arguments. A name alone is a call without arguments.
pub fn table_calls(statement: &str, names: &[&str]) -> Vec<TableCall> {
    let tokens = tokens(statement);
    let mut found: Vec<TableCall> = Vec::new();
    for at in table_positions(&tokens) {
        let Some(token) = tokens.get(at) else { continue };
        let Some(name) = names.iter().find(|name| token.is(name)) else { continue };
        if found.last().is_some_and(|call| call.range.contains(&token.range.start)) {
            continue;
        }
        let open = tokens.get(at + 1).filter(|next| next.is_symbol("("));
        let inside = open.map_or(0..0, |open| at + 2..open.close.max(at + 2));
        let end = open.and_then(|open| tokens.get(open.close)).unwrap_or(open.unwrap_or(token)).range.end;
        found.push(TableCall {
            name: (*name).to_owned(),
            range: token.range.start..if open.is_some_and(|open| open.close == tokens.len()) {
                statement.len()
            } else {
                end
            },
            arguments: split_at_commas(&tokens, inside),
            with: with_before(&tokens, token.range.start),
        });
    }
    found
}

/// Returns the bytes between the commas of some tokens, those within parentheses left alone.
fn split_at_commas(tokens: &[Token<'_>], inside: Range<usize>) -> Vec<Range<usize>> {
    let (mut found, mut at, mut start) = (Vec::new(), inside.start, inside.start);
    while start < inside.end {
        let ends = at >= inside.end || tokens[at].is_symbol(",");
        if ends {
            let last = at.min(inside.end) - 1;
            found.push(tokens[start].range.start..tokens[last.max(start)].range.end);
            start = at + 1;
            at = start;
        } else {
            at = if tokens[at].is_symbol("(") { tokens[at].close.saturating_add(1) } else { at + 1 };
        }
    }
    found
}

/// Returns the bytes of the `WITH …` before a byte of a statement, of all tables that are complete there.
fn with_before(tokens: &[Token<'_>], at: usize) -> Range<usize> {
    let Some(first) = tokens.first().filter(|first| first.is("WITH")) else { return 0..0 };
    let is_body = |index: &usize| {
        let before = &tokens[index.saturating_sub(1)];
        tokens[*index].is_symbol("(") && before.is_any(&["AS", "MATERIALIZED"])
    };
    let (mut end, mut next) = (None, 1);
    while let Some(body) = (next..tokens.len()).find(is_body) {
        let close = tokens[body].close;
        let Some(closed) = tokens.get(close).filter(|closed| closed.range.end <= at) else { break };
        end = Some(closed.range.end);
        if !tokens.get(close + 1).is_some_and(|token| token.is_symbol(",")) {
            break;
        }
        next = close + 2;
    }
    end.map_or(0..0, |end| first.range.start..end)
}

/// Returns the names that a statement may use as tables, those in the arguments of table functions included.
pub fn tables_named(statement: &str) -> Vec<String> {
    let tokens = tokens(statement);
    let mut positions = table_positions(&tokens);
    // Arguments of table functions: a name after a parenthesis or a comma.
    positions.extend((1..tokens.len()).filter(|&at| tokens[at - 1].is_symbol("(") || tokens[at - 1].is_symbol(",")));
    let mut names: Vec<String> = positions.into_iter().filter_map(|at| tokens.get(at)?.name()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(statement: &str) -> Vec<(String, String)> {
        named_tables(&tokens(statement)).into_iter().map(|table| (table.name, table.alias)).collect()
    }

    fn pairs(names: &[(&str, &str)]) -> Vec<(String, String)> {
        names.iter().map(|(name, alias)| ((*name).to_owned(), (*alias).to_owned())).collect()
    }

    #[test]
    fn tables_are_found_with_their_aliases() {
        for (statement, expected) in [
            (
                "SELECT a, b FROM t, u x JOIN (v) ON 1 WHERE a IN (SELECT b FROM \"w\" AS y, z)",
                &[("t", "t"), ("u", "x"), ("v", "v"), ("w", "y"), ("z", "z")] as &[_],
            ),
            ("SELECT * FROM gaps(7, 8) g LEFT JOIN e USING (a, b), f", &[("gaps", "g"), ("e", "e"), ("f", "f")]),
            ("WITH c AS (SELECT * FROM gaps(7)) SELECT * FROM c", &[("gaps", "gaps"), ("c", "c")]),
            ("SELECT a IS NOT DISTINCT FROM b, c FROM t ORDER BY a, b", &[("t", "t")]),
            ("SELECT gaps(7), (SELECT 1 FROM a), b FROM (SELECT 1, 2) s, d", &[("a", "a"), ("d", "d")]),
            ("SELECT 1 FROM a UNION SELECT b, c FROM d WHERE x IN (1, 2), e", &[("a", "a"), ("d", "d")]),
            ("SELECT gaps(7) FROM ) , x", &[]),
        ] {
            assert_eq!(named(statement), pairs(expected), "{statement}");
        }
    }

    #[test]
    fn names_of_with_are_found() {
        let names = |statement: &str| with_names(&tokens(statement));
        assert_eq!(
            names("WITH RECURSIVE a AS (SELECT 1), b(x, y) AS NOT MATERIALIZED (SELECT 2) SELECT c AS d"),
            ["a", "b"]
        );
        assert_eq!(names("WITH a(b"), [""; 0]);
    }

    #[test]
    fn names_that_may_be_tables_are_found() {
        assert_eq!(tables_named("SELECT x FROM overlap(a) JOIN \"b c\" ON 1"), ["a", "b c", "overlap"]);
    }

    #[test]
    fn calls_with_tables_are_found() {
        let shape = |statement: &str| {
            let calls = table_calls(statement, &["intersect", "overlap"]).into_iter();
            let text = |range: &Range<usize>| statement[range.clone()].to_owned();
            let of = |call: TableCall| (text(&call.range), call.arguments.iter().map(text).collect(), text(&call.with));
            calls.map(of).collect::<Vec<(String, Vec<String>, String)>>()
        };
        let found = |call: &str, arguments: &[&str], with: &str| {
            (call.to_owned(), arguments.iter().map(|&argument| argument.to_owned()).collect(), with.to_owned())
        };
        assert_eq!(
            shape("WITH a AS (SELECT 1), b(x) AS (SELECT 2) SELECT * FROM intersect(a, (SELECT 1, 2) ) i, Overlap"),
            [
                found(
                    "intersect(a, (SELECT 1, 2) )",
                    &["a", "(SELECT 1, 2)"],
                    "WITH a AS (SELECT 1), b(x) AS (SELECT 2)"
                ),
                found("Overlap", &[], "WITH a AS (SELECT 1), b(x) AS (SELECT 2)"),
            ]
        );
        assert_eq!(
            shape("WITH a AS (SELECT * FROM overlap(t)) SELECT a FROM a INTERSECT (SELECT b FROM c)"),
            [found("overlap(t)", &["t"], "")]
        );
        assert_eq!(
            shape("SELECT * FROM intersect(overlap(a), b)"),
            [found("intersect(overlap(a), b)", &["overlap(a)", "b"], "")]
        );
        assert_eq!(shape("SELECT overlap(a) FROM b JOIN overlap() o"), [found("overlap()", &[], "")]);
        for broken in
            ["FROM overlap(", "FROM overlap(,", "FROM intersect(a,,(", "FROM overlap(()", "WITH ( FROM overlap"]
        {
            shape(broken);
        }
    }
}

//! The tables that a statement names.

use super::token::{Token, tokens};

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
pub(super) fn table_places(tokens: &[Token<'_>]) -> Vec<usize> {
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
        inside = (inside || is_from) && !token.is_any(CLAUSES);
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
    table_places(tokens).into_iter().filter_map(named).collect()
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

/// Returns the names that a statement may use as tables, those in the arguments of table functions included.
pub fn tables_named(statement: &str) -> Vec<String> {
    let tokens = tokens(statement);
    let mut places = table_places(&tokens);
    // Arguments of table functions: a name after a parenthesis or a comma.
    places.extend((1..tokens.len()).filter(|&at| tokens[at - 1].is_symbol("(") || tokens[at - 1].is_symbol(",")));
    let mut names: Vec<String> = places.into_iter().filter_map(|at| tokens.get(at)?.name()).collect();
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
}

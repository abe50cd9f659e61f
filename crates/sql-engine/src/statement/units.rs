//! Columns of an answer that add up values of other columns, so that they have the same unit.

use super::grouping::{level, split};
use super::token::{Token, TokenKind, tokens};
use std::ops::Range;

/// Functions whose results have the unit of their arguments.
const KEEPS_UNIT: &str = "abs any_value arg_max arg_min avg cast ceil coalesce first first_value floor greatest iif ifnull lag last \
    last_value lead least max max_by median min min_by nth_value nullif quantile_cont quantile_disc round stddev stddev_pop stddev_samp \
    sum total";

/// Words that end what is selected.
const ENDS: &[&str] = &["FROM", "WHERE", "GROUP", "HAVING", "ORDER", "LIMIT", "WINDOW", "UNION", "EXCEPT", "INTERSECT"];

/// A selected sum, difference or aggregate of columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CombinedColumn {
    /// Its place in the answer, if this has as many columns as items are selected.
    pub(crate) column: usize,
    /// The number of selected items.
    pub(crate) items: usize,
    /// For each column in it, the statement with that column in its place.
    pub(crate) statements: Vec<String>,
}

/// Returns the combined columns of a statement.
pub(crate) fn combined_columns(statement: &str) -> Vec<CombinedColumn> {
    let all = tokens(statement);
    let items = selected(&all);
    let count = items.len();
    let combined = items.into_iter().enumerate().filter_map(|(column, item)| {
        let expression = without_alias(&all, item);
        let bytes = all[expression.start].range.start..all[expression.end - 1].range.end;
        let operands = operands(&all, expression)?;
        let with = |operand: Range<usize>| {
            format!("{}{}{}", &statement[..bytes.start], &statement[operand], &statement[bytes.end..])
        };
        Some(CombinedColumn { column, items: count, statements: operands.into_iter().map(with).collect() })
    });
    combined.collect()
}

/// Returns what the first SELECT selects, as ranges of tokens.
fn selected(tokens: &[Token<'_>]) -> Vec<Range<usize>> {
    let next = |at: usize| if tokens[at].is_symbol("(") { tokens[at].close.saturating_add(1) } else { at + 1 };
    let mut at = 0;
    while at < tokens.len() && !tokens[at].is("SELECT") {
        at = next(at);
    }
    at += 1;
    if tokens.get(at).is_some_and(|token| token.is_any(&["DISTINCT", "ALL"])) {
        at += 1;
    }
    // IS DISTINCT FROM compares.
    let ends =
        |&index: &usize| tokens[index].is_any(ENDS) && !(tokens[index].is("FROM") && tokens[index - 1].is("DISTINCT"));
    let last = level(tokens, at).take_while(|index| !ends(index)).last();
    let end = last
        .map_or(at, |last| if tokens[last].is_symbol("(") { tokens[last].close.saturating_add(1) } else { last + 1 });
    let items = split(tokens, at..end.min(tokens.len()));
    items.into_iter().filter(|item| !item.is_empty()).collect()
}

/// Returns an item without `AS name`, or the name behind a value.
fn without_alias(tokens: &[Token<'_>], item: Range<usize>) -> Range<usize> {
    let last = item.end - 1;
    if last <= item.start || tokens[last].name().is_none() {
        return item;
    }
    if tokens[last - 1].is("AS") && last - 1 > item.start {
        return item.start..last - 1;
    }
    if tokens[last - 1].ends_value() && !tokens[last].is_keyword() { item.start..last } else { item }
}

/// Returns the bytes of the columns of an expression, if it adds and aggregates columns and does nothing else.
fn operands(tokens: &[Token<'_>], expression: Range<usize>) -> Option<Vec<Range<usize>>> {
    let mut found = Vec::new();
    let mut at = expression.start;
    while at < expression.end {
        let token = &tokens[at];
        let next = tokens.get(at + 1);
        let calls = next.is_some_and(|next| next.is_symbol("("));
        match token.kind {
            TokenKind::Word if token.is_any(&["FILTER", "OVER"]) => {
                // A window without parentheses has a name.
                at = next.filter(|_| calls).map_or(at + 1, |open| open.close);
            }
            // The type of a CAST.
            TokenKind::Word if token.is("AS") => at += 1,
            TokenKind::Word if token.is("DISTINCT") => {}
            TokenKind::Word if calls && KEEPS_UNIT.split(' ').any(|name| token.is(name)) => {}
            TokenKind::Word if calls || token.is_keyword() => return None,
            TokenKind::Word | TokenKind::Quoted => {
                let mut last = at;
                while last + 2 < expression.end && tokens[last + 1].is_symbol(".") && tokens[last + 2].name().is_some()
                {
                    last += 2;
                }
                found.push(token.range.start..tokens[last].range.end);
                at = last;
            }
            TokenKind::Number => {}
            TokenKind::Symbol if ["(", ")", ",", "+", "-"].contains(&token.text) => {}
            TokenKind::Symbol | TokenKind::Text => return None,
        }
        at += 1;
    }
    let is_column = expression.len() == 1;
    (!found.is_empty() && !is_column).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operands_of_sums_and_aggregates_take_their_place() {
        let first = |statement: &str| {
            let mut found = combined_columns(statement);
            (found.len() == 1).then(|| found.remove(0).statements)
        };
        for (statement, expected) in [
            (
                "SELECT name, SUM(dur) AS total FROM k GROUP BY 1",
                &["SELECT name, dur AS total FROM k GROUP BY 1"] as &[_],
            ),
            ("SELECT e.end_ts - e.ts took FROM e", &["SELECT e.end_ts took FROM e", "SELECT e.ts took FROM e"]),
            (
                "WITH a AS (SELECT 1) SELECT DISTINCT MAX(\"a b\") FILTER (WHERE x = 1) OVER (ORDER BY t) FROM a",
                &["WITH a AS (SELECT 1) SELECT DISTINCT \"a b\" FROM a"],
            ),
            ("SELECT CAST(AVG(dur) AS INTEGER) FROM k", &["SELECT dur FROM k"]),
            (
                "SELECT SUM(dur) OVER w FROM k WINDOW w AS (ORDER BY ts)",
                &["SELECT dur FROM k WINDOW w AS (ORDER BY ts)"],
            ),
        ] {
            assert_eq!(
                first(statement).as_deref(),
                Some(expected.iter().map(|&text| text.to_owned()).collect::<Vec<_>>().as_slice()),
                "{statement}"
            );
        }
        for statement in [
            "SELECT dur FROM k",
            "SELECT dur / 1000 FROM k",
            "SELECT COUNT(dur), RANK() OVER (ORDER BY dur), LENGTH(name) FROM k",
            "SELECT (SELECT MAX(dur) FROM k)",
            "SELECT dur IS DISTINCT FROM ts FROM k",
            "SELECT SUM(",
            "SELECT",
            "WITH a AS (",
            "SELECT , FROM",
        ] {
            assert_eq!(combined_columns(statement), [], "{statement}");
        }
    }
}

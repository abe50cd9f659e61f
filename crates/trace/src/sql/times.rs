//! Columns of a statement that have the name of a time, and whether they are one.

use super::grouping::alias;
use super::selects::selects;
use super::token::{Token, TokenKind, tokens};
use crate::frame::columns::known;
use polars::prelude::DataFrame;
use std::collections::BTreeSet;
use std::ops::Range;
use trace_view::Unit;

/// Functions of times that return a time.
const OF_TIMES: &[&str] = &[
    "abs",
    "avg",
    "cast",
    "ceil",
    "coalesce",
    "first",
    "first_value",
    "floor",
    "greatest",
    "lag",
    "last",
    "last_value",
    "lead",
    "least",
    "max",
    "median",
    "min",
    "nullif",
    "over",
    "quantile_cont",
    "quantile_disc",
    "round",
    "stddev",
    "sum",
    "total",
];

/// Returns the columns of the `rows` of a statement that are times in ns: those with the name of a time, unless the statement gives that name
/// to something else, as in `dur / 1000 AS dur`.
///
/// # Example
/// ```
/// let rows = trace::polars::df!("dur" => [1.5], "ts" => [7_i64]).map_err(trace::Error::from)?;
/// assert_eq!(trace::sql_times("SELECT AVG(dur) AS dur, MIN(ts) AS ts FROM events", &rows), ["dur", "ts"]);
/// assert_eq!(trace::sql_times("SELECT dur / 1000.0 AS dur, ts FROM events", &rows), ["ts"]);
/// # Ok::<(), trace::Error>(())
/// ```
pub fn sql_times(statement: &str, rows: &DataFrame) -> Vec<String> {
    let all = tokens(statement);
    let (mut times, mut others) = (BTreeSet::new(), BTreeSet::new());
    for item in selects(&all).into_iter().flat_map(|select| select.items) {
        let Some(at) = alias(&all, &item) else { continue };
        let Some(name) = all[at].name().filter(|name| is_name_of_time(name)) else { continue };
        if is_time(&all, item.start..at) {
            times.insert(name)
        } else {
            others.insert(name)
        };
    }
    let is_time = |name: &str, is_integer: bool| {
        is_name_of_time(name) && !others.contains(name) && (is_integer || times.contains(name))
    };
    let columns = rows.columns().iter().filter(|column| is_time(column.name(), column.dtype().is_integer()));
    columns.map(|column| column.name().to_string()).collect()
}

fn is_name_of_time(name: &str) -> bool {
    known(name).is_some_and(|column| column.unit == Unit::Nanos)
}

/// Tells whether an expression is a time if its columns are: sums, differences and aggregates of times, but no products.
fn is_time(tokens: &[Token<'_>], expression: Range<usize>) -> bool {
    let mut has_time = false;
    for at in expression {
        let token = &tokens[at];
        let calls = tokens.get(at + 1).is_some_and(|next| next.is_symbol("("));
        match token.kind {
            TokenKind::Symbol if !["(", ")", ",", ".", "+", "-", ":"].contains(&token.text) => return false,
            TokenKind::Word if calls && !token.is_any(OF_TIMES) => return false,
            TokenKind::Word | TokenKind::Quoted => has_time |= token.name().is_some_and(|name| is_name_of_time(&name)),
            _ => {}
        }
    }
    has_time
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::sql_times;
    use polars::df;

    #[test]
    fn what_is_computed_under_the_name_of_a_time_is_none() {
        let ints = df!("dur" => [1_i64], "name" => ["a"]).unwrap();
        for statement in [
            "SELECT dur FROM events",
            "SELECT * FROM events",
            "SELECT end_ts - ts AS dur FROM events",
            "SELECT SUM(dur) dur FROM events",
            "SELECT SUM(e.dur) OVER (PARTITION BY name ORDER BY ts) AS dur FROM events e",
            "SELECT CAST(dur AS BIGINT) AS dur FROM events",
        ] {
            assert_eq!(sql_times(statement, &ints), ["dur"], "{statement}");
        }
        for statement in [
            "SELECT dur / 1000 AS dur FROM events",
            "SELECT COUNT(*) AS dur FROM events",
            "SELECT COUNT(dur) dur FROM events",
            "SELECT RANK() OVER (ORDER BY dur) AS dur FROM events",
            "SELECT dur FROM (SELECT dur / 1000 AS dur FROM events) x",
            "WITH a AS (SELECT bytes AS dur FROM events) SELECT SUM(dur) AS dur FROM a",
            "SELECT 7 AS dur",
        ] {
            assert_eq!(sql_times(statement, &ints), [""; 0], "{statement}");
        }
        // The mean of a time is a fraction; a fraction that the frame itself holds has no known unit.
        let means = df!("dur" => [1.5]).unwrap();
        assert_eq!(sql_times("SELECT AVG(dur) AS dur FROM events", &means), ["dur"]);
        assert_eq!(sql_times("SELECT dur FROM mine", &means), [""; 0]);
    }
}

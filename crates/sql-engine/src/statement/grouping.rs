//! Columns beside an aggregate without GROUP BY: SQLite would take their values from any row.

use super::token::{Token, TokenKind};

/// Functions that reduce the rows of a group to one value. MIN and MAX are others: SQLite takes columns beside one of them from its row.
const AGGREGATES: &str = "any_value arg_max arg_min avg bit_and bit_or bit_xor bool_and bool_or corr count count_if covar_pop \
    covar_samp first group_concat json_group_array json_group_object last max_by median min_by quantile_cont quantile_disc \
    stddev stddev_pop stddev_samp string_agg sum total var_pop var_samp variance";

const EXTREMES: &[&str] = &["MIN", "MAX"];

/// Words that end what is selected, with these.
const ENDS: &[&str] = &["FROM", "WHERE", "GROUP", "HAVING", "ORDER", "LIMIT", "WINDOW"];
const SET_OPERATORS: &[&str] = &["UNION", "EXCEPT", "INTERSECT", "SELECT"];

/// Returns the tokens of the columns beside the aggregates of the first SELECT without GROUP BY that has both.
pub(super) fn columns_beside_aggregate(tokens: &[Token<'_>]) -> Option<Vec<usize>> {
    let starts = (0..tokens.len()).filter(|&at| tokens[at].is("SELECT") && names_its_own_columns(tokens, at));
    starts.map(|at| Selected::of(tokens, at + 1)).find_map(|selected| {
        let is_mixed = selected.aggregates + selected.extremes > 0 && selected.extremes != 1;
        let mut behind = level(tokens, selected.end).take_while(|token| !token.is_any(SET_OPERATORS));
        (is_mixed && !selected.columns.is_empty() && !behind.any(|token| token.is("GROUP"))).then_some(selected.columns)
    })
}

/// Whether a token is the name of an aggregate.
pub(super) fn is_aggregate(token: &Token<'_>) -> bool {
    token.is_any(EXTREMES) || AGGREGATES.split_whitespace().any(|name| token.is(name))
}

/// Returns the name at a token as it is written: `e.dur`.
pub(super) fn written(tokens: &[Token<'_>], at: usize) -> String {
    tokens[at..after_name(tokens, at)].iter().map(|token| token.text).collect()
}

/// Whether a SELECT is the statement, a part of a UNION, or a table: within an expression, its columns may be those of the query around it.
fn names_its_own_columns(tokens: &[Token<'_>], at: usize) -> bool {
    let before = |back: usize| at.checked_sub(back).map(|before| &tokens[before]);
    let is_table = || before(2).is_some_and(|token| token.is_any(&["FROM", "JOIN", "AS", "MATERIALIZED"]));
    before(1).is_none_or(|token| {
        token.is("ALL") || token.is_any(SET_OPERATORS) || token.is_symbol(")") || (token.is_symbol("(") && is_table())
    })
}

/// What a SELECT selects.
#[derive(Default)]
struct Selected {
    /// Columns outside of aggregates and subqueries.
    columns: Vec<usize>,
    aggregates: usize,
    /// How many of MIN and MAX.
    extremes: usize,
    /// The token behind it.
    end: usize,
}

impl Selected {
    fn of(tokens: &[Token<'_>], start: usize) -> Self {
        let (mut found, mut at, mut depth) = (Self::default(), start, 0_usize);
        while let Some(token) = tokens.get(at) {
            let before = &tokens[at - 1];
            let next = tokens.get(at + 1);
            if depth == 0
                && (token.is_symbol(")")
                    || token.is_any(SET_OPERATORS)
                    || (token.is_any(ENDS) && !before.is("DISTINCT")))
            {
                break;
            }
            if token.is_symbol("(") && next.is_some_and(|next| next.is_any(&["SELECT", "WITH"])) {
                at = token.close + 1;
                continue;
            }
            if let Some(open) = next.filter(|next| next.is_symbol("("))
                && let Some((after, is_windowed)) = after_aggregate(tokens, at, open.close)
            {
                let is_extreme = token.is_any(EXTREMES);
                found.extremes += usize::from(is_extreme && !is_windowed);
                found.aggregates += usize::from(!is_extreme && !is_windowed);
                at = after;
                continue;
            }
            depth = (depth + usize::from(token.is_symbol("("))).saturating_sub(usize::from(token.is_symbol(")")));
            let is_name = token.name().is_some() && !token.is_keyword();
            let is_operand = !before.ends_value() && !before.is_any(&["AS", "COLLATE"]);
            let is_prefix = next.is_some_and(|next| next.is_symbol("(") || next.kind == TokenKind::Text);
            let is_all =
                token.is_symbol("*") && (at == start || before.is_symbol(",") || before.is_any(&["DISTINCT", "ALL"]));
            if is_all || (is_name && is_operand && !is_prefix) {
                found.columns.push(at);
            }
            at = after_name(tokens, at);
        }
        found.end = at;
        found
    }
}

/// Returns the token behind a name with its points; behind any other token, the next one.
fn after_name(tokens: &[Token<'_>], at: usize) -> usize {
    let mut after = at + 1;
    while after + 1 < tokens.len() && tokens[at].name().is_some() && tokens[after].is_symbol(".") {
        after += 2;
    }
    after
}

/// Returns the token behind an aggregate or a function with OVER, and whether it has OVER; `None` for other calls.
fn after_aggregate(tokens: &[Token<'_>], at: usize, close: usize) -> Option<(usize, bool)> {
    let behind = |at: usize| match tokens.get(at + 1) {
        Some(open) if open.is_symbol("(") => open.close + 1,
        _ => at + 2,
    };
    let is_filtered = tokens.get(close + 1).is_some_and(|token| token.is("FILTER"));
    let after = if is_filtered { behind(close + 1) } else { close + 1 };
    if tokens.get(after).is_some_and(|token| token.is("OVER")) {
        return Some((behind(after), true));
    }
    // MIN and MAX of several values are no aggregates.
    let has_several = || level(tokens, at + 2).any(|token| token.is_symbol(","));
    (is_aggregate(&tokens[at]) && !(tokens[at].is_any(EXTREMES) && has_several())).then_some((after, false))
}

/// Returns the tokens from one to the end of the parenthesis that it is in, without parentheses within.
fn level<'t, 's>(tokens: &'t [Token<'s>], from: usize) -> impl Iterator<Item = &'t Token<'s>> {
    let next = |at: &usize| tokens.get(*at).map(|token| if token.is_symbol("(") { token.close + 1 } else { at + 1 });
    std::iter::successors(Some(from), next).map_while(|at| tokens.get(at)).take_while(|token| !token.is_symbol(")"))
}

#[cfg(test)]
mod tests {
    use super::super::token::tokens;
    use super::*;

    fn found(statement: &str) -> Vec<String> {
        let all = tokens(statement);
        let columns = columns_beside_aggregate(&all).unwrap_or_default();
        columns.into_iter().map(|at| written(&all, at)).collect()
    }

    #[test]
    fn columns_beside_aggregates_are_found() {
        for (statement, columns) in [
            ("SELECT name, sum(dur) FROM events", &["name"] as &[&str]),
            ("SELECT sum(dur) total, e.name n, rank + 1 FROM events e", &["e.name", "rank"]),
            ("SELECT dur / sum(dur) FROM events", &["dur"]),
            ("SELECT *, count(*) FROM events", &["*"]),
            ("SELECT e.*, count(*) FROM events e", &["e.*"]),
            ("SELECT * FROM (SELECT rank, sum(ts) m FROM t) x", &["rank"]),
            ("WITH a AS (SELECT rank, sum(ts) m FROM t) SELECT * FROM a", &["rank"]),
            ("WITH a AS (SELECT 1) SELECT name, count(*) FROM t", &["name"]),
            ("SELECT 1 UNION ALL SELECT \"a b\", count(*) FROM t", &["\"a b\""]),
            ("SELECT CAST(dur AS DOUBLE PRECISION), avg(ts) FROM t", &["dur"]),
            ("SELECT upper(name) || '!', count(*) FROM t", &["name"]),
            ("SELECT name, min(ts), max(end_ts) FROM t", &["name"]),
            ("SELECT name, first(dur) FROM t ORDER BY name", &["name"]),
            ("SELECT max(ts, dur), count(*) FROM t", &["ts", "dur"]),
            ("SELECT a IS DISTINCT FROM 1, count(*) FROM t", &["a"]),
            ("SELECT CASE WHEN x THEN 1 END y, count(*) FROM t", &["x"]),
            ("SELECT name, count(*) FROM t WHERE x IN (SELECT 1 GROUP BY 1)", &["name"]),
        ] {
            assert_eq!(found(statement), columns, "{statement}");
        }
    }

    #[test]
    fn grouped_windowed_and_plain_columns_pass() {
        for statement in [
            "SELECT name, sum(dur) FROM events GROUP BY 1",
            "SELECT name, cat, sum(dur) FROM events WHERE (a) GROUP BY name",
            "SELECT name, sum(dur) OVER (PARTITION BY rank) FROM t",
            "SELECT name, sum(sum(dur)) OVER () FROM t",
            "SELECT name, row_number() OVER w FROM t WINDOW w AS (ORDER BY ts)",
            "SELECT name, sum(dur) FILTER (WHERE x) OVER (ORDER BY ts) FROM t",
            "SELECT count(*), 'text' AS label, 1 + 2, sum(dur) FILTER (WHERE rank = 1) FROM t",
            "SELECT (SELECT max(ts) FROM t) AS newest, name FROM t",
            "SELECT name, (SELECT k.name || count(*) FROM t) FROM k",
            "SELECT name FROM k WHERE 1 < (SELECT k.dur - avg(dur) FROM t)",
            "SELECT dur * 2 FROM t",
            "SELECT count(*) AS n, max(ts) - min(ts) span, sum(a) * 2 b FROM t",
            "SELECT sum(a) \"b c\", count(*) 'd', avg(a) COLLATE nocase, NULL x, CASE WHEN 1 THEN 2 END y FROM t",
            "SELECT x'ab', TRUE, CURRENT_DATE, count(*) FROM t",
            "SELECT max(dur) IS NULL AS none FROM t",
            "SELECT name, max(dur) FROM t",
            "SELECT name, max(dur), count(*) FROM t",
            "SELECT min(ts, dur), name FROM t",
            "SELECT count(*) + (SELECT 1) FROM t",
            "SELECT sum(",
            "SELECT",
            "SELECT max(a FILTER (WHERE OVER",
        ] {
            assert_eq!(found(statement), [""; 0], "{statement}");
        }
    }
}

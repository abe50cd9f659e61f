//! Columns beside an aggregate that are not grouped: SQLite would take their values from any row.

use super::token::{Token, TokenKind};
use std::ops::Range;

/// Functions that reduce the rows of a group to one value. MIN and MAX are others: SQLite takes columns beside one of them from its row.
const AGGREGATES: &str = "any_value arg_max arg_min avg bit_and bit_or bit_xor bool_and bool_or corr count count_if covar_pop \
    covar_samp first group_concat json_group_array json_group_object last max_by median min_by quantile_cont quantile_disc \
    stddev stddev_pop stddev_samp string_agg sum total var_pop var_samp variance";

const EXTREMES: &[&str] = &["MIN", "MAX"];

/// Words that end what is selected, with these.
const ENDS: &[&str] = &["FROM", "WHERE", "GROUP", "HAVING", "ORDER", "LIMIT", "WINDOW"];
const SET_OPERATORS: &[&str] = &["UNION", "EXCEPT", "INTERSECT", "SELECT"];

/// Columns of a SELECT whose values would be those of any row.
pub(super) struct Ungrouped {
    /// Their tokens.
    pub(super) columns: Vec<usize>,
    /// Whether the SELECT has GROUP BY.
    pub(super) has_groups: bool,
}

/// Returns the columns of the first SELECT that has some which are neither grouped nor in an aggregate, if it has aggregates or groups.
pub(super) fn ungrouped_columns(tokens: &[Token<'_>]) -> Option<Ungrouped> {
    let starts = (0..tokens.len()).filter(|&at| tokens[at].is("SELECT") && names_its_own_columns(tokens, at));
    starts.map(|at| (at + 1, Selected::of(tokens, at + 1))).find_map(|(start, selected)| {
        let keys = grouping_keys(tokens, selected.end);
        let has_groups = keys.is_some();
        let is_reduced = has_groups || selected.aggregates + selected.extremes > 0;
        if !is_reduced || selected.extremes == 1 {
            return None;
        }
        let items = split(tokens, start..selected.end);
        let names = keys.map(|keys| grouped_names(tokens, keys, &items)).unwrap_or_default();
        let is_grouped = |at: &usize| names.iter().any(|name| tokens[after_name(tokens, *at) - 1].is_name(name));
        let columns: Vec<usize> = selected.columns.into_iter().filter(|at| !is_grouped(at)).collect();
        (!columns.is_empty()).then_some(Ungrouped { columns, has_groups })
    })
}

/// Returns the tokens of the keys of GROUP BY behind what is selected.
fn grouping_keys(tokens: &[Token<'_>], from: usize) -> Option<Range<usize>> {
    let group =
        level(tokens, from).take_while(|&at| !is_set_operator(tokens, at)).find(|&at| tokens[at].is("GROUP"))?;
    let ends = |at: &usize| tokens[*at].is_any(&["HAVING", "ORDER", "LIMIT", "WINDOW"]) || is_set_operator(tokens, *at);
    let last = level(tokens, group + 2).take_while(|at| !ends(at)).last()?;
    let end =
        if tokens[last].is_symbol("(") { tokens[last].close.saturating_add(1).min(tokens.len()) } else { last + 1 };
    Some(group + 2..end)
}

/// Returns the items between the commas of some tokens.
pub(super) fn split(tokens: &[Token<'_>], all: Range<usize>) -> Vec<Range<usize>> {
    let commas = level(tokens, all.start).take_while(|&at| at < all.end).filter(|&at| tokens[at].is_symbol(","));
    let mut items = Vec::new();
    let mut start = all.start;
    for end in commas.chain([all.end]) {
        items.push(start..end);
        start = end + 1;
    }
    items
}

/// Returns the names of the columns by which GROUP BY groups: those that it names, and those of the items that it names or numbers.
fn grouped_names(tokens: &[Token<'_>], keys: Range<usize>, items: &[Range<usize>]) -> Vec<String> {
    let is_item = |item: &Range<usize>, index: usize, key: usize| {
        let alias = tokens[item.end - 1].name();
        let is_alias = item.len() > 1 && alias.is_some_and(|alias| tokens[key].is_name(&alias));
        is_alias || (tokens[key].kind == TokenKind::Number && tokens[key].text == (index + 1).to_string())
    };
    let of_keys = keys.clone().filter_map(|key| tokens[key].name());
    let chosen = items.iter().enumerate().filter(|(index, item)| keys.clone().any(|key| is_item(item, *index, key)));
    of_keys.chain(chosen.flat_map(|(_, item)| item.clone()).filter_map(|at| tokens[at].name())).collect()
}

/// Whether a token begins another SELECT; `intersect(…)` where a table is named is a table function.
pub(super) fn is_set_operator(tokens: &[Token<'_>], at: usize) -> bool {
    let names_table = |before: &Token<'_>| {
        before.is_any(&["FROM", "JOIN"]) || [",", "("].iter().any(|symbol| before.is_symbol(symbol))
    };
    let is_table = tokens[at].is("INTERSECT") && at.checked_sub(1).is_some_and(|before| names_table(&tokens[before]));
    tokens[at].is_any(SET_OPERATORS) && !is_table
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
    let has_several = || level(tokens, at + 2).any(|at| tokens[at].is_symbol(","));
    (is_aggregate(&tokens[at]) && !(tokens[at].is_any(EXTREMES) && has_several())).then_some((after, false))
}

/// Returns the tokens from one to the end of the parenthesis that it is in, without what is in parentheses.
pub(super) fn level(tokens: &[Token<'_>], from: usize) -> impl Iterator<Item = usize> {
    let next = |at: &usize| tokens.get(*at).map(|token| if token.is_symbol("(") { token.close + 1 } else { at + 1 });
    std::iter::successors(Some(from), next).take_while(|at| tokens.get(*at).is_some_and(|token| !token.is_symbol(")")))
}

#[cfg(test)]
mod tests {
    use super::super::token::tokens;
    use super::*;

    fn found(statement: &str) -> Vec<String> {
        let all = tokens(statement);
        let columns = ungrouped_columns(&all).map(|found| found.columns).unwrap_or_default();
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
            ("SELECT name, stream, sum(dur) FROM t GROUP BY name", &["stream"]),
            ("SELECT name, dur FROM t GROUP BY 1 HAVING dur > 1", &["dur"]),
            ("SELECT * FROM t GROUP BY name", &["*"]),
            ("SELECT k.name, k.cat FROM t k GROUP BY cat UNION SELECT 1 GROUP BY name", &["k.name"]),
        ] {
            assert_eq!(found(statement), columns, "{statement}");
        }
    }

    #[test]
    fn grouped_windowed_and_plain_columns_pass() {
        for statement in [
            "SELECT name, sum(dur) FROM events GROUP BY 1",
            "SELECT name, cat, sum(dur) FROM events WHERE (a) GROUP BY e.name, cat ORDER BY 1",
            "SELECT UPPER(name) AS n, dur / 2 AS half, count(*) FROM t GROUP BY n, half",
            "SELECT name || cat, count(*) FROM t GROUP BY 1 UNION ALL SELECT a, count(*) FROM t GROUP BY (a)",
            "SELECT name, max(dur), stream FROM t GROUP BY name",
            "SELECT a, a + count(*), b.a FROM t GROUP BY 1",
            "SELECT trace, sum(dur) FROM intersect((SELECT 1), (SELECT 2)) GROUP BY trace",
            "SELECT CASE WHEN name LIKE 'a' THEN 1 END AS kind FROM t GROUP BY kind",
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

//! Aggregates where they do not belong: beside columns that are not grouped, which polars repeats in every row or makes a list, in WHERE,
//! and in ORDER BY, which polars sorts by what is selected.

use super::selects::{Select, selects};
use super::token::{Token, TokenKind, closing};
use std::ops::Range;

/// Functions that reduce a group to one value.
const AGGREGATES: &[&str] = &[
    "array_agg",
    "avg",
    "bit_and",
    "bit_or",
    "bit_xor",
    "corr",
    "count",
    "covar",
    "covar_pop",
    "covar_samp",
    "first",
    "last",
    "max",
    "median",
    "min",
    "quantile_cont",
    "quantile_disc",
    "stddev",
    "stddev_samp",
    "stdev",
    "stdev_samp",
    "string_agg",
    "sum",
    "total",
    "var",
    "var_samp",
    "variance",
];

/// Words of expressions that are no columns.
const WORDS: &[&str] = &[
    "AND", "ANY", "ALL", "ARRAY", "BETWEEN", "BY", "CASE", "DESC", "ASC", "DISTINCT", "ELSE", "END", "ESCAPE",
    "EXISTS", "FALSE", "FILTER", "FROM", "ILIKE", "IN", "INTERVAL", "IS", "LIKE", "NOT", "NULL", "NULLS", "OR",
    "ORDER", "OVER", "REGEXP", "RLIKE", "SIMILAR", "THEN", "TO", "TRUE", "WHEN", "XOR",
];

/// A column beside an aggregate.
pub(super) struct Beside {
    /// The token of the column.
    pub(super) token: usize,
    /// The columns that GROUP BY lacks, as written.
    pub(super) columns: Vec<String>,
    /// Whether there is a GROUP BY.
    pub(super) is_grouped: bool,
}

/// Returns the token of the first function with OVER beside groups or aggregates: polars would compute it within each group.
pub(super) fn window_beside_groups(tokens: &[Token<'_>]) -> Option<usize> {
    selects(tokens).into_iter().find_map(|select| {
        let items: Vec<Item> = select.items.iter().map(|item| Item::of(tokens, item.clone())).collect();
        let is_grouped = select.keys.is_some() || items.iter().any(|item| item.has_aggregate);
        is_grouped.then(|| items.iter().find_map(|item| item.window)).flatten()
    })
}

/// Returns the token of the first WHERE with an aggregate, which polars would compute over all rows.
pub(super) fn aggregate_in_where(tokens: &[Token<'_>]) -> Option<usize> {
    let conditions = selects(tokens).into_iter().map(|select| select.condition);
    conditions.into_iter().find(|range| Item::of(tokens, range.clone()).has_aggregate).map(|range| range.start)
}

/// Returns the aggregates of ORDER BY as places of selected items: the bytes to replace, and the number.
///
/// # Errors
/// The token of an aggregate that is not selected.
pub(super) fn ordered_aggregates(tokens: &[Token<'_>]) -> Result<Vec<(Range<usize>, String)>, usize> {
    let mut found = Vec::new();
    for select in selects(tokens) {
        for part in &select.order {
            let is_direction = |at: &usize| tokens[*at].is_any(&["ASC", "DESC", "NULLS", "FIRST", "LAST"]);
            let directions = part.clone().rev().take_while(is_direction).count();
            let expression = part.start..part.end - directions;
            if expression.is_empty() || !Item::of(tokens, expression.clone()).has_aggregate {
                continue;
            }
            let words = |range: &Range<usize>| -> Vec<String> {
                tokens[range.clone()].iter().map(|token| token.text.to_lowercase()).collect()
            };
            let wanted = words(&expression);
            let items = select.items.iter().map(|item| Item::of(tokens, item.clone()));
            let place = items.into_iter().position(|item| words(&item.expression) == wanted).ok_or(expression.start)?;
            let bytes = tokens[expression.start].range.start..tokens[expression.end - 1].range.end;
            found.push((bytes, (place + 1).to_string()));
        }
    }
    Ok(found)
}

/// Returns the first column that stands beside an aggregate and is not grouped.
pub(super) fn column_beside_aggregate(tokens: &[Token<'_>]) -> Option<Beside> {
    selects(tokens).into_iter().find_map(|select| beside(tokens, &select))
}

fn beside(tokens: &[Token<'_>], select: &Select) -> Option<Beside> {
    let items: Vec<Item> = select.items.iter().map(|item| Item::of(tokens, item.clone())).collect();
    if let Some([key]) = select.keys.as_deref()
        && tokens[key.clone()].first().is_some_and(|token| token.is("ALL"))
    {
        return None;
    }
    if select.keys.is_none() && !items.iter().any(|item| item.has_aggregate) {
        return None;
    }
    let keys = select.keys.as_deref().unwrap_or_default();
    let mut missing: Vec<usize> = Vec::new();
    for (at, item) in items.iter().enumerate() {
        if !is_key(tokens, keys, at, item) {
            let is_grouped = |column: &usize| {
                let name = last_name(tokens, *column);
                keys.iter().any(|key| is_plain(tokens, key) && last_name(tokens, key.start) == name)
            };
            missing.extend(item.columns.iter().filter(|column| !is_grouped(column)));
        }
    }
    let token = *missing.first()?;
    let mut columns: Vec<String> = Vec::new();
    for at in missing {
        let text = written(tokens, at);
        if text != "*" && !columns.contains(&text) {
            columns.push(text);
        }
    }
    Some(Beside { token, columns, is_grouped: select.keys.is_some() })
}

/// Whether the item as a whole is a key: by its place, by its alias, or by the same expression.
fn is_key(tokens: &[Token<'_>], keys: &[Range<usize>], at: usize, item: &Item) -> bool {
    let words = |range: &Range<usize>| -> Vec<String> {
        tokens[range.clone()].iter().map(|token| token.text.to_lowercase()).collect()
    };
    keys.iter().any(|key| {
        let key_words = words(key);
        let place = match key_words.as_slice() {
            [one] => one.parse::<usize>().ok(),
            _ => None,
        };
        place == Some(at + 1)
            || key_words == words(&item.expression)
            || item.alias.is_some_and(|alias| key_words == [tokens[alias].text.to_lowercase()])
    })
}

/// Whether a key is the name of a column, with the name of its table or without.
fn is_plain(tokens: &[Token<'_>], key: &Range<usize>) -> bool {
    tokens[key.clone()].iter().all(|token| token.name().is_some() || token.is_symbol("."))
}

/// Returns the name at a token without the names before its points: `dur` of `e.dur`.
fn last_name(tokens: &[Token<'_>], at: usize) -> Option<String> {
    let mut at = at;
    while tokens.get(at + 1).is_some_and(|next| next.is_symbol(".")) && at + 2 < tokens.len() {
        at += 2;
    }
    tokens.get(at)?.name().map(|name| name.to_lowercase())
}

/// Returns the name at a token as it is written: `e.dur`.
fn written(tokens: &[Token<'_>], at: usize) -> String {
    let mut text = tokens[at].text.to_owned();
    let mut at = at;
    while let (Some(point), Some(name)) = (tokens.get(at + 1), tokens.get(at + 2))
        && point.is_symbol(".")
    {
        text = format!("{text}.{}", name.text);
        at += 2;
    }
    text
}

/// A selected item.
struct Item {
    /// The item without its alias.
    expression: Range<usize>,
    /// The token of its alias.
    alias: Option<usize>,
    has_aggregate: bool,
    /// The tokens of columns outside of aggregates and subqueries.
    columns: Vec<usize>,
    /// The token of a function with OVER.
    window: Option<usize>,
}

impl Item {
    fn of(tokens: &[Token<'_>], item: Range<usize>) -> Self {
        let alias = alias(tokens, &item);
        let end = match alias {
            Some(alias) if alias > item.start && tokens[alias - 1].is("AS") => alias - 1,
            Some(alias) => alias,
            None => item.end,
        };
        let expression = item.start..end;
        let (mut has_aggregate, mut columns, mut window, mut at) = (false, Vec::new(), None, item.start);
        while at < end {
            let token = &tokens[at];
            let opens = tokens.get(at + 1).is_some_and(|next| next.is_symbol("("));
            if token.is_symbol("(") && tokens.get(at + 1).is_some_and(|next| next.is_any(&["SELECT", "WITH"])) {
                at = closing(tokens, at) + 1;
            } else if token.kind == TokenKind::Word && opens && !token.is_any(WORDS) {
                let (after, windowed) = after_call(tokens, closing(tokens, at + 1) + 1);
                let aggregates = AGGREGATES.iter().any(|name| token.is(name));
                if windowed {
                    window = window.or(Some(at));
                    at = after;
                } else if aggregates {
                    has_aggregate = true;
                    at = after;
                } else {
                    at += 2;
                }
            } else if token.is("AS") {
                // The type of a CAST.
                at += 2;
            } else if token.is_symbol("*") && is_wildcard(tokens, at, &expression) {
                columns.push(at);
                at += 1;
            } else if token.name().is_some() && !(token.kind == TokenKind::Word && token.is_any(WORDS)) {
                if tokens.get(at + 1).is_none_or(|next| next.kind != TokenKind::Text) {
                    columns.push(at);
                }
                at += 1;
                while at + 1 < end && tokens[at].is_symbol(".") {
                    at += 2;
                }
            } else {
                at += 1;
            }
        }
        Self { expression, alias, has_aggregate, columns, window }
    }
}

/// Returns the token after the FILTER and OVER of a call, and whether it has an OVER.
fn after_call(tokens: &[Token<'_>], after: usize) -> (usize, bool) {
    let mut after = after;
    if tokens.get(after).is_some_and(|token| token.is("FILTER")) {
        after = closing(tokens, after + 1) + 1;
    }
    if !tokens.get(after).is_some_and(|token| token.is("OVER")) {
        return (after, false);
    }
    match tokens.get(after + 1) {
        Some(open) if open.is_symbol("(") => (closing(tokens, after + 1) + 1, true),
        _ => (after + 2, true),
    }
}

/// Returns the token of the alias of an item: the word after AS, or a last word after an operand.
pub(super) fn alias(tokens: &[Token<'_>], item: &Range<usize>) -> Option<usize> {
    let last = item.end.checked_sub(1).filter(|last| *last > item.start)?;
    tokens[last].name()?;
    let before = &tokens[last - 1];
    let is_operand = match before.kind {
        TokenKind::Word => !before.is_any(WORDS) || before.is("END") || before.is("NULL"),
        TokenKind::Quoted | TokenKind::Text | TokenKind::Number => true,
        TokenKind::Symbol => before.is_symbol(")") || before.is_symbol("]"),
    };
    (before.is("AS") || (is_operand && !tokens[last].is_any(WORDS))).then_some(last)
}

/// Whether a `*` stands for columns instead of a product.
fn is_wildcard(tokens: &[Token<'_>], at: usize, expression: &Range<usize>) -> bool {
    at == expression.start || tokens[at - 1].is_symbol(".")
}

#[cfg(test)]
mod tests {
    use super::super::token::tokens;
    use super::*;

    fn missing(statement: &str) -> Option<(Vec<String>, bool)> {
        column_beside_aggregate(&tokens(statement)).map(|beside| (beside.columns, beside.is_grouped))
    }

    #[test]
    fn columns_beside_aggregates_are_found() {
        let found = |columns: &[&str], grouped| Some((columns.iter().map(|&name| name.to_owned()).collect(), grouped));
        assert_eq!(missing("SELECT name, sum(dur) FROM events"), found(&["name"], false));
        assert_eq!(
            missing("SELECT sum(dur) total, e.name n, rank + 1 FROM events e"),
            found(&["e.name", "rank"], false)
        );
        assert_eq!(missing("SELECT dur / sum(dur) FROM events"), found(&["dur"], false));
        assert_eq!(missing("SELECT *, count(*) FROM events"), found(&[], false));
        assert_eq!(missing("SELECT name, cat, sum(dur) FROM t GROUP BY name"), found(&["cat"], true));
        assert_eq!(missing("SELECT name, upper(cat) FROM t GROUP BY name"), found(&["cat"], true));
        assert_eq!(missing("SELECT * FROM (SELECT rank, max(ts) m FROM t) x"), found(&["rank"], false));
        assert_eq!(missing("SELECT CAST(dur AS DOUBLE), max(ts) FROM t"), found(&["dur"], false));
    }

    #[test]
    fn aggregates_in_order_and_where_are_found() {
        let places = |statement: &str| ordered_aggregates(&tokens(statement));
        let found = places("SELECT name, SUM(dur) AS s FROM t GROUP BY name ORDER BY sum(dur) DESC NULLS LAST, name");
        assert_eq!(found.map(|found| found.into_iter().map(|(_, text)| text).collect()), Ok(vec!["2".to_owned()]));
        assert_eq!(places("SELECT name FROM t GROUP BY name ORDER BY SUM(dur)"), Err(9));
        assert_eq!(places("SELECT name, sum(dur) OVER () FROM t ORDER BY sum(dur) OVER ()"), Ok(Vec::new()));
        let window = |statement: &str| window_beside_groups(&tokens(statement));
        assert_eq!(window("SELECT name, SUM(SUM(dur)) OVER () FROM t GROUP BY name"), Some(3));
        assert_eq!(window("SELECT name, SUM(dur) OVER () FROM t"), None);
        assert_eq!(window("SELECT *, RANK() OVER (ORDER BY s) FROM (SELECT a, sum(b) s FROM t GROUP BY a) x"), None);
        assert_eq!(aggregate_in_where(&tokens("SELECT a FROM t WHERE a > avg(a)")), Some(5));
        assert_eq!(aggregate_in_where(&tokens("SELECT a FROM t WHERE a > (SELECT avg(a) FROM t)")), None);
        assert_eq!(aggregate_in_where(&tokens("SELECT avg(a) FROM t WHERE a > 1 GROUP BY b HAVING avg(a) > 2")), None);
    }

    #[test]
    fn grouped_windowed_and_plain_columns_pass() {
        for statement in [
            "SELECT name, sum(dur) FROM events GROUP BY name",
            "SELECT e.name, sum(dur) FROM events e GROUP BY name",
            "SELECT name, sum(dur) FROM events GROUP BY ALL",
            "SELECT name, sum(dur) FROM events GROUP BY 1",
            "SELECT CASE WHEN dur > 5 THEN 'long' ELSE 'short' END AS size, count(*) FROM t GROUP BY size",
            "SELECT dur / 1000 AS us, count(*) FROM t GROUP BY dur / 1000",
            "SELECT upper(name), count(*) FROM t GROUP BY upper(name)",
            "SELECT upper(name) || '!', count(*) FROM t GROUP BY name",
            "SELECT name, sum(dur) OVER (PARTITION BY rank) FROM t",
            "SELECT name, row_number() OVER w FROM t WINDOW w AS (ORDER BY ts)",
            "SELECT count(*), 'text' AS label, 1 + 2, sum(dur) FILTER (WHERE rank = 1) FROM t",
            "SELECT (SELECT max(ts) FROM t) AS newest, name FROM t",
            "SELECT dur * 2 FROM t",
            "SELECT count(*) AS n, max(ts) - min(ts) span FROM t",
            "SELECT DATE '2026-01-01', count(*) FROM t",
            "SELECT max(dur) IS NULL AS none FROM t",
        ] {
            assert_eq!(missing(statement), None, "{statement}");
        }
    }
}

//! Edits of a statement before polars reads it, and the way back from places in the result.

use super::token::{Token, tokens};
use std::ops::Range;

/// Replacements of parts of a statement.
#[derive(Debug, Default)]
pub(super) struct Edits(Vec<(Range<usize>, String)>);

impl Edits {
    /// Adds a replacement, unless it lies within another one.
    pub(super) fn add(&mut self, range: Range<usize>, text: String) {
        if !self.has(range.start) {
            self.0.push((range, text));
            self.0.sort_by_key(|(range, _)| range.start);
        }
    }

    /// Whether a byte of the statement is replaced.
    pub(super) fn has(&self, at: usize) -> bool {
        self.0.iter().any(|(range, _)| range.contains(&at))
    }

    /// Returns the statement with the replacements.
    pub(super) fn applied(&self, statement: &str) -> String {
        let (mut text, mut from) = (String::with_capacity(statement.len()), 0);
        for (range, replacement) in &self.0 {
            text.push_str(statement.get(from..range.start).unwrap_or_default());
            text.push_str(replacement);
            from = range.end;
        }
        text.push_str(statement.get(from..).unwrap_or_default());
        text
    }

    /// Returns the byte of the statement for one of the result; within a replacement its beginning.
    pub(super) fn original(&self, at: usize) -> usize {
        let mut shift = 0_isize;
        for (range, replacement) in &self.0 {
            let start = range.start.saturating_add_signed(shift);
            if at < start {
                break;
            }
            if at < start + replacement.len() {
                return range.start;
            }
            shift += replacement.len() as isize - range.len() as isize;
        }
        at.saturating_add_signed(-shift)
    }
}

/// Returns the statement with blanks in all places but these, up to the end of the last: places in it are those of the statement.
pub(super) fn masked(statement: &str, kept: &[Range<usize>]) -> String {
    let end = kept.iter().map(|range| range.end).max().unwrap_or(0).min(statement.len());
    let mut text = String::with_capacity(end);
    for (at, c) in statement[..end].char_indices() {
        if c == '\n' || kept.iter().any(|range| range.contains(&at)) {
            text.push(c);
        } else {
            text.extend(std::iter::repeat_n(' ', c.len_utf8()));
        }
    }
    text
}

/// Returns numbers with an exponent, which polars-sql does not read, as plain ones: `1e6` is a float.
pub(super) fn plain_numbers(tokens: &[Token<'_>]) -> Vec<(Range<usize>, String)> {
    let plain = |token: &Token<'_>| {
        let number: f64 = token.text.replace('_', "").parse().ok()?;
        let has_exponent = token.text.contains(['e', 'E']) && number.is_finite() && number.abs() < 1e18;
        has_exponent.then(|| (token.range.clone(), float(number)))
    };
    tokens.iter().filter(|token| token.kind == super::token::TokenKind::Number).filter_map(plain).collect()
}

/// Returns a float as polars-sql reads it.
pub(super) fn float(number: f64) -> String {
    format!("{number}::DOUBLE")
}

/// Returns the parentheses around subqueries that stand for one value, as ranges of tokens without the parentheses: operands of
/// comparisons and of arithmetic, arguments of functions and selected items.
pub(super) fn scalar_subqueries(statement: &str) -> Vec<Range<usize>> {
    let all = tokens(statement);
    let mut found: Vec<Range<usize>> = Vec::new();
    let selects = super::selects::selects(&all);
    for open in 1..all.len() {
        let is_query =
            all[open].is_symbol("(") && all.get(open + 1).is_some_and(|next| next.is_any(&["SELECT", "WITH"]));
        let inside = |range: &Range<usize>| range.contains(&open);
        if !is_query || found.iter().any(inside) {
            continue;
        }
        let close = super::token::closing(&all, open);
        let before = &all[open - 1];
        let after = all.get(close + 1);
        let is_operator =
            |token: &Token<'_>| ["=", "<", ">", "+", "-", "*", "/", "%"].iter().any(|sign| token.is_symbol(sign));
        let is_item = selects.iter().flat_map(|select| &select.items).any(|item| item.contains(&open));
        let is_operand = is_operator(before)
            || after.is_some_and(is_operator)
            || before.is_any(&["THEN", "ELSE", "WHEN", "BETWEEN"])
            || (is_item && !before.is_any(&["IN", "EXISTS", "ANY", "ALL", "SOME", "FROM", "JOIN"]));
        if is_operand && !before.is_any(&["IN", "EXISTS", "ANY", "ALL", "SOME", "FROM", "JOIN"]) && close < all.len() {
            found.push(open + 1..close);
        }
    }
    found.into_iter().map(|range| all[range.start].range.start..all[range.end - 1].range.end).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_survive_edits() {
        let statement = "SELECT gaps(7) + 1e6, x FROM t";
        let mut edits = Edits::default();
        edits.add(17..20, "1000000::DOUBLE".to_owned());
        edits.add(7..14, "g".to_owned());
        edits.add(8..9, "inside".to_owned());
        let text = edits.applied(statement);
        assert_eq!(text, "SELECT g + 1000000::DOUBLE, x FROM t");
        for word in ["SELECT", "x", "FROM"] {
            let at = text.find(word).unwrap_or_default();
            assert_eq!(edits.original(at), statement.find(word).unwrap_or_default(), "{word}");
        }
        assert_eq!(edits.original(13), 17);
    }

    #[test]
    fn masked_text_keeps_places() {
        let statement = "WITH é AS (SELECT 1)\nSELECT (SELECT 2) FROM t";
        let inner = statement.find("SELECT 2").unwrap_or_default();
        let text = masked(statement, &[0..21, inner..inner + 8]);
        assert_eq!(text, "WITH é AS (SELECT 1)\n        SELECT 2");
    }

    #[test]
    fn numbers_and_scalar_subqueries_are_found() {
        let numbers = plain_numbers(&tokens("1e6 + 2.5E-3 + 7 + 1.5"));
        assert_eq!(
            numbers.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>(),
            ["1000000::DOUBLE", "0.0025::DOUBLE"]
        );
        let found = |statement: &str| {
            scalar_subqueries(statement).into_iter().map(|at| statement[at].to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(found("SELECT a FROM t WHERE a > (SELECT 1) AND b IN (SELECT 2)"), ["SELECT 1"]);
        assert_eq!(found("SELECT (SELECT 1) x, abs((SELECT 2)) FROM (SELECT 3) t"), ["SELECT 1", "SELECT 2"]);
        assert_eq!(found("SELECT a FROM f((SELECT 1), (SELECT 2)) WHERE EXISTS (SELECT 3)"), [""; 0]);
        assert_eq!(found("SELECT 1 UNION (SELECT 2)"), [""; 0]);
    }
}

//! Table functions in a statement: where they are called, with which arguments.

use super::selects::table_places;
use super::token::{Token, TokenKind, closing, parts, tokens};
use std::ops::Range;

/// The most table functions in one statement.
pub(super) const MOST_CALLS: usize = 16;

/// A call of a table function.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Call {
    /// The function, in lower case.
    pub(super) name: String,
    /// Its bytes in the statement, arguments included.
    pub(super) range: Range<usize>,
    /// Its arguments.
    pub(super) arguments: Vec<Argument>,
}

/// An argument of a table function.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Argument {
    /// `rank` of `rank => 3`.
    pub(super) key: Option<String>,
    /// Its value.
    pub(super) value: Value,
    /// The bytes of the value in the statement.
    pub(super) range: Range<usize>,
}

/// The value of an argument.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    /// A whole number.
    Number(i64),
    /// A text in quotes.
    Text(String),
    /// The name of a table.
    Name(String),
    /// A query in parentheses: its bytes in the statement.
    Query(Range<usize>),
    /// Something else.
    Other,
}

/// Returns the calls of functions with these names outside of each other's arguments.
pub(super) fn calls(statement: &str, names: &[&str]) -> Vec<Call> {
    let tokens = tokens(statement);
    let mut found: Vec<Call> = Vec::new();
    for at in table_places(&tokens) {
        let token = &tokens[at];
        let known = names.iter().find(|name| token.is(name));
        let Some(name) = known else { continue };
        let inside = |call: &Call| call.range.contains(&token.range.start);
        if found.iter().any(inside) {
            continue;
        }
        let is_call = tokens.get(at + 1).is_some_and(|next| next.is_symbol("("));
        if !is_call {
            found.push(Call { name: (*name).to_owned(), range: token.range.clone(), arguments: Vec::new() });
            continue;
        }
        let close = closing(&tokens, at + 1);
        let end = tokens.get(close).map_or(statement.len(), |token| token.range.end);
        let within = (at + 2).min(close)..close;
        let arguments = parts(&tokens, within).into_iter().map(|part| argument(&tokens[part])).collect();
        found.push(Call { name: (*name).to_owned(), range: token.range.start..end, arguments });
    }
    found
}

/// Reads `3`, `rank => 3`, `rank = 3` or `rank := 3`.
fn argument(tokens: &[Token<'_>]) -> Argument {
    let is_key = |symbols: &[&str]| {
        tokens.len() > symbols.len() + 1
            && tokens[0].name().is_some()
            && symbols.iter().zip(&tokens[1..]).all(|(symbol, token)| token.is_symbol(symbol))
    };
    let arrows: [&[&str]; 3] = [&["=", ">"], &[":", "="], &["="]];
    let skip = arrows.into_iter().find(|arrow| is_key(arrow)).map_or(0, |arrow| arrow.len() + 1);
    let key = (skip > 0).then(|| tokens[0].text.to_lowercase());
    let rest = &tokens[skip..];
    let range = match rest {
        [first, .., last] => first.range.start..last.range.end,
        [one] => one.range.clone(),
        [] => 0..0,
    };
    Argument { key, value: value(rest), range }
}

fn value(tokens: &[Token<'_>]) -> Value {
    match tokens {
        [number] if number.kind == TokenKind::Number => number.text.parse().map_or(Value::Other, Value::Number),
        [minus, number] if minus.is_symbol("-") && number.kind == TokenKind::Number => {
            number.text.parse().map_or(Value::Other, |number: i64| Value::Number(-number))
        }
        [text] if text.kind == TokenKind::Text => Value::Text(text.literal().unwrap_or_default()),
        [name] => name.name().map_or(Value::Other, Value::Name),
        [open, .., close] if open.is_symbol("(") && close.is_symbol(")") => {
            Value::Query(open.range.end..close.range.start)
        }
        [first, .., last] if first.is_any(&["SELECT", "WITH"]) => Value::Query(first.range.start..last.range.end),
        _ => Value::Other,
    }
}

/// Returns the bytes of the `WITH …` before byte `at` of a statement, of all tables that are complete there; empty if there are none.
pub(super) fn tables_before(statement: &str, at: usize) -> Range<usize> {
    let tokens = tokens(statement);
    let Some(first) = tokens.first().filter(|first| first.is("WITH")) else { return 0..0 };
    let mut end = None;
    let mut next = 1;
    // NAME [(columns)] AS [NOT] [MATERIALIZED] ( … ) ,
    while next < tokens.len() && tokens[next].name().is_some() {
        let is_body = |at: &usize| tokens[*at].is_symbol("(") && tokens[*at - 1].is_any(&["AS", "MATERIALIZED"]);
        let Some(body) = (next..tokens.len().min(next + 200)).find(is_body) else { break };
        let close = closing(&tokens, body);
        let Some(closed) = tokens.get(close).filter(|token| token.range.end <= at) else { break };
        end = Some(closed.range.end);
        if !tokens.get(close + 1).is_some_and(|token| token.is_symbol(",")) {
            break;
        }
        next = close + 2;
    }
    end.map_or(0..0, |end| first.range.start..end)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: &[&str] = &["ancestors", "gaps", "intersect", "self_time"];

    fn found(statement: &str) -> Vec<(String, usize)> {
        calls(statement, NAMES).into_iter().map(|call| (call.name, call.arguments.len())).collect()
    }

    #[test]
    fn calls_are_found_where_tables_are_named() {
        let of = |name: &str, count| (name.to_owned(), count);
        assert_eq!(found("SELECT * FROM ancestors(12, rank => 3)"), [of("ancestors", 2)]);
        assert_eq!(
            found("SELECT * FROM self_time s JOIN Gaps() g ON s.rank = g.rank"),
            [of("self_time", 0), of("gaps", 0)]
        );
        assert_eq!(found("SELECT gaps(7) FROM t"), []);
        assert_eq!(found("SELECT * FROM intersect(gaps, (SELECT * FROM gaps(7)))"), [of("intersect", 2)]);
        assert_eq!(found("SELECT a FROM t INTERSECT (SELECT a FROM u)"), []);
    }

    #[test]
    fn arguments_are_read() {
        let call = calls("SELECT * FROM intersect(a, (SELECT 1), rank => -3, trace = 'x', e.id)", NAMES);
        let values: Vec<&Value> = call[0].arguments.iter().map(|argument| &argument.value).collect();
        assert_eq!(
            values,
            [
                &Value::Name("a".into()),
                &Value::Query(28..36),
                &Value::Number(-3),
                &Value::Text("x".into()),
                &Value::Other
            ]
        );
        assert_eq!(call[0].arguments[3].key.as_deref(), Some("trace"));
    }

    #[test]
    fn tables_of_with_before_a_place_are_kept() {
        let statement = "WITH a AS (SELECT 1), b AS (SELECT * FROM gaps(7)) SELECT * FROM intersect(a, b)";
        let at = |word: &str| statement.find(word).unwrap_or_default();
        let before = |statement: &str, at: usize| statement[tables_before(statement, at)].to_owned();
        assert_eq!(before(statement, at("gaps")), "WITH a AS (SELECT 1)");
        assert_eq!(before(statement, at("intersect")), "WITH a AS (SELECT 1), b AS (SELECT * FROM gaps(7))");
        assert_eq!(before("SELECT 1", 5), "");
    }
}

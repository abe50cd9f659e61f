//! Regular expressions. A constant pattern is compiled once per statement.

use super::argument::{Call, as_text};
use regex::{Captures, Regex, RegexBuilder};
use rusqlite::Result;
use rusqlite::types::{Value, ValueRef};
use std::ffi::c_int;
use std::sync::Arc;

/// The largest compiled pattern, in bytes.
const LARGEST_PATTERN: usize = 10 << 20;

/// Compiles a pattern. An error is one line: the last one of the reason says what is wrong, those before show where.
fn compile(pattern: &str) -> Result<Regex, String> {
    RegexBuilder::new(pattern).size_limit(LARGEST_PATTERN).build().map_err(|error| {
        let reason = error.to_string();
        let reason = reason.lines().next_back().unwrap_or("").trim_start_matches("error: ");
        format!("invalid regular expression '{}': {reason}", pattern.replace(['\n', '\r'], " "))
    })
}

/// Returns what is made of an argument. SQLite keeps it for the next row if the argument is constant.
fn prepared<T: Send + Sync + 'static>(
    call: &Call<'_>,
    index: c_int,
    make: fn(&str) -> Result<T, String>,
) -> Result<Arc<T>> {
    call.context.get_or_create_aux(index, |value: ValueRef<'_>| make(&as_text(value)))
}

/// `regexp(pattern, text)`, which SQLite calls for `text REGEXP pattern`.
pub(super) fn regexp(call: &Call<'_>) -> Result<Value> {
    Ok(prepared(call, 0, compile)?.is_match(&call.text(1)).into())
}

/// `regexp_matches(text, pattern)`: whether the pattern matches anywhere.
pub(super) fn matches(call: &Call<'_>) -> Result<Value> {
    Ok(prepared(call, 1, compile)?.is_match(&call.text(0)).into())
}

/// `regexp_count(text, pattern)`: the number of matches, which do not overlap.
pub(super) fn count(call: &Call<'_>) -> Result<Value> {
    Ok(Value::Integer(prepared(call, 1, compile)?.find_iter(&call.text(0)).count() as i64))
}

/// `regexp_extract(text, pattern[, group])`: the first match or a group of it, an empty text without one.
pub(super) fn extract(call: &Call<'_>) -> Result<Value> {
    let (text, pattern) = (call.text(0), prepared(call, 1, compile)?);
    let group = if call.context.len() > 2 { call.integer(2)? } else { 0 };
    let group = usize::try_from(group)
        .map_err(|_| call.refusal(&format!("expected the number of a group, from 0, found {group}")))?;
    let found = if group == 0 { pattern.find(&text) } else { pattern.captures(&text).and_then(|it| it.get(group)) };
    Ok(Value::Text(found.map_or("", |found| found.as_str()).to_owned()))
}

/// `regexp_replace(text, pattern, replacement[, flags])`: the first match is replaced, with the flag `g` all.
pub(super) fn replace(call: &Call<'_>) -> Result<Value> {
    let (text, pattern, replacement) =
        (call.text(0), prepared(call, 1, compile)?, prepared(call, 2, Replacement::read)?);
    let flags = if call.context.len() > 3 { call.text(3) } else { "".into() };
    let limit = match &*flags {
        "" => 1,
        "g" => usize::MAX,
        flags => {
            let reason =
                format!("unknown flags '{flags}'; 'g' replaces all, others are part of the pattern: '(?i)abc'");
            return Err(call.refusal(&reason));
        }
    };
    let groups = pattern.captures_len() - 1;
    if replacement.last_group > groups {
        let reason = format!("the replacement has group {}, the pattern has {groups}", replacement.last_group);
        return Err(call.refusal(&reason));
    }
    let (mut replaced, mut end) = (String::new(), 0);
    for captures in pattern.captures_iter(&text).take(limit) {
        let Some(found) = captures.get(0) else { break };
        replaced.push_str(&text[end..found.start()]);
        end = found.end();
        for piece in &replacement.pieces {
            replaced.push_str(piece.text(&captures));
            call.check_size(replaced.len())?;
        }
    }
    replaced.push_str(&text[end..]);
    Ok(Value::Text(replaced))
}

/// A replacement as DuckDB writes it: `\1` is a group of the match, `\0` all of it, `\\` a backslash.
struct Replacement {
    pieces: Vec<Piece>,
    last_group: usize,
}

enum Piece {
    Text(String),
    Group(usize),
}

impl Piece {
    fn text<'t>(&'t self, captures: &Captures<'t>) -> &'t str {
        match self {
            Self::Text(text) => text,
            Self::Group(group) => captures.get(*group).map_or("", |found| found.as_str()),
        }
    }
}

impl Replacement {
    fn read(written: &str) -> Result<Self, String> {
        let (mut pieces, mut text, mut last_group) = (Vec::new(), String::new(), 0);
        let mut characters = written.chars();
        while let Some(character) = characters.next() {
            if character != '\\' {
                text.push(character);
                continue;
            }
            match characters.next() {
                None => return Err("regexp_replace: the replacement ends with '\\'".to_owned()),
                Some('\\') => text.push('\\'),
                Some(other) => {
                    let group = other.to_digit(10).ok_or_else(|| {
                        format!("regexp_replace: '\\{other}' in the replacement is no group; a backslash is '\\\\'")
                    })? as usize;
                    pieces.extend([Piece::Text(std::mem::take(&mut text)), Piece::Group(group)]);
                    last_group = last_group.max(group);
                }
            }
        }
        pieces.push(Piece::Text(text));
        Ok(Self { pieces, last_group })
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{assert_same, database, refused};

    #[test]
    fn patterns_match_anywhere() {
        assert_same("'hello' REGEXP 'l+', 'hello' REGEXP '^l', regexp('^he', 'hello')", "1, 0, 1");
        assert_same(
            "regexp_matches('hello', 'ell'), regexp_like('HELLO', 'ell'), regexp_like('HELLO', '(?i)ell')",
            "1, 0, 1",
        );
        assert_same("regexp_matches(12.5, '^12\\.5$'), 'a' NOT REGEXP 'b'", "1, 1");
        assert_same("regexp_count('hello', 'l'), regexp_count('hello', 'x'), regexp_count('aaa', 'aa')", "2, 0, 1");
    }

    #[test]
    fn groups_of_the_first_match_are_extracted() {
        assert_same("regexp_extract('step 12 of 30', '\\d+'), regexp_extract('hello', '\\d+')", "'12', ''");
        assert_same("regexp_extract('a1b2', '([a-z])(\\d)', 2), regexp_extract('a1', '([a-z])(\\d)', 0)", "'1', 'a1'");
        assert_same("regexp_extract('b', '(a)|b', 1), regexp_extract('a', 'a', 3)", "'', ''");
        assert_eq!(
            refused("regexp_extract('a', 'a', -1)"),
            "regexp_extract: expected the number of a group, from 0, found -1"
        );
    }

    #[test]
    fn the_first_match_or_all_are_replaced() {
        assert_same("regexp_replace('hello', 'l', 'L'), regexp_replace('hello', 'l', 'L', 'g')", "'heLlo', 'heLLo'");
        assert_same(
            "regexp_replace('hello', '(l)(o)', '\\2\\1'), regexp_replace('hello', 'l', '<\\0>')",
            "'helol', 'he<l>lo'",
        );
        assert_same(
            "regexp_replace('hello', '(l)', '\\10'), regexp_replace('hello', 'l', '\\\\')",
            "'hel0lo', 'he\\lo'",
        );
        assert_same("regexp_replace('hello', 'l', '$0'), regexp_replace('hello', 'x', 'y')", "'he$0lo', 'hello'");
        assert_same("regexp_replace('héo', '', '-', 'g'), regexp_replace('b', '(a)|b', '[\\1]')", "'-h-é-o-', '[]'");
        assert_same("regexp_replace('hello', 'l', 'x', '')", "'hexlo'");
    }

    #[test]
    fn wrong_replacements_are_refused() {
        let error = |replacement: &str| refused(&format!("regexp_replace('hello', 'l', '{replacement}')"));
        assert_eq!(error("\\3"), "regexp_replace: the replacement has group 3, the pattern has 0");
        assert_eq!(error("a\\"), "regexp_replace: the replacement ends with '\\'");
        assert_eq!(error("\\q"), "regexp_replace: '\\q' in the replacement is no group; a backslash is '\\\\'");
        assert_eq!(
            refused("regexp_replace('a', 'a', 'b', 'i')"),
            "regexp_replace: unknown flags 'i'; 'g' replaces all, others are part of the pattern: '(?i)abc'"
        );
        let long = "regexp_replace(repeat('a', 10000), 'a', repeat('b', 10000), 'g')";
        assert_eq!(refused(long), "regexp_replace: the result is larger than the limit of 10 MB");
    }

    #[test]
    fn an_invalid_pattern_is_an_error_of_one_line() {
        assert_eq!(refused("'a' REGEXP 'a('"), "invalid regular expression 'a(': unclosed group");
        assert_eq!(
            refused("regexp_matches('a', 'a' || char(10) || '(')"),
            "invalid regular expression 'a (': unclosed group"
        );
        let error = refused("regexp_count('a', '(\\pL{900}){900}')");
        assert!(error.starts_with("invalid regular expression '(\\pL{900}){900}': Compiled regex exceeds size limit"));
        assert_eq!(error.lines().count(), 1);
        assert!(refused("regexp_like('a', repeat('(', 100000))").lines().count() == 1);
    }

    #[test]
    fn patterns_of_a_column_are_those_of_its_rows() {
        let rows = "WITH t(s, p) AS (VALUES ('abc', 'b'), ('abc', 'x'), ('abc', '^a'), ('abc', NULL))";
        let sql = format!("{rows} SELECT group_concat(ifnull(s REGEXP p, 'NULL')) FROM t");
        assert_eq!(database().query_row(&sql, [], |row| row.get::<_, String>(0)).unwrap(), "1,0,1,NULL");
    }

    /// With a compilation for every row, this pattern takes minutes.
    #[test]
    fn a_constant_pattern_is_compiled_once() {
        let rows = "WITH RECURSIVE n(k) AS (SELECT 0 UNION ALL SELECT k + 1 FROM n WHERE k < 20000)";
        let sql = format!("{rows} SELECT count(*) FROM n WHERE k REGEXP '^(\\w{{1,40}}|\\pL{{1,30}})7$'");
        let start = std::time::Instant::now();
        assert_eq!(database().query_row(&sql, [], |row| row.get::<_, i64>(0)).unwrap(), 1999);
        assert!(start.elapsed().as_secs() < 10);
    }
}

//! Errors of statements as people read them: the place with a caret, a near name, no noise of polars.

use super::edits::Edits;
use super::near::near;
use super::place::{byte_at, line_and_column, marked};
use super::token::{Token, tokens};
use crate::error::SqlError;
use polars::prelude::PolarsError;
use regex::Regex;

/// The longest message of polars that is passed on, in characters.
const LONGEST: usize = 400;

/// Names that a statement may use, for the nearest one.
pub(super) struct Known<'k> {
    /// Tables, and table functions with their parentheses.
    pub(super) tables: &'k [String],
    /// Columns of the tables in the statement.
    pub(super) columns: &'k [String],
    /// Functions of expressions.
    pub(super) functions: &'k [&'k str],
}

/// Returns an error at a token of the statement.
pub(super) fn at_token(statement: &str, token: &Token<'_>, message: String, rewrite: String) -> SqlError {
    at_bytes(statement, token.range.start, token.range.len(), message, rewrite)
}

/// Returns an error at a place of the statement.
pub(super) fn at_bytes(statement: &str, at: usize, length: usize, message: String, rewrite: String) -> SqlError {
    let place = Some(line_and_column(statement, at));
    SqlError { message, rewrite, place, marked: marked(statement, at, length) }
}

/// Returns an error without a place.
pub(super) fn nowhere(message: String, rewrite: String) -> SqlError {
    SqlError { message, rewrite, place: None, marked: String::new() }
}

/// Marks the place of an error in the whole statement; it was found in a part of it, whose places are the same.
pub(super) fn remarked(statement: &str, error: SqlError) -> SqlError {
    let Some((line, column)) = error.place else { return error };
    let length = error.marked.matches('^').count();
    let at = byte_at(statement, line, column);
    SqlError { marked: marked(statement, at, length), ..error }
}

/// Returns an error of polars as one of the statement: the one that was written, the one that polars read, and the edits between.
pub(super) fn of_polars(statement: (&str, &str, &Edits), error: &PolarsError, known: &Known<'_>) -> SqlError {
    let whole = error.to_string();
    let text = without_noise(&whole);
    let (statement, read, edits) = statement;
    syntax((statement, read, edits), &text)
        .or_else(|| unknown_table(statement, &text, known))
        .or_else(|| unknown_function(statement, &text, known))
        .or_else(|| unknown_column(statement, &text, known))
        .or_else(|| two_of_one_name(statement, &text))
        .unwrap_or_else(|| nowhere(format!("cannot run the statement: {text}"), rewrite(&text).to_owned()))
}

/// Returns the text without what polars adds for its own developers.
fn without_noise(text: &str) -> String {
    let text = text.split("Resolved plan until failure").next().unwrap_or_default();
    // What follows is the statement as polars parsed it.
    let text = text.split(":\n").next().unwrap_or_default();
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let mut text = lines.next().unwrap_or("polars gives no reason").to_owned();
    for prefix in ["SQL interface error: ", "SQL syntax error: ", "invalid operation: ", "sql parser error: "] {
        text = text.replacen(prefix, "", 1);
    }
    for (start, end) in [(" [Ident {", "]"), ("(Ident {", ")")] {
        if let Some((before, _)) = text.split_once(start).filter(|(_, rest)| rest.contains(end)) {
            text = before.to_owned();
        }
    }
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// `Expected: end of statement, found: FORM at Line: 1, Column: 10`
fn syntax(statement: (&str, &str, &Edits), text: &str) -> Option<SqlError> {
    let (statement, read, edits) = statement;
    let found =
        Regex::new(r"^((?:Expected|Unterminated|Unexpected|Invalid).*?),?(?: at Line: (\d+), Column: (\d+))?$").ok()?;
    let found = found.captures(text)?;
    let number = |group: usize| found.get(group)?.as_str().parse::<usize>().ok();
    let at = match (number(2), number(3)) {
        (Some(line), Some(column)) => edits.original(byte_at(read, line, column)),
        _ => statement.trim_end().len(),
    };
    let tokens = tokens(statement);
    let here = tokens.iter().find(|token| token.range.contains(&at));
    let message = lowered(&found[1]).replace("expected: ", "expected ").replace("found: ", "found ");
    let mut rewrite = String::new();
    if let Some(here) = here {
        let before = tokens.iter().rev().find(|token| token.range.end <= here.range.start);
        if here.is("end") || before.is_some_and(|before| before.is("end")) {
            rewrite = "the end of an event is end_ts: END is a keyword".to_owned();
        } else if let Some(keyword) =
            [Some(here), before].into_iter().flatten().find_map(|token| near_keyword(token.text))
        {
            rewrite = format!("did you mean {keyword}?");
        }
    }
    let length = here.map_or(1, |token| token.range.len());
    Some(at_bytes(statement, at, length, format!("invalid SQL: {message}"), rewrite))
}

/// Keywords that are often mistyped.
const KEYWORDS: &[&str] =
    &["SELECT", "FROM", "WHERE", "GROUP", "ORDER", "LIMIT", "HAVING", "JOIN", "BETWEEN", "DISTINCT"];

fn near_keyword(word: &str) -> Option<&'static str> {
    if KEYWORDS.iter().any(|keyword| keyword.eq_ignore_ascii_case(word)) {
        return None;
    }
    near(word, KEYWORDS.iter().copied())
}

fn unknown_table(statement: &str, text: &str, known: &Known<'_>) -> Option<SqlError> {
    let found = Regex::new(r"relation '(.*)' was not found|'(.*)' is not a supported table function").ok()?;
    let found = found.captures(text)?;
    let name = found.get(1).or_else(|| found.get(2))?.as_str();
    let rewrite = match near(name, known.tables.iter().map(String::as_str)) {
        Some(near) => format!("did you mean {near}?"),
        None => format!("there are {}", known.tables.join(", ")),
    };
    Some(at_name(statement, name, format!("unknown table `{name}`"), rewrite))
}

fn unknown_function(statement: &str, text: &str, known: &Known<'_>) -> Option<SqlError> {
    let found = Regex::new(r"unsupported function '(.*)'").ok()?.captures(text)?;
    let name = &found[1];
    let is_table = known.tables.iter().any(|table| table.split('(').next() == Some(name) && table.contains('('));
    let rewrite = match near(name, known.functions.iter().copied()) {
        _ if is_table => format!("it is a table: write FROM {name}(…)"),
        Some(near) => format!("did you mean {near}?"),
        None => "completion lists all functions".to_owned(),
    };
    Some(at_name(statement, name, format!("unknown function `{name}`"), rewrite))
}

fn unknown_column(statement: &str, text: &str, known: &Known<'_>) -> Option<SqlError> {
    let patterns = [
        r#"unable to find column "((?:[^"\\]|\\.)*)""#,
        r"no column named '(.*?)' found",
        r#""((?:[^"\\]|\\.)*)" not found"#,
        r"^not found: ([^ ]+)$",
        r"no table or struct column named '(.*?)' found",
        r"^'(.*?)' should participate",
    ];
    let name = patterns.iter().find_map(|pattern| {
        let found = Regex::new(pattern).ok()?.captures(text)?;
        Some(found[1].replace("\\\"", "\"").replace("\\\\", "\\"))
    })?;
    let mut rewrite = match near(&name, known.columns.iter().map(String::as_str)) {
        _ if name == "end" => "did you mean end_ts?".to_owned(),
        Some(near) => format!("did you mean {near}?"),
        None => "Shift-Tab on the name of a table shows its columns".to_owned(),
    };
    // A text in double quotes is a name.
    if statement.contains(&format!("\"{name}\"")) && !known.columns.iter().any(|column| column == &name) {
        rewrite = format!("a text has single quotes: '{name}'");
    }
    Some(at_name(statement, &name, format!("unknown column `{name}`"), rewrite))
}

fn two_of_one_name(statement: &str, text: &str) -> Option<SqlError> {
    let found = Regex::new(r"duplicate output name '(.*?)'").ok()?.captures(text)?;
    let name = &found[1];
    let message = format!("cannot run the statement: two selected columns are called `{name}`");
    Some(at_name(statement, name, message, format!("give one of them a name of its own: {name} AS other_{name}")))
}

/// Returns an error at the first token with this name; without a place if there is none.
fn at_name(statement: &str, name: &str, message: String, rewrite: String) -> SqlError {
    let tokens = tokens(statement);
    let is_name = |token: &&Token<'_>| token.name().is_some_and(|found| found.eq_ignore_ascii_case(name));
    match tokens.iter().find(is_name) {
        Some(token) => at_token(statement, token, message, rewrite),
        None => nowhere(message, rewrite),
    }
}

/// Returns the fix for some messages of polars.
fn rewrite(text: &str) -> &'static str {
    const FIXES: &[(&str, &str)] = &[
        ("HAVING clause not valid", "write WHERE, or add GROUP BY"),
        ("cannot JOIN on unnamed relation", "name the subquery: (SELECT …) AS x"),
        ("unexpected subquery", "write it as a table: WITH x AS (SELECT …) SELECT … FROM events CROSS JOIN x"),
        ("subquery returns more than one column", "select one column in the subquery"),
        ("unsupported join constraint", "join on comparisons of columns joined by AND, and put the rest into WHERE"),
        ("ambiguous", "name the table: e.dur"),
        ("OVER does not (yet) support mixed asc/desc", "negate a number: ORDER BY rank, -dur"),
        ("requires an ORDER BY", "add ORDER BY ts to the OVER"),
        ("requires an OVER clause", "add OVER (PARTITION BY trace, rank ORDER BY ts)"),
        (
            "LIKE/ILIKE pattern must be a string literal",
            "use STARTS_WITH(name, x), STRPOS(name, x) > 0 or a regular expression",
        ),
        ("subquery type not supported", "write it as a join"),
        ("operation not supported for dtype `str`", "take a column of numbers"),
        ("arithmetic on dtypes str", "texts are joined by ||, and numbers are read with CAST(x AS BIGINT)"),
        ("no function matches", "completion lists all functions"),
        ("duplicate", "give the columns names of their own: AS x"),
        ("cannot compare string with numeric", "compare with a number, or CAST(x AS BIGINT)"),
    ];
    let lower = text.to_lowercase();
    FIXES.iter().find(|(part, _)| lower.contains(&part.to_lowercase())).map_or("", |(_, fix)| fix)
}

/// Begins with a small letter, as the rest of a sentence.
fn lowered(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_lowercase().chain(chars).collect())
}

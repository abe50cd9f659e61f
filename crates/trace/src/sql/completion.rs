//! Candidates for the word at the cursor of a statement, which need not be complete.

use super::selects::table_places;
use super::token::{Token, TokenKind, tokens};

/// What a statement may name.
#[derive(Debug, Clone, Default)]
pub struct SqlNames {
    /// Tables with their columns: those of the traces, frames, saved statements.
    pub tables: Vec<(String, Vec<String>)>,
    /// Table functions with their columns.
    pub table_functions: Vec<(String, Vec<String>)>,
    /// Functions of expressions.
    pub functions: Vec<String>,
    /// Keywords.
    pub keywords: Vec<String>,
    /// Labels of traces: values of the column `trace`.
    pub labels: Vec<String>,
}

/// What a candidate is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SqlWord {
    /// A table or a table function.
    Table,
    /// A column.
    Column,
    /// A function of expressions.
    Function,
    /// A keyword.
    Keyword,
    /// The label of a trace.
    Label,
}

/// Returns the byte at which the typed word begins, and the candidates for it, best first.
pub fn sql_candidates(statement: &str, at: usize, names: &SqlNames) -> (usize, Vec<(String, SqlWord)>) {
    let at = (0..=at.min(statement.len())).rev().find(|&at| statement.is_char_boundary(at)).unwrap_or(0);
    let all = tokens(statement);
    let before: Vec<&Token<'_>> = all.iter().filter(|token| token.range.start < at).collect();
    let current = before.last().filter(|token| token.range.end >= at && token.kind != TokenKind::Symbol);
    if let Some(token) = current.filter(|token| token.kind == TokenKind::Text) {
        let is_open = token.range.end > at || !token.text.ends_with('\'') || token.text.len() == 1;
        let compared = before.iter().rev().nth(2).is_some_and(|name| name.is("trace"))
            || before.iter().rev().take(12).any(|name| name.is("trace"));
        let typed = statement[token.range.start + 1..at].to_owned();
        let found = if is_open && compared { starting(&typed, &names.labels, SqlWord::Label) } else { Vec::new() };
        return (token.range.start + 1, found);
    }
    let word = current.filter(|token| token.kind == TokenKind::Word);
    let start = word.map_or(at, |token| token.range.start);
    let typed = &statement[start..at];
    let mut earlier = before.iter().rev().filter(|token| token.range.end <= start);
    let previous = earlier.next();
    if previous.is_some_and(|token| token.is_symbol(".")) {
        let table = earlier.next().and_then(|token| token.name()).unwrap_or_default();
        return (start, starting(typed, &columns_of(&all, &table, names), SqlWord::Column));
    }
    if current.is_some_and(|token| token.kind == TokenKind::Number) {
        return (start, Vec::new());
    }
    let place = all.iter().position(|token| token.range.start >= start).unwrap_or(all.len());
    if names_table(&all, place) {
        let mut found = starting(typed, &with_names(&all), SqlWord::Table);
        for (name, _) in names.tables.iter().chain(&names.table_functions) {
            found.extend(starting(typed, std::slice::from_ref(name), SqlWord::Table));
        }
        return (start, found);
    }
    let mut columns: Vec<String> = Vec::new();
    let tables: Vec<String> = table_places(&all).into_iter().filter_map(|at| all[at].name()).collect();
    for table in if tables.is_empty() { vec!["events".to_owned()] } else { tables } {
        for column in columns_of(&all, &table, names) {
            if !columns.contains(&column) {
                columns.push(column);
            }
        }
    }
    let mut found = starting(typed, &columns, SqlWord::Column);
    let is_lower = typed.chars().any(char::is_lowercase);
    let cased = |word: &String| if is_lower { word.to_lowercase() } else { word.to_uppercase() };
    let functions: Vec<String> = names.functions.iter().map(cased).collect();
    let keywords: Vec<String> = names.keywords.iter().map(cased).collect();
    found.extend(starting(typed, &functions, SqlWord::Function));
    found.extend(starting(typed, &keywords, SqlWord::Keyword));
    (start, found)
}

/// Returns the name at a place of a statement, with the name before its point, if there is one.
pub fn sql_name_at(statement: &str, at: usize) -> Option<(Option<String>, String)> {
    let all = tokens(statement);
    let place =
        all.iter().position(|token| token.range.start <= at && at <= token.range.end && token.name().is_some())?;
    let name = all[place].name()?;
    let before = place.checked_sub(2).filter(|before| all[before + 1].is_symbol("."));
    Some((before.and_then(|before| all[before].name()), name))
}

/// Returns the table for which a name stands: itself, or the one whose alias it is.
pub fn sql_table_of(statement: &str, name: &str) -> String {
    aliased(&tokens(statement), name)
}

fn starting(typed: &str, words: &[String], kind: SqlWord) -> Vec<(String, SqlWord)> {
    let typed = typed.to_lowercase();
    let begins = |word: &&String| word.to_lowercase().starts_with(&typed);
    words.iter().filter(begins).map(|word| (word.clone(), kind)).collect()
}

/// Whether a table is named at a token, which may not be typed yet.
fn names_table(all: &[Token<'_>], place: usize) -> bool {
    let Some(before) = place.checked_sub(1).map(|before| &all[before]) else { return false };
    before.is_any(&["FROM", "JOIN"])
        || table_places(all).contains(&place)
        || (before.is_symbol(",") && place >= 2 && is_after_table(all, place - 2))
}

/// Whether the token is the name, or the alias, of a table.
fn is_after_table(all: &[Token<'_>], at: usize) -> bool {
    let places = table_places(all);
    let is_alias = |at: usize| {
        at > 0 && (places.contains(&(at - 1)) || (all[at - 1].is("AS") && at > 1 && places.contains(&(at - 2))))
    };
    places.contains(&at) || is_alias(at)
}

/// Returns the names of WITH.
fn with_names(all: &[Token<'_>]) -> Vec<String> {
    let is_name = |at: &usize| {
        all.get(at + 1).is_some_and(|token| token.is("AS"))
            && all.get(at + 2).is_some_and(|token| token.is_symbol("("))
            && *at > 0
            && (all[at - 1].is("WITH") || all[at - 1].is_symbol(","))
    };
    (0..all.len()).filter(is_name).filter_map(|at| all[at].name()).collect()
}

/// Returns the table of an alias; the name itself if it is none.
fn aliased(all: &[Token<'_>], name: &str) -> String {
    for at in table_places(all) {
        let mut after = at + 1;
        if all.get(after).is_some_and(|token| token.is_symbol("(")) {
            after = super::token::closing(all, after) + 1;
        }
        if all.get(after).is_some_and(|token| token.is("AS")) {
            after += 1;
        }
        if all.get(after).and_then(Token::name).is_some_and(|alias| alias == name) {
            return all[at].name().unwrap_or_default();
        }
    }
    name.to_owned()
}

fn columns_of(all: &[Token<'_>], name: &str, names: &SqlNames) -> Vec<String> {
    let table = aliased(all, name);
    let known = names.tables.iter().chain(&names.table_functions).find(|(known, _)| known.eq_ignore_ascii_case(&table));
    known.map(|(_, columns)| columns.clone()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> SqlNames {
        let words = |all: &[&str]| all.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
        SqlNames {
            tables: vec![("events".into(), words(&["name", "dur"])), ("kernels".into(), words(&["name", "stream"]))],
            table_functions: vec![("gaps".into(), words(&["before_id"]))],
            functions: words(&["sum", "strpos"]),
            keywords: words(&["SELECT", "WHERE"]),
            labels: words(&["control", "test"]),
        }
    }

    /// The candidates at the `|`.
    fn at(statement: &str) -> Vec<String> {
        let at = statement.find('|').unwrap_or_default();
        let statement = statement.replacen('|', "", 1);
        sql_candidates(&statement, at, &names()).1.into_iter().map(|(text, _)| text).collect()
    }

    #[test]
    fn tables_are_offered_where_one_is_named() {
        assert_eq!(at("SELECT * FROM |"), ["events", "kernels", "gaps"]);
        assert_eq!(at("SELECT * FROM ke|"), ["kernels"]);
        assert_eq!(at("SELECT * FROM events e, ke|"), ["kernels"]);
        assert_eq!(at("WITH long AS (SELECT 1) SELECT * FROM lo|"), ["long"]);
        assert_eq!(at("SELECT * FROM events JOIN ga|"), ["gaps"]);
    }

    #[test]
    fn columns_functions_and_keywords_are_offered() {
        assert_eq!(at("SELECT s| FROM kernels"), ["stream", "sum", "strpos", "select"]);
        assert_eq!(at("SELECT S| FROM kernels"), ["stream", "SUM", "STRPOS", "SELECT"]);
        assert_eq!(at("SELECT k.| FROM kernels k"), ["name", "stream"]);
        assert_eq!(at("SELECT g.| FROM gaps(7) AS g"), ["before_id"]);
        assert_eq!(at("SELECT d|"), ["dur"]);
        assert_eq!(at("SELECT 1| FROM kernels"), [""; 0]);
        assert_eq!(at("SELECT * FROM events wh|"), ["where"]);
    }

    #[test]
    fn labels_are_offered_in_texts() {
        assert_eq!(at("SELECT * FROM events WHERE trace = 'c|"), ["control"]);
        assert_eq!(at("SELECT * FROM events WHERE trace IN ('control', '|')"), ["control", "test"]);
        assert_eq!(at("SELECT * FROM events WHERE name = 'c|'"), [""; 0]);
    }

    #[test]
    fn names_are_found_at_the_cursor() {
        assert_eq!(sql_name_at("SELECT k.dur FROM kernels k", 10), Some((Some("k".into()), "dur".into())));
        assert_eq!(sql_name_at("SELECT k.dur FROM kernels k", 20), Some((None, "kernels".into())));
        assert_eq!(sql_table_of("SELECT k.dur FROM kernels k", "k"), "kernels");
        assert_eq!(sql_name_at("SELECT 1", 7), None);
    }

    #[test]
    fn any_place_of_any_text_is_accepted() {
        let statement = "SELECT 'é, \"ü FROM ( k.";
        for at in 0..statement.len() + 3 {
            sql_candidates(statement, at, &names());
            sql_name_at(statement, at);
        }
    }
}

//! Candidates for the word at the cursor of a statement, which need not be complete.

use super::names::SqlNames;
use super::position::boundary;
use super::tables::{named_tables, table_positions, with_names};
use super::token::{Token, TokenKind, tokens};

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
    let at = boundary(statement, at);
    let all = tokens(statement);
    let before = &all[..all.partition_point(|token| token.range.start < at)];
    let current = before.last().filter(|token| token.range.end >= at && token.kind != TokenKind::Symbol);
    if let Some(token) = current.filter(|token| token.kind == TokenKind::Text) {
        let is_open = token.range.end > at || !token.text.ends_with('\'') || token.text.len() == 1;
        let is_label = is_open && before.iter().rev().take(12).any(|name| name.is("trace"));
        let start = token.range.start + 1;
        let labels = if is_label { names.labels.as_slice() } else { &[] };
        return (start, starting(&statement[start..at], labels, SqlWord::Label));
    }
    let start = current.filter(|token| token.kind == TokenKind::Word).map_or(at, |token| token.range.start);
    let typed = &statement[start..at];
    let index = all.partition_point(|token| token.range.start < start);
    if index > 0 && all[index - 1].is_symbol(".") {
        let table = index.checked_sub(2).and_then(|table| all[table].name()).unwrap_or_default();
        return (start, starting(typed, names.columns(&aliased(&all, &table)), SqlWord::Column));
    }
    if current.is_some_and(|token| token.kind == TokenKind::Number) {
        return (start, Vec::new());
    }
    if table_positions(&all).contains(&index) {
        let known = names.tables.iter().chain(&names.table_functions).map(|(name, _)| name.clone());
        let tables: Vec<String> = with_names(&all).into_iter().chain(known).collect();
        return (start, starting(typed, &tables, SqlWord::Table));
    }
    let tables: Vec<String> = named_tables(&all).into_iter().map(|table| table.name).collect();
    let mut columns: Vec<String> = Vec::new();
    for table in if tables.is_empty() { vec!["events".to_owned()] } else { tables } {
        let further = names.columns(&table).iter().filter(|column| !columns.contains(column)).cloned();
        columns.extend(further.collect::<Vec<_>>());
    }
    let is_lower = typed.chars().any(char::is_lowercase);
    let cased = |words: &[String]| -> Vec<String> {
        words.iter().map(|word| if is_lower { word.to_lowercase() } else { word.to_uppercase() }).collect()
    };
    let mut found = starting(typed, &columns, SqlWord::Column);
    found.extend(starting(typed, &cased(&names.functions), SqlWord::Function));
    found.extend(starting(typed, &cased(&names.keywords), SqlWord::Keyword));
    (start, found)
}

/// Returns the name at a place of a statement, with the name before its point, if there is one.
pub fn sql_name_at(statement: &str, at: usize) -> Option<(Option<String>, String)> {
    let all = tokens(statement);
    let is_here = |token: &Token<'_>| token.range.start <= at && at <= token.range.end && token.name().is_some();
    let index = all.iter().position(is_here)?;
    let before = index.checked_sub(2).filter(|before| all[before + 1].is_symbol("."));
    Some((before.and_then(|before| all[before].name()), all[index].name()?))
}

/// Returns the table for which a name stands: itself, or the one whose alias it is.
pub fn sql_table_of(statement: &str, name: &str) -> String {
    aliased(&tokens(statement), name)
}

fn aliased(all: &[Token<'_>], name: &str) -> String {
    let table = named_tables(all).into_iter().find(|table| table.alias.eq_ignore_ascii_case(name));
    table.map_or_else(|| name.to_owned(), |table| table.name)
}

fn starting(typed: &str, words: &[String], kind: SqlWord) -> Vec<(String, SqlWord)> {
    let typed = typed.to_lowercase();
    let begins = |word: &&String| word.to_lowercase().starts_with(&typed);
    words.iter().filter(begins).map(|word| (word.clone(), kind)).collect()
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
        assert_eq!(at("SELECT * FROM | WHERE a"), ["events", "kernels", "gaps"]);
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
        assert_eq!(at("SELECT n| FROM events JOIN kernels"), ["name"]);
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
        assert_eq!(sql_table_of("SELECT g.dur FROM gaps(7, 8) AS g", "g"), "gaps");
        assert_eq!(sql_name_at("SELECT 1", 7), None);
    }

    #[test]
    fn any_place_of_any_text_is_accepted() {
        for statement in ["SELECT 'é, \"ü FROM ( k.", ".", "FROM gaps(", "WITH x (", "a AS", ") ) . é."] {
            for at in 0..statement.len() + 3 {
                sql_candidates(statement, at, &names());
                sql_name_at(statement, at);
                sql_table_of(statement, "k");
            }
        }
    }
}

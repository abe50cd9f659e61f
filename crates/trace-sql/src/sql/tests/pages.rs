//! Statements of the guide and of the README run; those that are shown as mistakes are refused.

#![allow(clippy::unwrap_used)]

use crate::{SqlTables, TraceSet};
use std::path::Path;

/// Returns the statements of a page, and whether each is shown as a mistake.
fn statements(page: &str) -> Vec<(String, bool)> {
    let mut found = Vec::new();
    for block in page.split("```").skip(1).step_by(2) {
        let (kind, code) = block.split_once('\n').unwrap_or((block, ""));
        let is_error = kind.contains("error");
        if let Some(cell) = code.strip_prefix("%%trace_sql\n") {
            found.push((cell.to_owned(), is_error));
        }
        let lines = code.lines().filter_map(|line| line.strip_prefix("%trace_sql "));
        found.extend(lines.map(|line| (line.to_owned(), is_error)));
    }
    found
}

#[test]
fn statements_of_the_pages_run() {
    let load = |name: &str| TraceSet::load(Path::new("../../notebooks/data").join(name)).unwrap().with_label(name);
    let mut tables = SqlTables::of(&["control", "test", "job"].map(load));
    let mut run = 0;
    for page in ["../../docs/guide/sql.md", "../../README.md"] {
        for (statement, is_error) in statements(&std::fs::read_to_string(page).unwrap()) {
            let (name, statement) = match statement.split_once("<<") {
                Some((name, statement)) => (Some(name.trim().to_owned()), statement.to_owned()),
                None => (None, statement),
            };
            let answer = tables.query(&statement);
            assert_eq!(answer.is_err(), is_error, "{statement}: {answer:?}");
            if let (Some(name), Ok(rows)) = (name, answer) {
                assert!(rows.height() > 0, "{statement}");
                tables = tables.frame(name, rows);
            }
            run += 1;
        }
    }
    assert!(run >= 8, "{run} statements");
}

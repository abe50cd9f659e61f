//! Completion and help in the statement of a magic that takes SQL.

use super::candidate::{Candidate, CandidateKind};
use super::code::split_code;
use super::complete::Completion;
use crate::cell::{OwnedText, owned_text};
use crate::magic::magics::find;
use crate::session::View;
use std::fmt::Write;
use trace::sql::{
    SqlNames, SqlTable, SqlWord, sql_candidates, sql_column, sql_function, sql_functions, sql_keywords, sql_name_at,
    sql_table_of, sql_tables,
};
use trace_view::{Bundle, terminal_safe};

/// Returns the statement around byte `at` of the cell, and its first byte; `None` outside of one.
fn statement(code: &str, at: usize) -> Option<(&str, usize)> {
    let OwnedText { name, text, start } = owned_text(code, at)?;
    let magic = find(name).filter(|magic| magic.takes_text())?;
    let line = &text[..text.find('\n').unwrap_or(text.len())];
    let (_, first) = split_code(magic, line);
    // `first` is the end of the line but for blanks.
    let skipped = if first.is_empty() { line.len() } else { line.trim_end().len() - first.len() };
    let from = start + skipped;
    // At the end of a first line of flags a flag is typed.
    let is_flag = first.starts_with('-') || (first.is_empty() && at == from);
    (at >= from && !is_flag).then(|| (&code[from..start + text.len()], from))
}

/// Returns the candidates in a statement; `None` outside of one.
pub(super) fn complete(code: &str, at: usize, view: &View) -> Option<Completion> {
    let end = (0..=at.min(code.len())).rev().find(|&at| code.is_char_boundary(at))?;
    let (text, from) = statement(code, end)?;
    let (start, found) = sql_candidates(text, end - from, &names(view));
    let kind = |word: SqlWord| match word {
        SqlWord::Table => CandidateKind::Table,
        SqlWord::Column => CandidateKind::Value,
        SqlWord::Function => CandidateKind::Function,
        SqlWord::Keyword => CandidateKind::Keyword,
        SqlWord::Label => CandidateKind::Trace,
    };
    let items = found.into_iter().map(|(text, word)| Candidate { text, kind: kind(word) }).collect();
    Some(Completion { start: from + start, end, items })
}

/// Returns help on the table, column or function at byte `at` of the cell; `None` outside of a statement, or if nothing is known.
pub(super) fn inspect(code: &str, at: usize, view: &View) -> Option<Bundle> {
    let end = (0..=at.min(code.len())).rev().find(|&at| code.is_char_boundary(at))?;
    let (text, from) = statement(code, end)?;
    let (_, name) = sql_name_at(text, end - from)?;
    let table = sql_table_of(text, &name);
    if let Some(found) = tables(view).into_iter().find(|known| known.name.eq_ignore_ascii_case(&table)) {
        return Some(Bundle::text(table_page(&found)));
    }
    if let Some(schema) = view.frames.get(&table) {
        let columns: Vec<String> = schema.columns.iter().map(|(name, dtype)| format!("{name}  {dtype}")).collect();
        return Some(Bundle::text(terminal_safe(&format!("{table}: a data frame\n\n{}", columns.join("\n")))));
    }
    if let Some(column) = sql_column(&name) {
        return Some(Bundle::text(format!("{name}: {}{}", column.meaning, unit(column))));
    }
    sql_function(&name).map(|usage| Bundle::text(format!("{usage}: a function of SQL")))
}

fn unit(column: &trace_view::Column) -> String {
    let symbol = column.unit.symbol();
    if symbol.is_empty() { String::new() } else { format!(" [{symbol}]") }
}

/// Returns what a table has, one line per column.
fn table_page(table: &SqlTable) -> String {
    let mut page = format!("{}: {}\n", table.usage, table.meaning);
    let widest = table.columns.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    for name in &table.columns {
        let meaning = sql_column(name).map(|column| format!("{}{}", column.meaning, unit(column))).unwrap_or_default();
        let _ = write!(page, "\n{}", format!("{:widest$}  {meaning}", terminal_safe(name)).trim_end());
    }
    page
}

/// Returns the tables of the loaded traces, with the columns that their events have.
fn tables(view: &View) -> Vec<SqlTable> {
    let mut columns: Vec<&str> = Vec::new();
    for name in view.events.values().flat_map(|schema| schema.names()) {
        if !columns.contains(&name) {
            columns.push(name);
        }
    }
    sql_tables(columns)
}

fn names(view: &View) -> SqlNames {
    let (functions, views): (Vec<SqlTable>, Vec<SqlTable>) =
        tables(view).into_iter().partition(|table| table.is_function);
    let named = |table: SqlTable| (table.name.to_owned(), table.columns);
    let mut tables: Vec<(String, Vec<String>)> = views.into_iter().map(named).collect();
    for (name, schema) in &view.frames {
        tables.push((name.clone(), schema.names().map(str::to_owned).collect()));
    }
    tables.extend(view.statements.iter().map(|name| (name.clone(), Vec::new())));
    SqlNames {
        tables,
        table_functions: functions.into_iter().map(named).collect(),
        functions: sql_functions(),
        keywords: sql_keywords().into_iter().map(str::to_owned).collect(),
        labels: view.traces.iter().map(|trace| trace.label.clone()).collect(),
    }
}

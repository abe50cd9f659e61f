//! Random statements over three traces: against the same rows in SQLite's own tables, and written down for DuckDB
//! (`tests/test_sql_answers.py`).

#![allow(clippy::unwrap_used)]

use crate::exec::memory::Budget;
use crate::sql::answer::Answer;
use crate::{SqlTables, TraceSet};
use polars::prelude::{AnyValue, DataFrame, DataType};
use serde_json::{Value as Json, json};
use sql_engine::rusqlite::types::{Value as Stored, ValueRef};
use sql_engine::rusqlite::{Connection, Result as SqliteResult, params_from_iter};
use sql_engine::{Receiver, ResultColumn, Value};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use trace_testkit::statements::{ColumnKind, RandomStatement, RandomStatements, StatementColumn, StatementTable};

const TRACES: [&str; 3] = ["control", "test", "job"];

/// The tables of statements, with their rows.
const TABLES: [(&str, &str); 3] = [
    (
        "events",
        "SELECT trace, rank, iteration, id, name, cat, ts, dur, end_ts, stream, tid, correlation FROM events WHERE id BETWEEN 3650 AND 3790",
    ),
    (
        "kernels",
        "SELECT trace, rank, iteration, id, name, ts, dur, stream, kernel_type, launch_id FROM kernels WHERE id BETWEEN 3700 AND 4000",
    ),
    (
        "launches",
        "SELECT trace, rank, id, name, ts, dur, kernel_id, kernel, kernel_delay FROM launches WHERE id BETWEEN 3700 AND 4000",
    ),
];

/// Most rows of an answer that DuckDB is asked for, too.
const MOST_WRITTEN: usize = 3000;

/// The rows of the traces, as tables of both engines: statements name tables whose rows are a part of a view.
struct Both {
    tables: SqlTables,
    plain: Connection,
    rows: Vec<(&'static str, DataFrame)>,
}

fn both() -> Both {
    let load = |name: &str| TraceSet::load(Path::new("../../notebooks/data").join(name)).unwrap().with_label(name);
    let sets: Vec<TraceSet> = TRACES.iter().map(|name| load(name)).collect();
    let views = SqlTables::of(&sets);
    let mut tables = SqlTables::of(&sets);
    let plain = Connection::open_in_memory().unwrap();
    plain.execute_batch("PRAGMA case_sensitive_like = ON").unwrap();
    sql_engine::register(&plain).unwrap();
    let mut rows = Vec::new();
    for (name, statement) in TABLES {
        let frame = views.query(statement).unwrap();
        assert!(frame.height() >= 100, "{name}: {} rows", frame.height());
        insert(&plain, name, &frame);
        // The engine reads the views themselves: a saved statement chooses the rows.
        tables = tables.statement(format!("some_{name}"), statement);
        rows.push((name, frame));
    }
    Both { tables, plain, rows }
}

fn insert(connection: &Connection, name: &str, frame: &DataFrame) {
    let columns = frame.columns().iter().map(|column| format!("\"{}\" {}", column.name(), declared(column.dtype())));
    let columns: Vec<String> = columns.collect();
    connection.execute_batch(&format!("CREATE TABLE some_{name} ({})", columns.join(", "))).unwrap();
    let mut insert = connection
        .prepare(&format!("INSERT INTO some_{name} VALUES ({})", vec!["?"; columns.len()].join(", ")))
        .unwrap();
    for row in 0..frame.height() {
        let values = frame.columns().iter().map(|column| match column.get(row).unwrap() {
            AnyValue::Null => Stored::Null,
            AnyValue::Int64(value) => Stored::Integer(value),
            AnyValue::Float64(value) => Stored::Real(value),
            value => Stored::Text(value.get_str().unwrap().to_owned()),
        });
        insert.execute(params_from_iter(values)).unwrap();
    }
}

fn declared(dtype: &DataType) -> &'static str {
    match dtype {
        DataType::Int64 => "INTEGER",
        DataType::Float64 => "REAL",
        _ => "TEXT",
    }
}

fn described(name: &str, frame: &DataFrame) -> StatementTable {
    let literal = |value: AnyValue<'_>| match value {
        AnyValue::Null => None,
        value => {
            Some(value.get_str().map_or_else(|| value.to_string(), |text| format!("'{}'", text.replace('\'', "''"))))
        }
    };
    let columns = frame.columns().iter().map(|column| StatementColumn {
        name: column.name().to_string(),
        kind: match column.dtype() {
            DataType::Int64 => ColumnKind::Int,
            DataType::Float64 => ColumnKind::Real,
            _ => ColumnKind::Text,
        },
        samples: (0..frame.height())
            .step_by(frame.height() / 200 + 1)
            .map(|row| literal(column.get(row).unwrap()))
            .collect(),
    });
    StatementTable { name: format!("some_{name}"), columns: columns.collect() }
}

/// Returns the answer of SQLite over its own tables, as a frame of the types that answers have.
fn plain_answer(connection: &Connection, statement: &str) -> SqliteResult<DataFrame> {
    let mut prepared = connection.prepare(statement)?;
    let mut answer = Answer::within(Budget::now().unwrap());
    let width = prepared.column_count();
    answer.columns((0..width).map(|at| ResultColumn { name: at.to_string(), kind: None, unit: None }).collect());
    let mut rows = prepared.query([])?;
    while let Some(row) = rows.next()? {
        for at in 0..width {
            answer.value(
                at,
                match row.get_ref(at)? {
                    ValueRef::Null => Value::Null,
                    ValueRef::Integer(value) => Value::Int(value),
                    ValueRef::Real(value) => Value::Real(value),
                    ValueRef::Text(text) | ValueRef::Blob(text) => Value::Text(std::str::from_utf8(text).unwrap()),
                },
            );
        }
        answer.end_row().unwrap();
    }
    Ok(answer.finish().unwrap().0)
}

/// Returns the rows as texts of values; for statements without an order sorted, numbers as they are.
fn rows(frame: &DataFrame, is_ordered: bool) -> Vec<Vec<Cell>> {
    let cell = |value: AnyValue<'_>| match value {
        AnyValue::Null => Cell::Null,
        AnyValue::Int64(value) => Cell::Int(value),
        AnyValue::Float64(value) => Cell::Real(value),
        value => Cell::Text(value.get_str().unwrap_or_default().to_owned()),
    };
    let row = |row: usize| frame.columns().iter().map(|column| cell(column.get(row).unwrap())).collect();
    let mut rows: Vec<Vec<Cell>> = (0..frame.height()).map(row).collect();
    if !is_ordered {
        rows.sort_by(|left, right| left.partial_cmp(right).unwrap());
    }
    rows
}

#[derive(Debug, Clone, PartialEq, PartialOrd)]
enum Cell {
    Null,
    Int(i64),
    Real(f64),
    Text(String),
}

impl Cell {
    /// Sums of floating-point numbers depend on the order of rows in their last digits.
    fn is_near(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Real(a), Self::Real(b)) => (a - b).abs() <= 1e-12 * a.abs().max(b.abs()),
            _ => self == other,
        }
    }

    fn json(&self) -> Json {
        match self {
            Self::Null => Json::Null,
            Self::Int(value) => json!(value),
            Self::Real(value) => json!(value),
            Self::Text(text) => json!(text),
        }
    }
}

/// The folder of tables and answers for DuckDB.
struct Written {
    answers: BufWriter<File>,
}

impl Written {
    fn create(folder: PathBuf, rows_of: &[(&str, DataFrame)]) -> Self {
        std::fs::create_dir_all(&folder).unwrap();
        let mut tables = Vec::new();
        for (name, frame) in rows_of {
            let kind = |dtype: &DataType| match dtype {
                DataType::Int64 => "int",
                DataType::Float64 => "real",
                _ => "text",
            };
            let columns: Vec<Json> = frame
                .columns()
                .iter()
                .map(|column| json!({"name": column.name().as_str(), "kind": kind(column.dtype())}))
                .collect();
            tables.push(json!({"name": format!("some_{name}"), "columns": columns}));
            let mut file = BufWriter::new(File::create(folder.join(format!("some_{name}.jsonl"))).unwrap());
            for row in rows(frame, true) {
                writeln!(file, "{}", Json::Array(row.iter().map(Cell::json).collect())).unwrap();
            }
        }
        std::fs::write(folder.join("tables.json"), Json::Array(tables).to_string()).unwrap();
        Self { answers: BufWriter::new(File::create(folder.join("answers.jsonl")).unwrap()) }
    }

    fn add(&mut self, statement: &RandomStatement, rows: &[Vec<Cell>]) {
        let rows: Vec<Json> = rows.iter().map(|row| Json::Array(row.iter().map(Cell::json).collect())).collect();
        let answer = json!({
            "statement": statement.text, "ordered": statement.is_ordered, "differs": statement.differs_from_duckdb, "rows": rows,
        });
        writeln!(self.answers, "{answer}").unwrap();
    }
}

/// `TRACEBOOK_STATEMENTS` sets the number of statements, `TRACEBOOK_SEED` adds to the seed, `TRACEBOOK_SQL_ANSWERS` is a folder for the
/// answers.
#[test]
fn random_statements_answer_as_over_plain_tables() {
    let number = |name: &str| std::env::var(name).ok().and_then(|value| value.parse::<u64>().ok());
    let count = number("TRACEBOOK_STATEMENTS").unwrap_or(3_000) as usize;
    let both = both();
    let most_rows = both.rows.iter().map(|(_, frame)| frame.height()).max().unwrap();
    let described = both.rows.iter().map(|(name, frame)| described(name, frame)).collect();
    let mut written =
        std::env::var_os("TRACEBOOK_SQL_ANSWERS").map(|folder| Written::create(folder.into(), &both.rows));
    let (mut different, mut refused) = (Vec::new(), 0);
    let statements = RandomStatements::new(7 + number("TRACEBOOK_SEED").unwrap_or(0), described);
    for statement in statements.with_most_rows(most_rows).take(count) {
        let expected = plain_answer(&both.plain, &statement.text);
        let found = both.tables.query(&statement.text);
        let (expected, found) = match (expected, found) {
            (Ok(expected), Ok(found)) => (rows(&expected, statement.is_ordered), rows(&found, statement.is_ordered)),
            (Err(_), Err(_)) => {
                refused += 1;
                continue;
            }
            (expected, found) => {
                different.push(format!("{}\n  plain {:?}\n  found {:?}", statement.text, expected.err(), found.err()));
                continue;
            }
        };
        let is_equal = expected.len() == found.len()
            && expected.iter().zip(&found).all(|(a, b)| a.iter().zip(b).all(|(a, b)| a.is_near(b)));
        if !is_equal {
            let first = expected.iter().zip(&found).find(|(a, b)| a != b);
            different.push(format!("{}\n  {} rows, {} rows, {first:?}", statement.text, expected.len(), found.len()));
        } else if let Some(written) = written.as_mut().filter(|_| found.len() <= MOST_WRITTEN) {
            written.add(&statement, &found);
        }
    }
    println!("{count} statements over at most {most_rows} rows, {refused} refused by both");
    assert!(
        different.is_empty(),
        "{} of {count}:\n{}",
        different.len(),
        different[..different.len().min(9)].join("\n")
    );
    assert!(refused * 20 < count, "{refused} of {count} are refused");
}

//! Small tables in memory, as virtual tables and as plain tables of SQLite with the same rows.

use crate::column::{Column, Dictionary};
use crate::{
    ColumnSpec, Database, Failure, Host, Kind, OwnedValue, Part, PartSpec, Receiver, ResultColumn, StatementFailure,
    Table, Value,
};
use rusqlite::config::DbConfig;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, params_from_iter};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// A host without limits, unless told otherwise.
#[derive(Default)]
pub(super) struct Unlimited {
    pub(super) is_interrupted: AtomicBool,
    pub(super) is_full: AtomicBool,
}

impl Host for Unlimited {
    fn is_interrupted(&self) -> bool {
        self.is_interrupted.load(Ordering::Relaxed)
    }

    fn fits(&self, _: usize) -> bool {
        !self.is_full.load(Ordering::Relaxed)
    }
}

/// Columns by their numbers.
type Columns = Vec<usize>;

/// A table of values, with the reads that it was asked for.
pub(super) struct Rows {
    pub(super) name: &'static str,
    pub(super) columns: Vec<ColumnSpec>,
    pub(super) parts: Vec<PartSpec>,
    pub(super) rows: Vec<Vec<Vec<OwnedValue>>>,
    /// Columns whose texts have codes.
    pub(super) coded: Vec<usize>,
    pub(super) reads: Arc<Mutex<Vec<(usize, Columns)>>>,
    pub(super) failing: Arc<AtomicUsize>,
}

impl Rows {
    pub(super) fn of(name: &'static str, columns: &[(&str, Kind)], rows: Vec<Vec<Vec<OwnedValue>>>) -> Self {
        let part = |rows: &Vec<Vec<OwnedValue>>| PartSpec { rows: rows.len(), fixed: Vec::new() };
        Self {
            name,
            columns: columns.iter().map(|(name, kind)| ColumnSpec::new(*name, *kind)).collect(),
            parts: rows.iter().map(part).collect(),
            rows,
            coded: Vec::new(),
            reads: Arc::default(),
            failing: Arc::new(AtomicUsize::new(usize::MAX)),
        }
    }

    /// Declares columns that have one value in each part.
    pub(super) fn with_fixed(mut self, columns: &[usize]) -> Self {
        for (part, rows) in self.parts.iter_mut().zip(&self.rows) {
            part.fixed = columns.iter().map(|&column| (column, rows[0][column].clone())).collect();
        }
        self
    }

    pub(super) fn with_codes(mut self, columns: &[usize]) -> Self {
        self.coded = columns.to_vec();
        self
    }
}

impl Table for Rows {
    fn columns(&self) -> &[ColumnSpec] {
        &self.columns
    }

    fn parts(&self) -> &[PartSpec] {
        &self.parts
    }

    fn read(&self, part: usize, columns: &[usize], _: &[OwnedValue]) -> Result<Part, Failure> {
        self.reads.lock().unwrap().push((part, columns.to_vec()));
        if self.failing.load(Ordering::Relaxed) == part {
            return Err("the part is broken".into());
        }
        let rows = &self.rows[part];
        let mut read = Part { rows: rows.len(), columns: Vec::new() };
        for column in 0..self.columns.len() {
            let values = || rows.iter().map(|row| row[column].clone()).collect::<Vec<_>>();
            read.columns.push(columns.contains(&column).then(|| -> Arc<dyn Column> {
                if self.coded.contains(&column) { Arc::new(Coded::of(&values())) } else { Arc::new(Values(values())) }
            }));
        }
        Ok(read)
    }
}

struct Values(Vec<OwnedValue>);

impl Column for Values {
    fn value(&self, row: usize) -> Value<'_> {
        self.0.get(row).map_or(Value::Null, OwnedValue::borrowed)
    }
}

struct Coded {
    codes: Vec<Option<u32>>,
    dictionary: Arc<dyn Dictionary>,
}

struct Texts(Vec<String>);

impl Coded {
    /// Codes are in the order in which texts occur first.
    fn of(values: &[OwnedValue]) -> Self {
        let mut texts: Vec<String> = Vec::new();
        let codes = values.iter().map(|value| {
            let OwnedValue::Text(text) = value else { return None };
            let known = texts.iter().position(|known| known == text).unwrap_or_else(|| {
                texts.push(text.clone());
                texts.len() - 1
            });
            Some(known as u32)
        });
        let codes = codes.collect();
        Self { codes, dictionary: Arc::new(Texts(texts)) }
    }
}

impl Column for Coded {
    fn value(&self, row: usize) -> Value<'_> {
        self.code(row).map_or(Value::Null, |code| Value::Text(self.dictionary.text(code)))
    }

    fn dictionary(&self) -> Option<&Arc<dyn Dictionary>> {
        Some(&self.dictionary)
    }

    fn code(&self, row: usize) -> Option<u32> {
        self.codes.get(row).copied().flatten()
    }
}

impl Dictionary for Texts {
    fn text(&self, code: u32) -> &str {
        &self.0[code as usize]
    }

    fn code(&self, text: &str) -> Option<u32> {
        self.0.iter().position(|known| known == text).map(|code| code as u32)
    }

    fn size(&self) -> usize {
        self.0.len()
    }

    fn identity(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }
}

/// Returns a connection to virtual tables.
pub(super) fn virtual_tables(tables: Vec<Arc<Rows>>) -> (Database, Arc<Unlimited>) {
    let host = Arc::new(Unlimited::default());
    let database = Database::open(Arc::clone(&host) as Arc<dyn Host>).unwrap();
    for table in tables {
        let name = table.name;
        database.add_table(name, table).unwrap();
    }
    (database, host)
}

/// Returns a connection to plain tables with the same rows, functions and settings.
pub(super) fn plain_tables(tables: &[Arc<Rows>]) -> Connection {
    let connection = Connection::open_in_memory().unwrap();
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DQS_DML, false).unwrap();
    connection.execute_batch("PRAGMA case_sensitive_like = ON").unwrap();
    crate::register(&connection).unwrap();
    for table in tables {
        let columns = table.columns.iter().map(|column| format!("\"{}\" {}", column.name, column.kind.declared()));
        let columns: Vec<String> = columns.collect();
        connection.execute_batch(&format!("CREATE TABLE {} ({})", table.name, columns.join(", "))).unwrap();
        let placeholders = vec!["?"; columns.len()].join(", ");
        let mut insert = connection.prepare(&format!("INSERT INTO {} VALUES ({placeholders})", table.name)).unwrap();
        for row in table.rows.iter().flatten() {
            insert.execute(params_from_iter(row.iter().map(bound))).unwrap();
        }
    }
    connection
}

fn bound(value: &OwnedValue) -> rusqlite::types::Value {
    match value.clone() {
        OwnedValue::Null => rusqlite::types::Value::Null,
        OwnedValue::Int(value) => rusqlite::types::Value::Integer(value),
        OwnedValue::Real(value) => rusqlite::types::Value::Real(value),
        OwnedValue::Text(text) => rusqlite::types::Value::Text(text),
    }
}

/// An answer: its rows, or SQLite's error.
pub(super) type Answer = Result<Vec<Vec<OwnedValue>>, String>;

#[derive(Default)]
pub(super) struct Collected {
    pub(super) columns: Vec<ResultColumn>,
    row: Vec<OwnedValue>,
    pub(super) rows: Vec<Vec<OwnedValue>>,
}

impl Receiver for Collected {
    fn columns(&mut self, columns: Vec<ResultColumn>) {
        self.columns = columns;
    }

    fn value(&mut self, column: usize, value: Value<'_>) {
        assert_eq!(column, self.row.len());
        self.row.push(value.to_owned());
    }

    fn end_row(&mut self) -> Result<(), Failure> {
        self.rows.push(std::mem::take(&mut self.row));
        Ok(())
    }
}

pub(super) fn run(database: &mut Database, statement: &str) -> Result<Collected, StatementFailure> {
    let mut collected = Collected::default();
    database.run(statement, usize::MAX, &mut collected)?;
    Ok(collected)
}

/// Returns the answer of virtual tables.
pub(super) fn answer(database: &mut Database, statement: &str) -> Answer {
    match run(database, statement) {
        Ok(collected) => Ok(collected.rows),
        Err(StatementFailure::Refused(error)) => Err(error.to_string()),
        Err(other) => panic!("{statement}: {other:?}"),
    }
}

/// Returns the answer of plain tables.
pub(super) fn plain_answer(connection: &Connection, statement: &str) -> Answer {
    let rows = || -> rusqlite::Result<Vec<Vec<OwnedValue>>> {
        let mut prepared = connection.prepare(statement)?;
        let width = prepared.column_count();
        let value = |value: ValueRef<'_>| match value {
            ValueRef::Null => OwnedValue::Null,
            ValueRef::Integer(value) => OwnedValue::Int(value),
            ValueRef::Real(value) => OwnedValue::Real(value),
            ValueRef::Text(bytes) | ValueRef::Blob(bytes) => {
                OwnedValue::Text(String::from_utf8_lossy(bytes).into_owned())
            }
        };
        let rows = prepared.query_map([], |row| (0..width).map(|at| Ok(value(row.get_ref(at)?))).collect())?;
        rows.collect()
    };
    rows().map_err(|error| error.to_string())
}

/// Returns rows in an order of their own, for statements without one.
pub(super) fn sorted(mut rows: Vec<Vec<OwnedValue>>) -> Vec<Vec<OwnedValue>> {
    rows.sort_by(|left, right| {
        let pairs = left.iter().zip(right).map(|(left, right)| left.borrowed().compare(right.borrowed()));
        pairs.fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then)
    });
    rows
}

//! Connections: tables, limits, and statements that only read.

use crate::functions::register;
use crate::heap::HeapBound;
use crate::module::add;
use crate::statement::{CombinedColumn, combined_columns};
use crate::store::{FirstFailure, TableState, locked};
use crate::table::{Failure, Host, Table};
use crate::value::{Kind, Value};
use rusqlite::config::DbConfig;
use rusqlite::hooks::{AuthAction, Authorization};
use rusqlite::limits::Limit;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags, Row};
use std::path::Path;
use std::sync::Arc;

/// Steps of SQLite between two looks at interrupts: a few hundred microseconds.
const STEPS: i32 = 20_000;

/// A column of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResultColumn {
    /// Its name; equal names are numbered.
    pub name: String,
    /// The type that the table declares, if the column is one of a table.
    pub kind: Option<Kind>,
    /// The unit that the table declares, if the column shows or adds up values of such columns.
    pub unit: Option<String>,
}

/// Why a statement has no answer.
#[derive(Debug)]
pub enum StatementFailure {
    /// SQLite refuses it.
    Refused(rusqlite::Error),
    /// The host ended it.
    Interrupted,
    /// It needs more memory than it may use.
    OutOfMemory,
    /// A table or the receiver of the rows failed.
    Failed(Failure),
}

/// What receives the rows of an answer.
pub trait Receiver {
    /// Takes the columns, before the first row.
    fn columns(&mut self, columns: Vec<ResultColumn>);

    /// Takes the value of a column of the next row; the columns come in their order.
    fn value(&mut self, column: usize, value: Value<'_>);

    /// Ends a row.
    ///
    /// # Errors
    /// Those of the receiver: the statement ends with them.
    fn end_row(&mut self) -> Result<(), Failure>;
}

/// A connection to tables in memory.
pub struct Database {
    connection: Connection,
    host: Arc<dyn Host>,
    failed: FirstFailure,
}

impl Database {
    /// Opens a connection without tables.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn open(host: Arc<dyn Host>) -> rusqlite::Result<Self> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_in_memory_with_flags(flags)?;
        // A text in double quotes is a name, never a text.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DQS_DML, false)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DQS_DDL, false)?;
        connection
            .execute_batch("PRAGMA case_sensitive_like = ON; PRAGMA trusted_schema = OFF; PRAGMA temp_store = FILE; PRAGMA cache_size = -65536")?;
        for (limit, value) in [
            (Limit::SQLITE_LIMIT_SQL_LENGTH, 1_000_000),
            (Limit::SQLITE_LIMIT_LENGTH, 100_000_000),
            (Limit::SQLITE_LIMIT_EXPR_DEPTH, 500),
            (Limit::SQLITE_LIMIT_COMPOUND_SELECT, 200),
            (Limit::SQLITE_LIMIT_ATTACHED, 0),
            (Limit::SQLITE_LIMIT_VARIABLE_NUMBER, 0),
            (Limit::SQLITE_LIMIT_TRIGGER_DEPTH, 1),
            (Limit::SQLITE_LIMIT_WORKER_THREADS, 0),
        ] {
            connection.set_limit(limit, value)?;
        }
        register(&connection)?;
        Ok(Self { connection, host, failed: FirstFailure::default() })
    }

    /// Sets the folder for temporary files of large sorts, for all connections of this process.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn set_temporary_folder(&self, folder: &Path) -> rusqlite::Result<()> {
        let folder = folder.to_string_lossy().replace('\'', "''");
        self.connection.execute_batch(&format!("PRAGMA temp_store_directory = '{folder}'"))
    }

    /// Adds a table. A later one of the same name, whatever its case, replaces it.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn add_table(&self, name: &str, table: Arc<dyn Table>) -> rusqlite::Result<()> {
        let state = TableState::of(table, Arc::clone(&self.host), Arc::clone(&self.failed));
        add(&self.connection, name, Arc::new(state))
    }

    /// Adds a statement whose rows are a table. It is looked at only when a statement names it.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn add_view(&self, name: &str, statement: &str) -> rusqlite::Result<()> {
        let name = name.replace('"', "\"\"");
        let statement = statement.trim_end().trim_end_matches(';');
        self.connection.execute_batch(&format!("CREATE TEMP VIEW \"{name}\" AS\n{statement}\n"))
    }

    /// Returns the connection, for questions about functions and keywords.
    pub fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Runs a statement that reads, within so many bytes for sorts, groups and joins.
    ///
    /// # Errors
    /// If SQLite refuses it, the host interrupts it, or a table fails.
    pub fn run(&mut self, statement: &str, bytes: usize, receiver: &mut dyn Receiver) -> Result<(), StatementFailure> {
        *locked(&self.failed) = None;
        let host = Arc::clone(&self.host);
        let watched = self.connection.progress_handler(STEPS, Some(move || host.is_interrupted()));
        let guarded = watched.and_then(|()| {
            self.connection.authorizer(Some(|context: rusqlite::hooks::AuthContext<'_>| match context.action {
                AuthAction::Select | AuthAction::Read { .. } | AuthAction::Recursive => Authorization::Allow,
                AuthAction::Function { function_name } if !is_forbidden(function_name) => Authorization::Allow,
                _ => Authorization::Deny,
            }))
        });
        guarded.map_err(StatementFailure::Refused)?;
        let _bound = HeapBound::of(bytes);
        let mut refused_by_receiver = None;
        let result = self.rows(statement, receiver, &mut refused_by_receiver);
        if let Some(failure) = refused_by_receiver.or_else(|| locked(&self.failed).take()) {
            return Err(StatementFailure::Failed(failure));
        }
        result.map_err(|error| match error.sqlite_error_code() {
            Some(rusqlite::ErrorCode::OperationInterrupted) => StatementFailure::Interrupted,
            Some(rusqlite::ErrorCode::OutOfMemory) => StatementFailure::OutOfMemory,
            _ => StatementFailure::Refused(error),
        })
    }

    /// Returns the unit that all operands of a column have.
    fn common_unit(&self, combined: &CombinedColumn) -> Option<String> {
        let units = combined.statements.iter().map(|statement| {
            let prepared = self.connection.prepare(statement).ok()?;
            let column = prepared.columns().nth(combined.column)?;
            declared(column.decl_type()).1
        });
        let units: Option<Vec<String>> = units.collect();
        units?
            .into_iter()
            .reduce(|first, next| if first == next { first } else { String::new() })
            .filter(|unit| !unit.is_empty())
    }

    fn rows(
        &self,
        statement: &str,
        receiver: &mut dyn Receiver,
        refused: &mut Option<Failure>,
    ) -> rusqlite::Result<()> {
        let mut prepared = self.connection.prepare(statement)?;
        let columns = prepared.columns();
        let (names, declared): (Vec<String>, Vec<Declared>) =
            columns.map(|column| (column.name().to_owned(), declared(column.decl_type()))).unzip();
        let columns = numbered(names).into_iter().zip(declared);
        let mut columns: Vec<ResultColumn> =
            columns.map(|(name, (kind, unit))| ResultColumn { name, kind, unit }).collect();
        let width = columns.len();
        for combined in combined_columns(statement).into_iter().filter(|combined| combined.items == width) {
            let column = &mut columns[combined.column];
            if column.unit.is_none() {
                column.unit = self.common_unit(&combined);
            }
        }
        receiver.columns(columns);
        let mut rows = prepared.query([])?;
        while let Some(row) = rows.next()? {
            for column in 0..width {
                give(row, column, receiver)?;
            }
            if let Err(failure) = receiver.end_row() {
                *refused = Some(failure);
                return Ok(());
            }
        }
        Ok(())
    }
}

/// The type and the unit of a column of a table.
type Declared = (Option<Kind>, Option<String>);

fn declared(text: Option<&str>) -> Declared {
    let (kind, unit) = text.map(|text| text.split_once(' ').unwrap_or((text, ""))).unwrap_or_default();
    let kind = [Kind::Int, Kind::Real, Kind::Text].into_iter().find(|known| kind == known.declared());
    (kind, kind.and(Some(unit)).filter(|unit| !unit.is_empty()).map(str::to_owned))
}

fn give(row: &Row<'_>, column: usize, receiver: &mut dyn Receiver) -> rusqlite::Result<()> {
    match row.get_ref(column)? {
        ValueRef::Null => receiver.value(column, Value::Null),
        ValueRef::Integer(value) => receiver.value(column, Value::Int(value)),
        ValueRef::Real(value) => receiver.value(column, Value::Real(value)),
        ValueRef::Text(text) => receiver.value(column, Value::Text(&String::from_utf8_lossy(text))),
        ValueRef::Blob(bytes) => receiver.value(column, Value::Text(&String::from_utf8_lossy(bytes))),
    }
    Ok(())
}

/// Functions that look at more than values.
fn is_forbidden(function: &str) -> bool {
    ["load_extension", "sqlite_compileoption_get", "sqlite_compileoption_used", "fts3_tokenizer"]
        .iter()
        .any(|name| name.eq_ignore_ascii_case(function))
}

/// Numbers names that occur before: `name`, `name_2`.
fn numbered(names: Vec<String>) -> Vec<String> {
    let mut found: Vec<String> = Vec::with_capacity(names.len());
    for name in &names {
        let free = |candidate: &String| !found.contains(candidate) && (candidate == name || !names.contains(candidate));
        let mut candidates = std::iter::once(name.clone()).chain((2..).map(|number| format!("{name}_{number}")));
        let chosen = candidates.find(free);
        found.push(chosen.unwrap_or_default());
    }
    found
}

//! Statements: text → checks → tables that are arguments → SQLite → rows.

use super::answer::Answer;
use super::function_table::{FUNCTIONS, FunctionTable};
use super::interval_tables::{intersect_table, overlap_table};
use super::rank_rows::OF_INTERVALS;
use super::tables::{SqlTables, names};
use super::view_table::{FrameTable, ViewTable};
use super::views::View;
use crate::dataset::temporary_folder;
use crate::exec::checkpoint::{self, Inherited};
use crate::exec::memory::{Budget, Task};
use crate::{Error, Execution, Result};
use polars::prelude::DataFrame;
use sql_engine::StatementError as SqlError;
use sql_engine::{
    Database, Failure, Host, StatementFailure, TableCall, check_statement, explained, table_calls, tables_named,
};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The deepest nesting of tables that are arguments of table functions.
const DEEPEST: usize = 8;

/// The most calls of table functions with tables in one statement.
const MOST_CALLS: usize = 16;

/// The widest table: SQLite has no wider ones.
const WIDEST: usize = 2000;

/// Hears from time to time how many rows of tables a statement has read.
pub(super) type OnRows = Arc<dyn Fn(u64) + Send + Sync>;

/// What the engine asks of the context of a statement, on any thread.
struct Context {
    execution: Execution,
    budget: Budget,
    read: AtomicU64,
    on_rows: OnRows,
}

impl Host for Context {
    fn is_interrupted(&self) -> bool {
        let is_interrupted = self.execution.run(checkpoint::interrupted);
        if !is_interrupted {
            (self.on_rows)(self.read.load(Ordering::Relaxed));
        }
        is_interrupted
    }

    fn rows_read(&self, rows: usize) {
        self.read.fetch_add(rows as u64, Ordering::Relaxed);
    }

    fn fits(&self, bytes: usize) -> bool {
        self.budget.left() > bytes as u64
    }
}

/// A statement that runs.
pub(super) struct Run<'r> {
    tables: &'r SqlTables,
    /// The rows of calls with tables, by the name that stands for the call.
    called: BTreeMap<String, DataFrame>,
    /// The names of calls, by their texts.
    texts: Vec<(String, String)>,
    depth: usize,
    on_rows: OnRows,
}

fn refused(error: SqlError) -> Error {
    Error::Sql(Box::new(error))
}

/// Returns the error of a statement; any other error as it is.
fn of_statement(error: Error) -> std::result::Result<SqlError, Error> {
    match error {
        Error::Sql(error) => error.downcast::<SqlError>().map(|error| *error).map_err(Error::Sql),
        error => Err(error),
    }
}

impl<'r> Run<'r> {
    pub(super) fn of(tables: &'r SqlTables, on_rows: OnRows) -> Self {
        Self { tables, called: BTreeMap::new(), texts: Vec::new(), depth: 0, on_rows }
    }

    /// Returns the rows of a statement, and which columns are times.
    ///
    /// # Errors
    /// [`Error::Sql`], [`Error::MemoryBudget`], [`Error::Interrupted`], and those of reading ranks.
    pub(super) fn answer(mut self, statement: &str) -> Result<(DataFrame, Vec<String>)> {
        check_statement(statement).map_err(refused)?;
        self.check_traces(statement)?;
        let text = self.with_called_tables(statement)?;
        checkpoint::check()?;
        let budget = Budget::now()?;
        let host = Arc::new(Context {
            execution: Execution::current(),
            budget,
            read: AtomicU64::new(0),
            on_rows: Arc::clone(&self.on_rows),
        });
        let mut database = Database::open(host).map_err(|error| self.unexpected(&error))?;
        self.add_tables(&mut database, statement)?;
        let mut answer = Answer::within(budget);
        let most = usize::try_from(budget.left()).unwrap_or(usize::MAX);
        match database.run(&text, most, &mut answer) {
            Ok(()) => answer.finish(),
            Err(StatementFailure::Interrupted) => Err(Error::Interrupted),
            Err(StatementFailure::OutOfMemory) => Err(budget.refused(Task::Sql, most)),
            Err(StatementFailure::Failed(failure)) => Err(self.failed(statement, failure)),
            Err(StatementFailure::Refused(error)) => {
                checkpoint::check()?;
                Err(refused(explained(statement, &error, &names(self.tables))))
            }
        }
    }

    /// Refuses tables of traces if none is loaded.
    fn check_traces(&self, statement: &str) -> Result<()> {
        if !self.tables.traces().is_empty() {
            return Ok(());
        }
        let frames = self.tables.frames();
        let all = View::ALL.into_iter().map(View::name).chain(FUNCTIONS.iter().map(|function| function.name));
        let missing = all.filter(|name| !frames.contains_key(*name) && !self.tables.saved().contains_key(*name));
        let named = tables_named(statement);
        let mut missing = missing.filter(|name| named.iter().any(|named| named.eq_ignore_ascii_case(name)));
        let Some(name) = missing.next() else { return Ok(()) };
        let error =
            SqlError::new(format!("cannot read {name}: no trace is loaded"), "%trace_load PATH --as NAME loads one");
        Err(refused(error.at_name(statement, name)))
    }

    /// Adds the tables that a statement may name. Those of traces are found first, then frames, then saved statements.
    fn add_tables(&mut self, database: &mut Database, statement: &str) -> Result<()> {
        let folder = temporary_folder(Inherited::here().spill_folder().as_deref())?;
        let add = |result: sql_engine::rusqlite::Result<()>| result.map_err(|error| self.unexpected(&error));
        add(database.set_temporary_folder(&folder))?;
        for (name, frame) in self.tables.frames().iter().chain(&self.called) {
            if frame.width() > WIDEST {
                let message =
                    format!("cannot read {name}: it has {} columns, and tables have {WIDEST} at most", frame.width());
                let error = SqlError::new(message, "select fewer columns into another frame");
                if tables_named(statement).contains(name) {
                    return Err(refused(error.at_name(statement, name)));
                }
                continue;
            }
            add(database.add_table(name, Arc::new(FrameTable::of(frame.clone())?)))?;
        }
        let traces = self.tables.traces();
        for view in View::ALL {
            let table = ViewTable::of(view, traces, self.tables.companions());
            add(database.add_table(view.name(), Arc::new(table)))?;
        }
        for function in FUNCTIONS.iter().filter(|function| function.tables().is_none()) {
            add(database.add_table(function.name, Arc::new(FunctionTable::of(function, traces))))?;
        }
        self.add_saved(database, statement)
    }

    /// Adds the saved statements that a statement names, and those that they name.
    fn add_saved(&mut self, database: &mut Database, statement: &str) -> Result<()> {
        let is_table = |name: &str| {
            let fixed = View::ALL.into_iter().map(View::name).chain(FUNCTIONS.iter().map(|function| function.name));
            fixed.into_iter().any(|known| known.eq_ignore_ascii_case(name)) || self.tables.frames().contains_key(name)
        };
        let saved: Vec<&String> = self.tables.saved().keys().filter(|name| !is_table(name)).collect();
        let (mut named, mut added): (Vec<String>, Vec<&String>) = (tables_named(statement), Vec::new());
        while let Some(name) = named.pop() {
            let Some(found) = saved.iter().find(|saved| saved.eq_ignore_ascii_case(&name)) else { continue };
            if added.contains(found) {
                continue;
            }
            added.push(found);
            let text = &self.tables.saved()[*found];
            named.extend(tables_named(text));
            let in_saved = |error: SqlError| {
                let message = format!("in the saved statement `{found}`: {}", error.message);
                refused(SqlError { message, ..error })
            };
            check_statement(text).map_err(in_saved)?;
            let known = self.called.len();
            let rewritten = self.with_called_tables(text)?;
            for (name, frame) in self.called.iter().skip(known) {
                let added = database.add_table(name, Arc::new(FrameTable::of(frame.clone())?));
                added.map_err(|error| self.unexpected(&error))?;
            }
            let added = database.add_view(found, &rewritten);
            added.map_err(|error| in_saved(explained(text, &error, &names(self.tables))))?;
        }
        Ok(())
    }

    /// Runs the calls of table functions that take tables, and returns the statement with names in their places. The text is as long
    /// as before, so that places stay the same.
    fn with_called_tables(&mut self, statement: &str) -> Result<String> {
        let known: Vec<&str> =
            FUNCTIONS.iter().filter(|function| function.tables().is_some()).map(|function| function.name).collect();
        let mut text = statement.to_owned();
        for call in table_calls(statement, &known) {
            let written = &statement[call.range.clone()];
            let is_bare = !written.contains('(');
            if is_bare
                && (self.tables.frames().contains_key(&call.name) || self.tables.saved().contains_key(&call.name))
            {
                continue;
            }
            let key = format!("{}\0{written}", &statement[call.with.clone()]);
            let name = match self.texts.iter().find(|(known, _)| *known == key) {
                Some((_, name)) => name.clone(),
                None => self.call(statement, &call, key)?,
            };
            // A keyword as a name is quoted.
            let name = if call.name == "intersect" { format!("\"{name}\"") } else { name };
            text.replace_range(call.range.clone(), &format!("{name:width$}", width = call.range.len()));
        }
        Ok(text)
    }

    /// Runs a call, and returns the name of its rows.
    fn call(&mut self, statement: &str, call: &TableCall, key: String) -> Result<String> {
        let function = FUNCTIONS.iter().find(|function| function.name == call.name);
        let (count, usage) = function.map_or((1, ""), |function| (function.tables().unwrap_or(1), function.usage));
        let wrong = |message: String, rewrite: &str| {
            let message = format!("invalid arguments of {}: {message}", call.name);
            refused(SqlError::new(message, rewrite).at(statement, call.range.clone()))
        };
        if self.depth == DEEPEST || self.texts.len() == MOST_CALLS {
            return Err(wrong(
                "expected fewer calls with tables".to_owned(),
                "bind some of them to names: df << SELECT …",
            ));
        }
        if call.arguments.len() != count && !(count == 1 && call.arguments.is_empty()) {
            return Err(wrong(format!("expected {usage}"), "a table is a name, or a SELECT in parentheses"));
        }
        let mut tables = Vec::new();
        for argument in &call.arguments {
            let rows = self.table(&statement[call.with.clone()], &statement[argument.clone()]);
            let in_argument = |error| match of_statement(error) {
                Ok(error) => refused(error.at(statement, argument.clone())),
                Err(error) => error,
            };
            tables.push(rows.map_err(in_argument)?);
        }
        if tables.is_empty() {
            tables.push(self.table("", View::Kernels.name())?);
        }
        let rows = match tables.as_slice() {
            [a, b] => intersect_table(a, b),
            [table, ..] => overlap_table(table),
            [] => Ok(DataFrame::empty()),
        };
        let rows = rows.map_err(|error| match of_statement(error) {
            Ok(error) => wrong(error.message, &error.rewrite),
            Err(error) => error,
        })?;
        let number = self.texts.iter().filter(|(_, name)| name.starts_with(&call.name)).count();
        let name = if number == 0 { call.name.clone() } else { format!("{}_{}", call.name, number + 1) };
        self.called.insert(name.clone(), rows);
        self.texts.push((key, name.clone()));
        Ok(name)
    }

    /// Returns the rows of a table that is an argument: a name, a query, a call. Of a view, it has the columns that matter for intervals.
    fn table(&self, with: &str, table: &str) -> Result<DataFrame> {
        let view = View::ALL.into_iter().find(|view| view.name().eq_ignore_ascii_case(table));
        let columns = view.map(|view| {
            let schema = view.schema(self.tables.traces());
            OF_INTERVALS.iter().copied().filter(|name| schema.contains(name)).collect::<Vec<_>>().join(", ")
        });
        let starts = |word: &str| table.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
        let table = if starts("SELECT") || starts("WITH") { format!("({table})") } else { table.to_owned() };
        let statement = format!("{with} SELECT {} FROM {table}", columns.as_deref().unwrap_or("*"));
        let run = Run { depth: self.depth + 1, ..Run::of(self.tables, Arc::clone(&self.on_rows)) };
        Ok(run.answer(&statement)?.0)
    }

    /// Returns the error of a table, at its name if it has no place yet.
    fn failed(&self, statement: &str, failure: Failure) -> Error {
        let error = match failure.downcast::<Error>() {
            Ok(error) => *error,
            Err(failure) => return refused(SqlError::new(format!("cannot run the statement: {failure}"), "")),
        };
        match of_statement(error) {
            Ok(error) if error.position.is_none() => {
                let function = FUNCTIONS.iter().find(|function| error.message.contains(function.name));
                refused(function.map_or(error.clone(), |function| error.at_name(statement, function.name)))
            }
            Ok(error) => refused(error),
            Err(error) => error,
        }
    }

    /// Returns an error of SQLite before it saw the statement.
    fn unexpected(&self, error: &sql_engine::rusqlite::Error) -> Error {
        refused(SqlError::new(format!("cannot run the statement: {error}"), ""))
    }
}

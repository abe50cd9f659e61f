//! The tables that statements can name, and the names that completion offers.

use super::functions::FUNCTIONS;
use super::selects::table_places;
use super::statement::Run;
use super::token::tokens;
use super::views::View;
use crate::exec::checkpoint;
use crate::{Result, TraceSet};
use polars::prelude::DataFrame;
use std::collections::BTreeMap;

/// Loaded traces and frames, as tables for statements of SQL.
///
/// The traces are the tables `events`, `kernels`, `launches`, `iterations` and `ranks`, with columns `trace` and `rank`; names,
/// categories and other texts are strings, times integer nanoseconds, `end` is `end_ts` and `index` is `id`. Only the columns that a
/// statement names are read, and only ranks that conditions on `trace` and `rank` leave. Table functions: `ancestors(id)`,
/// `descendants(id)`, `self_time`, `gaps(stream)`, `intersect(a, b)`, `overlap`.
///
/// # Example
/// ```
/// use trace::SqlTables;
/// use trace::prelude::*;
///
/// # fn main() -> trace::Result<()> {
/// let control = TraceSet::load("../../notebooks/data/control")?.with_label("control");
/// let test = TraceSet::load("../../notebooks/data/test")?.with_label("test");
/// let tables = SqlTables::of([&control, &test]);
/// let longest = tables.query("SELECT trace, name, SUM(dur) AS dur FROM kernels GROUP BY trace, name ORDER BY dur DESC LIMIT 3")?;
/// assert_eq!(longest.shape(), (3, 3));
/// let nccl = tables.frame("longest", longest).query("SELECT name FROM longest WHERE name LIKE '%nccl%'")?;
/// assert!(nccl.height() <= 3);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Default)]
pub struct SqlTables {
    traces: Vec<TraceSet>,
    frames: BTreeMap<String, DataFrame>,
    saved: BTreeMap<String, String>,
}

impl SqlTables {
    /// Creates tables of these traces, whose labels differ.
    pub fn of<'t>(traces: impl IntoIterator<Item = &'t TraceSet>) -> Self {
        Self { traces: traces.into_iter().cloned().collect(), ..Self::default() }
    }

    /// Adds a frame as a table. Tables of the traces have precedence over one of the same name.
    #[must_use]
    pub fn frame(mut self, name: impl Into<String>, frame: DataFrame) -> Self {
        self.frames.insert(name.into(), frame);
        self
    }

    /// Adds a statement whose rows are a table. Frames have precedence over one of the same name.
    #[must_use]
    pub fn statement(mut self, name: impl Into<String>, statement: impl Into<String>) -> Self {
        self.saved.insert(name.into(), statement.into());
        self
    }

    pub(super) fn traces(&self) -> &[TraceSet] {
        &self.traces
    }

    pub(super) fn frames(&self) -> &BTreeMap<String, DataFrame> {
        &self.frames
    }

    pub(super) fn saved(&self) -> &BTreeMap<String, String> {
        &self.saved
    }

    /// Returns the rows of a SELECT. Decimals are floats.
    ///
    /// # Errors
    /// [`Error::Sql`](crate::Error::Sql) with the place and the fix, if the statement cannot run;
    /// [`Error::MemoryBudget`](crate::Error::MemoryBudget) if the columns of the ranks do not fit;
    /// [`Error::Interrupted`](crate::Error::Interrupted).
    pub fn query(&self, statement: &str) -> Result<DataFrame> {
        checkpoint::guarded(|| Run::of(self).rows(statement))
    }
}

impl TraceSet {
    /// Returns the rows of a SELECT over this trace: [`SqlTables`] says what the tables are.
    ///
    /// # Errors
    /// As [`SqlTables::query`].
    ///
    /// # Example
    /// ```
    /// use trace::prelude::*;
    ///
    /// # fn main() -> trace::Result<()> {
    /// let control = TraceSet::load("../../notebooks/data/control")?;
    /// let longest = control.sql("SELECT name, dur FROM kernels WHERE name LIKE '%gemm%' ORDER BY dur DESC LIMIT 5")?;
    /// assert_eq!(longest.width(), 2);
    /// # Ok(())
    /// # }
    /// ```
    pub fn sql(&self, statement: &str) -> Result<DataFrame> {
        SqlTables::of([self]).query(statement)
    }
}

/// A table or a table function, for help and completion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SqlTable {
    /// Its name.
    pub name: &'static str,
    /// How it is written in a FROM.
    pub usage: &'static str,
    /// What its rows are.
    pub meaning: &'static str,
    /// Whether it takes arguments.
    pub is_function: bool,
    /// Its columns, in order.
    pub columns: Vec<String>,
}

/// Returns the tables that every statement can name. `events` are the columns of the events of the loaded traces: some depend on
/// the arguments that were loaded.
pub fn sql_tables<'c>(events: impl IntoIterator<Item = &'c str>) -> Vec<SqlTable> {
    let further: Vec<&str> = events.into_iter().collect();
    let view = |view: View| {
        let mut columns: Vec<String> = view.schema(&[]).iter_names().map(|name| name.to_string()).collect();
        if matches!(view, View::Events | View::Kernels) {
            for name in further.iter().filter(|name| !["index", "end"].contains(name)) {
                if !columns.iter().any(|known| known == name) {
                    columns.push((*name).to_owned());
                }
            }
        }
        SqlTable { name: view.name(), usage: view.name(), meaning: view.meaning(), is_function: false, columns }
    };
    let functions = FUNCTIONS.iter().map(|function| SqlTable {
        name: function.name,
        usage: function.usage,
        meaning: function.meaning,
        is_function: true,
        columns: function.columns.iter().map(|&name| name.to_owned()).collect(),
    });
    View::ALL.into_iter().map(view).chain(functions).collect()
}

/// Returns what a column of a table of SQL means, and its unit.
pub fn sql_column(name: &str) -> Option<&'static trace_view::Column> {
    super::views::meaning(name)
}

/// Returns the names of the functions of expressions, ascending.
pub fn sql_functions() -> Vec<&'static str> {
    let mut functions = polars_sql::keywords::all_functions();
    // Those whose crates are not compiled in.
    functions.retain(|name| !["bit_count", "initcap"].contains(name));
    functions.sort_unstable();
    functions.dedup();
    functions
}

/// Keywords of queries that polars-sql does not list.
const FURTHER: &[&str] = &[
    "ALL",
    "BETWEEN",
    "CAST",
    "CROSS",
    "ELSE",
    "END",
    "EXISTS",
    "FILTER",
    "ILIKE",
    "IS",
    "LIKE",
    "NATURAL",
    "OVER",
    "PARTITION",
    "QUALIFY",
    "WINDOW",
];

/// Returns the keywords of queries, ascending.
pub fn sql_keywords() -> Vec<&'static str> {
    let functions = sql_functions();
    let not_of_queries = ["CREATE", "DROP", "RENAME", "REPLACE", "TRUNCATE", "TABLES", "SHOW"];
    let mut keywords: Vec<&'static str> = polars_sql::keywords::all_keywords();
    keywords.retain(|word| !functions.contains(word) && !not_of_queries.contains(word));
    keywords.retain(|word| word.chars().all(|c| c.is_ascii_uppercase()));
    keywords.extend(FURTHER);
    keywords.sort_unstable();
    keywords.dedup();
    keywords
}

/// Returns the names that a statement may use as tables, those in the arguments of table functions included.
pub fn tables_named(statement: &str) -> Vec<String> {
    let tokens = tokens(statement);
    let mut places = table_places(&tokens);
    // Arguments of table functions: a name after a parenthesis or a comma.
    places.extend((1..tokens.len()).filter(|&at| tokens[at - 1].is_symbol("(") || tokens[at - 1].is_symbol(",")));
    let mut names: Vec<String> = places.into_iter().filter_map(|at| tokens[at].name()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

//! The tables that statements can name, and the names that completion offers.

use super::function_table::{FUNCTIONS, TableFunction};
use super::views::{CompanionsByLabel, View};
use crate::{Result, TraceSet};
use polars::prelude::DataFrame;
use sql_engine::SqlNames;
use std::collections::BTreeMap;
use std::sync::OnceLock;

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
    companions: CompanionsByLabel,
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

    /// Adds a companion of the trace of a label: a recording of the same program without graphs, or of the capture of its graphs, beside
    /// others. In `events` and `kernels`, `operator` is then the innermost operator above work of the GPU of that trace, of a kernel of a
    /// graph that of its capture, and `operator_source` says `recorded`, or `borrowed from capture`, with the label of the companion. Both
    /// are null without companions, and `*` then leaves them out.
    #[must_use]
    pub fn companion(mut self, label: impl Into<String>, companion: &TraceSet) -> Self {
        self.companions.entry(label.into()).or_default().push(companion.clone());
        self
    }

    pub(super) fn companions(&self) -> &CompanionsByLabel {
        &self.companions
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

    /// Returns the rows of a SELECT: integers of 64 bits, floating-point numbers and texts.
    ///
    /// # Errors
    /// [`Error::Sql`](crate::Error::Sql) with the place and the fix, if the statement cannot run;
    /// [`Error::MemoryBudget`](crate::Error::MemoryBudget) if the columns of the ranks do not fit;
    /// [`Error::Interrupted`](crate::Error::Interrupted).
    pub fn query(&self, statement: &str) -> Result<DataFrame> {
        Ok(self.answer(statement)?.rows)
    }
}

/// Statements of SQL as a method of a trace.
pub trait QuerySql {
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
    fn sql(&self, statement: &str) -> Result<DataFrame>;
}

impl QuerySql for TraceSet {
    fn sql(&self, statement: &str) -> Result<DataFrame> {
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
pub fn sql_functions() -> Vec<String> {
    static FUNCTIONS_OF_SQL: OnceLock<Vec<String>> = OnceLock::new();
    FUNCTIONS_OF_SQL.get_or_init(|| sql_engine::all_functions().unwrap_or_default()).clone()
}

/// Returns how a function of expressions is called, as far as it is known: `round(x, digits)`.
pub fn sql_function(name: &str) -> Option<String> {
    let known = sql_functions().into_iter().find(|function| function.eq_ignore_ascii_case(name))?;
    Some(sql_engine::usage(&known).map_or_else(|| format!("{known}(…)"), str::to_owned))
}

/// Returns the keywords of queries, ascending.
pub fn sql_keywords() -> Vec<&'static str> {
    sql_engine::keywords()
}

/// Returns what a statement over these tables may name.
pub(super) fn names(tables: &SqlTables) -> SqlNames {
    let columns = |columns: &DataFrame| columns.get_column_names().into_iter().map(|name| name.to_string()).collect();
    let views = View::ALL.into_iter().map(|view| {
        let schema = view.schema(tables.traces());
        (view.name().to_owned(), schema.iter_names().map(|name| name.to_string()).collect())
    });
    let frames = tables.frames.iter().map(|(name, frame)| (name.clone(), columns(frame)));
    let saved = tables.saved.keys().map(|name| (name.clone(), Vec::new()));
    let of_function = |function: &TableFunction| {
        (function.name.to_owned(), function.columns.iter().map(|&name| name.to_owned()).collect())
    };
    SqlNames {
        tables: views.chain(frames).chain(saved).collect(),
        table_functions: FUNCTIONS.iter().map(of_function).collect(),
        functions: sql_functions(),
        keywords: sql_keywords().into_iter().map(str::to_owned).collect(),
        labels: tables.traces.iter().map(|set| set.label().to_owned()).collect(),
    }
}

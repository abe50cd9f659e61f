//! Running a statement.

use super::run::Run;
use super::tables::SqlTables;
use crate::Result;
use crate::exec::checkpoint;
use polars::prelude::DataFrame;
use std::sync::Arc;

/// The answer to a statement.
#[derive(Debug, Clone)]
pub struct SqlAnswer {
    /// The rows.
    pub rows: DataFrame,
    /// The columns that are times in ns: times as they were recorded, their sums, differences, means and extremes.
    pub times: Vec<String>,
}

impl SqlTables {
    /// Returns the rows of a SELECT, and which columns are times.
    ///
    /// # Errors
    /// As [`Self::query`].
    ///
    /// # Example
    /// ```
    /// use trace::SqlTables;
    /// use trace::prelude::*;
    ///
    /// # fn main() -> trace::Result<()> {
    /// let control = TraceSet::load("../../notebooks/data/control")?;
    /// let answer = SqlTables::of([&control]).answer("SELECT SUM(dur) AS busy, dur / 1000 AS dur FROM kernels GROUP BY 2")?;
    /// assert_eq!(answer.times, ["busy"]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn answer(&self, statement: &str) -> Result<SqlAnswer> {
        self.answer_with(statement, |_| {})
    }

    /// Returns the rows of a SELECT, and which columns are times. `on_rows` hears a few hundred times a second, on any thread, how many rows
    /// of tables were read.
    ///
    /// # Errors
    /// As [`Self::query`].
    pub fn answer_with(&self, statement: &str, on_rows: impl Fn(u64) + Send + Sync + 'static) -> Result<SqlAnswer> {
        let run = || Run::of(self, Arc::new(on_rows)).answer(statement);
        checkpoint::guarded(run).map(|(rows, times)| SqlAnswer { rows, times })
    }
}

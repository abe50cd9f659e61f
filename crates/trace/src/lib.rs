//! PyTorch profiler traces as polars frames: loading, comparison, analyses.
//!
//! ```
//! use trace::prelude::*;
//!
//! # fn main() -> trace::Result<()> {
//! let control = TraceSet::load("../../notebooks/data/control")?;
//! let test = TraceSet::load("../../notebooks/data/test")?;
//! let compared = TraceDiff::new(&control, &test).control_rank(3).test_rank(1).run()?;
//! assert!(compared.frame.column("diff_duration").is_ok());
//! # Ok(())
//! # }
//! ```
//!
//! Entry points: [`TraceSet`] loads a trace, [`TraceDiff`] compares two, [`TraceAnalysis`] runs analyses on one,
//! [`Questions::describe`] summarises it and reports anomalies; [`filter`] restricts all of them to some events. Answers are
//! polars frames (use them with the re-exported [`polars`]); [`trace_view`] draws them. Errors are in [`mod@error`].
//!
//! The library does not depend on Jupyter. A program depends on it by path, or by the URL of the repository:
//!
//! ```toml
//! [dependencies]
//! trace = { path = "tracebook/crates/trace" }
//! ```
//!
//! The examples `compare` and `overview` are two such programs.

#![deny(missing_docs)]

pub mod prelude;

pub use trace_core::*;
pub use trace_sql::sql::{QuerySql, SqlTables};

/// Names and tables of SQL statements, for completion and help.
pub mod sql {
    pub use trace_sql::sql::{
        SqlAnswer, SqlNames, SqlTable, SqlWord, sql_candidates, sql_column, sql_function, sql_functions, sql_keywords,
        sql_name_at, sql_table_of, sql_tables, tables_named,
    };
}

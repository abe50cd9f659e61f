//! Statements of SQL over loaded traces and frames.

#![deny(missing_docs)]

pub mod sql;

pub use sql::{
    QuerySql, SqlAnswer, SqlNames, SqlTable, SqlTables, SqlWord, sql_candidates, sql_column, sql_function,
    sql_functions, sql_keywords, sql_name_at, sql_table_of, sql_tables, tables_named,
};

use trace_analysis::{CallGraph, CallStack, call_graph};
#[cfg(test)]
use trace_base::CancellationToken;
use trace_base::{Compat, Error, Execution, KernelType, Result, config, domain, exec};
use trace_data::{Trace, TraceSet, dataset, frame};
use trace_events::companion;

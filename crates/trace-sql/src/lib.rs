//! Statements of SQL over loaded traces and frames.

#![deny(missing_docs)]

pub mod sql;

pub use sql::{
    QuerySql, SqlAnswer, SqlNames, SqlTable, SqlTables, SqlWord, sql_candidates, sql_column, sql_function,
    sql_functions, sql_keywords, sql_name_at, sql_table_of, sql_tables, tables_named,
};

use trace_analysis::*;
use trace_base::*;
use trace_data::*;

//! SQL over loaded traces and frames, by SQLite over the columns where they are ([the engine](../../../docs/sql-engine.md)).

mod answer;
mod columns;
mod function_table;
mod interval_tables;
mod rank_rows;
mod run;
mod statement;
mod sweep;
mod tables;
#[cfg(test)]
mod tests;
mod view_table;
mod views;

pub use sql_engine::{SqlNames, SqlWord, sql_candidates, sql_name_at, sql_table_of, tables_named};
pub use statement::SqlAnswer;
pub use tables::{QuerySql, SqlTable, SqlTables, sql_column, sql_function, sql_functions, sql_keywords, sql_tables};

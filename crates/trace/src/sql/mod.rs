//! SQL over loaded traces and frames, by polars-sql.

mod calls;
mod completion;
mod edits;
mod functions;
mod grouping;
mod interval_tables;
mod join_sides;
mod joins;
mod messages;
mod near;
mod pairs;
mod place;
mod rank_rows;
mod refusals;
mod scan;
mod selects;
mod statement;
mod sweep;
mod tables;
#[cfg(test)]
mod tests;
mod times;
mod token;
mod views;

pub use completion::{SqlNames, SqlWord, sql_candidates, sql_name_at, sql_table_of};
pub use tables::{SqlTable, SqlTables, sql_column, sql_functions, sql_keywords, sql_tables, tables_named};
pub use times::sql_times;

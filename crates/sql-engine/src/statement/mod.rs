//! The text of statements: tokens, completion, what is refused before SQLite sees it, and SQLite's errors as people read them.

mod completion;
mod dialect;
mod error;
mod grouping;
mod messages;
mod names;
mod position;
mod tables;
#[cfg(test)]
mod tests;
mod token;
mod units;

pub use completion::{SqlWord, sql_candidates, sql_name_at, sql_table_of};
pub use dialect::check_statement;
pub use error::StatementError;
pub use messages::{explained, usage};
pub use names::{SqlNames, all_functions, keywords};
pub use tables::{TableCall, table_calls, tables_named};
pub(crate) use units::{CombinedColumn, combined_columns};

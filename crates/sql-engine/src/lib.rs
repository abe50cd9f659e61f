//! SQLite over columns in memory.
//!
//! Data flows one way: columns of the caller ([`Column`]) → tables of parts ([`Table`]) → virtual tables of SQLite that filter, look
//! up, sort and group by themselves → rows ([`Receiver`]). Nothing is copied: SQLite gets pointers to the texts of columns.
//!
//! | file | what it has |
//! | --- | --- |
//! | `value`, `column`, `table` | what a caller implements |
//! | `condition`, `like`, `index`, `rows` | which rows of a part pass conditions |
//! | `order` | rows of all parts in an order, or in groups |
//! | `plan`, `scan`, `block`, `store` | what is taken over from SQLite, and how it is done |
//! | `module`, `heap` | SQLite's C interface: the only files with `unsafe` |
//! | `database` | connections, limits, statements |
//! | `functions` | functions that SQLite lacks |
//! | `statement` | tokens, completion, refusals, errors |

mod block;
mod column;
mod condition;
mod database;
mod functions;
mod heap;
mod index;
mod like;
mod module;
mod order;
mod plan;
mod rows;
mod scan;
mod statement;
mod store;
mod table;
#[cfg(test)]
mod tests;
mod value;

pub use column::{Column, Dictionary, Taken};
pub use database::{Database, Receiver, ResultColumn, StatementFailure};
pub use functions::register;
pub use index::Index;
pub use rusqlite;
pub use statement::{
    SqlNames, SqlWord, StatementError, TableCall, all_functions, check_statement, explained, keywords, sql_candidates,
    sql_name_at, sql_table_of, table_calls, tables_named, usage,
};
pub use table::{ColumnSpec, Failure, Host, Part, PartSpec, Table};
pub use value::{Kind, OwnedValue, Value};

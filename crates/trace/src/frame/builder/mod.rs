//! Columns while they grow, and as they are finished.

mod arg_column;
mod category_codes;
mod column;
mod column_builder;
mod id_column;

pub(super) use arg_column::{ArgCells, number, symbol};
pub(super) use category_codes::Codes;
pub(super) use column::Filled;
pub(super) use column_builder::Sparse;
pub(super) use id_column::{FilledIds, Ids};

//! Column builders, and the columns that they finish.

mod arg_column;
mod category_codes;
mod column;
mod column_builder;
mod id_column;
mod validity;

pub(super) use arg_column::{ArgColumnBuilder, number, symbol};
pub(super) use category_codes::CategoryCodes;
pub(super) use column::Column;
pub(super) use column_builder::ColumnBuilder;
pub(super) use id_column::{IdColumn, IdColumnBuilder};

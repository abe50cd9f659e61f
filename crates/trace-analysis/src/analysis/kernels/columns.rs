//! Columns of arguments: texts as codes, and whole numbers.

use crate::frame::{IntColumn, value_of};
use polars::prelude::{Categorical32Type, CategoricalMapping, DataFrame};
use polars_arrow::array::PrimitiveArray;
use std::sync::Arc;

/// A column of texts: codes by row, and the texts of the codes.
pub(super) struct Texts(PrimitiveArray<u32>, Arc<CategoricalMapping>);

impl Texts {
    /// Returns a column; `None` if there is none of texts.
    pub(super) fn of(events: &DataFrame, name: &str) -> Option<Self> {
        let column = events.column(name).ok()?.as_materialized_series().rechunk();
        let column = column.cat::<Categorical32Type>().ok()?;
        Some(Self(column.physical().downcast_as_array().clone(), column.get_mapping().clone()))
    }

    /// Returns the code of a row.
    pub(super) fn code(&self, row: usize) -> Option<u32> {
        value_of(&self.0, row)
    }

    /// Returns the text of a code; empty for none, and for what stands for nothing.
    pub(super) fn text(&self, code: Option<u32>) -> &str {
        let text = code.and_then(|code| self.1.cat_to_str(code)).unwrap_or_default();
        if matches!(text, "[]" | "-1") { "" } else { text }
    }
}

/// A column of whole numbers of which negative ones stand for nothing.
pub(super) struct Ints(IntColumn);

impl Ints {
    /// Returns a column; `None` if there is none of whole numbers.
    pub(super) fn of(events: &DataFrame, name: &str) -> Option<Self> {
        let is_int = events.column(name).is_ok_and(|column| column.dtype().is_integer());
        if is_int { IntColumn::of(events, name).ok().map(Self) } else { None }
    }

    /// Returns the number of a row.
    pub(super) fn get(&self, row: usize) -> Option<i64> {
        self.0.get(row).filter(|&number| number >= 0)
    }
}

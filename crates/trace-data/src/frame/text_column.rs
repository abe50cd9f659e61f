//! Finished columns of texts, read by their codes.

use super::int_column::value_of;
use crate::Result;
use polars::prelude::{Categorical32Type, CategoricalMapping, DataFrame};
use polars_arrow::array::PrimitiveArray;
use std::sync::Arc;

/// A finished column of texts: a code by row, and the texts of the codes.
#[derive(Debug, Clone)]
pub struct TextColumn {
    codes: PrimitiveArray<u32>,
    texts: Arc<CategoricalMapping>,
}

impl TextColumn {
    /// Returns the column `name` of a frame, in one chunk.
    ///
    /// # Errors
    /// If it is missing or does not hold texts of the shared table.
    pub fn of(frame: &DataFrame, name: &str) -> Result<Self> {
        let column = frame.column(name)?.as_materialized_series().rechunk();
        let column = column.cat::<Categorical32Type>()?;
        Ok(Self { codes: column.physical().downcast_as_array().clone(), texts: column.get_mapping().clone() })
    }

    /// Returns the code of a row.
    pub fn code(&self, row: usize) -> Option<u32> {
        value_of(&self.codes, row)
    }

    /// Returns the text of a code; empty for none.
    pub fn text(&self, code: Option<u32>) -> &str {
        code.and_then(|code| self.texts.cat_to_str(code)).unwrap_or_default()
    }
}

/// Returns the text of an argument that an event recorded; `None` for the default that HTA fills a loaded column with.
pub fn recorded_text(text: &str) -> Option<&str> {
    Some(text).filter(|text| !matches!(*text, "" | "-1"))
}

/// Joins the recorded shapes and types of the inputs of a call to one text, which tells calls apart; empty without any.
pub fn inputs_text<'t>(arguments: impl IntoIterator<Item = &'t str>) -> String {
    arguments.into_iter().filter_map(recorded_text).collect()
}

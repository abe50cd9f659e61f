//! Columns of arguments: texts as codes, and whole numbers; what stands for nothing is none.

use crate::frame::{IntColumn, TextColumn};
use polars::prelude::DataFrame;

/// Returns the text of a code; empty for none, and for what stands for nothing.
pub(super) fn text(texts: Option<&TextColumn>, code: Option<u32>) -> &str {
    let text = texts.map_or("", |texts| texts.text(code));
    if matches!(text, "[]" | "-1") { "" } else { text }
}

/// A column of whole numbers of which negative ones stand for nothing.
pub(super) struct Ints(IntColumn);

impl Ints {
    /// Returns a column; `None` if there is none of whole numbers.
    pub(super) fn of(events: &DataFrame, name: &str) -> Option<Self> {
        IntColumn::of(events, name).ok().map(Self)
    }

    /// Returns the number of a row.
    pub(super) fn get(&self, row: usize) -> Option<i64> {
        self.0.get(row).filter(|&number| number >= 0)
    }
}

//! The symbols of one file as codes of the table that all frames share.

use super::column::Column;
use super::column_builder::ColumnBuilder;
use crate::Result;
use crate::frame::categories::{Categories, trusted_categorical};
use polars::prelude::{Series, UInt32Type};

/// The code of each symbol.
pub(crate) struct CategoryCodes {
    by_symbol: Vec<u32>,
    categories: Categories,
}

impl CategoryCodes {
    /// The codes of these texts, which their symbols count.
    ///
    /// # Errors
    /// If the table is full.
    pub(crate) fn of(texts: &[String]) -> Result<Self> {
        let categories = Categories::shared();
        Ok(Self { by_symbol: categories.codes(texts.iter().map(String::as_str))?, categories })
    }

    /// A column of categories.
    pub(crate) fn filled(&self, name: &str, mut symbols: Column<u32>) -> Series {
        self.translate(symbols.values_mut());
        trusted_categorical(symbols.finish::<UInt32Type>(name), &self.categories)
    }

    /// A column of categories, of so many rows.
    pub(crate) fn sparse(&self, name: &str, mut symbols: ColumnBuilder<u32>, rows: usize) -> Series {
        self.translate(symbols.values_mut());
        trusted_categorical(symbols.fill(rows).finish::<UInt32Type>(name), &self.categories)
    }

    fn translate(&self, symbols: &mut [u32]) {
        for symbol in symbols {
            *symbol = self.by_symbol[*symbol as usize];
        }
    }
}

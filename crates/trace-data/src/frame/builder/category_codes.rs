//! Codes of the shared category table for the symbols of one file.

use super::column::Column;
use super::column_builder::ColumnBuilder;
use crate::Result;
use crate::frame::categories::{Categories, categorical_unchecked};
use polars::prelude::{Series, UInt32Chunked, UInt32Type};

/// Code of each symbol of a file.
pub(crate) struct CategoryCodes {
    by_symbol: Vec<u32>,
    categories: Categories,
}

impl CategoryCodes {
    /// Returns the codes of `texts`, which are in the order of their symbols.
    ///
    /// # Errors
    /// If the table is full.
    pub(crate) fn of(texts: &[String]) -> Result<Self> {
        let categories = Categories::shared();
        Ok(Self { by_symbol: categories.codes(texts.iter().map(String::as_str))?, categories })
    }

    /// Finishes a column of symbols as a column of categories.
    pub(crate) fn finish(&self, name: &str, mut symbols: Column<u32>) -> Series {
        // Of rows without a value, too: they hold symbol 0.
        self.translate(symbols.values_mut());
        self.categorical(symbols.finish::<UInt32Type>(name))
    }

    /// Finishes a builder of symbols as a column of categories with `rows` rows.
    pub(crate) fn finish_builder(&self, name: &str, mut symbols: ColumnBuilder<u32>, rows: usize) -> Series {
        // Before the rows without a value are filled in: there are fewer values to translate.
        self.translate(symbols.values_mut());
        self.categorical(symbols.fill(rows).finish::<UInt32Type>(name))
    }

    /// Replaces symbols by their codes.
    fn translate(&self, symbols: &mut [u32]) {
        for symbol in symbols {
            *symbol = self.by_symbol[*symbol as usize];
        }
    }

    #[allow(unsafe_code)]
    fn categorical(&self, codes: UInt32Chunked) -> Series {
        // SAFETY: `translate` took every code of a row with a value from `by_symbol`, which holds codes of the shared
        // table only. Rows without a value hold such a code or 0, which the table gave to its first text; it has one,
        // since a column is made of at least one symbol.
        unsafe { categorical_unchecked(codes, &self.categories) }
    }
}

//! The symbols of one file as codes of the table that all frames share.

use super::cells::Sparse;
use super::filled::Filled;
use super::symbols::{Categories, trusted_categorical};
use crate::Result;
use polars::prelude::{Series, UInt32Type};

/// The code of each symbol.
pub(super) struct Codes {
    by_symbol: Vec<u32>,
    categories: Categories,
}

impl Codes {
    /// The codes of these texts, which their symbols count.
    ///
    /// # Errors
    /// If the table is full.
    pub(super) fn of(texts: &[String]) -> Result<Self> {
        let categories = Categories::shared();
        Ok(Self { by_symbol: categories.codes(texts.iter().map(String::as_str))?, categories })
    }

    /// A column of categories.
    pub(super) fn filled(&self, name: &str, mut symbols: Filled<u32>) -> Series {
        self.translate(symbols.values_mut());
        trusted_categorical(symbols.finish::<UInt32Type>(name), &self.categories)
    }

    /// A column of categories, of so many rows.
    pub(super) fn sparse(&self, name: &str, mut symbols: Sparse<u32>, rows: usize) -> Series {
        self.translate(symbols.values_mut());
        trusted_categorical(symbols.fill(rows).finish::<UInt32Type>(name), &self.categories)
    }

    fn translate(&self, symbols: &mut [u32]) {
        for symbol in symbols {
            *symbol = self.by_symbol[*symbol as usize];
        }
    }
}

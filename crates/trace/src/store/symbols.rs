//! Symbol table of a file: the texts of its categories, numbered in order of first appearance.

use super::columns::ColumnType;
use crate::error::SavedFileReason;
use crate::frame::{Categories, categorical, categorical_unchecked};
use hashbrown::HashMap;
use polars::prelude::{Categorical32Type, ChunkApply, Column, IntoColumn, PolarsResult, UInt32Chunked};

/// The code of no text.
const NONE: u32 = u32::MAX;

/// The symbol table of a file that is being written.
#[derive(Default)]
pub(super) struct NewSymbols {
    pub(super) texts: Vec<String>,
    by_text: HashMap<String, u32, foldhash::fast::FixedState>,
}

impl NewSymbols {
    /// Returns a column as it is stored: categories as symbols, with 0 where there is no value.
    pub(super) fn stored(&mut self, column: &Column) -> PolarsResult<Column> {
        if ColumnType::of(column.dtype()) != Some(ColumnType::Category) {
            return Ok(column.clone());
        }
        let series = column.as_materialized_series();
        let categories = series.cat::<Categorical32Type>()?;
        let mapping = categories.get_mapping();
        let mut symbols: Vec<u32> = vec![NONE; mapping.num_cats_upper_bound()];
        let codes = categories.physical();
        let mut symbol = |code: u32| {
            if let Some(&known) = symbols.get(code as usize).filter(|&&known| known != NONE) {
                return known;
            }
            let text = mapping.cat_to_str(code).unwrap_or_default();
            let next = self.texts.len() as u32;
            let symbol = *self.by_text.entry_ref(text).or_insert_with(|| {
                self.texts.push(text.to_owned());
                next
            });
            if let Some(place) = symbols.get_mut(code as usize) {
                *place = symbol;
            }
            symbol
        };
        let stored: UInt32Chunked = codes.iter().map(|code| code.map(&mut symbol)).collect();
        Ok(stored.with_name(column.name().clone()).into_column())
    }
}

/// The texts of a file as categories of this process.
pub(super) struct Symbols {
    categories: Categories,
    /// The number of texts, which are the valid symbols of the file.
    count: usize,
    /// Symbol → code here; `None` if all are equal.
    translation: Option<Vec<u32>>,
}

impl Symbols {
    pub(super) fn new(texts: &[String]) -> PolarsResult<Self> {
        let categories = Categories::shared();
        let here = categories.codes(texts.iter().map(String::as_str))?;
        let equal = here.iter().enumerate().all(|(symbol, &here)| symbol == here as usize);
        Ok(Self { categories, count: texts.len(), translation: (!equal).then_some(here) })
    }

    /// Verifies that every row of a column holds a symbol, rows without a value included.
    ///
    /// # Errors
    /// [`SavedFileReason::Code`] if one does not.
    pub(super) fn verify(&self, column: &str, symbols: &UInt32Chunked) -> Result<(), SavedFileReason> {
        // A fold is vectorised, which `Iterator::max` is not.
        let highest = |values: &[u32]| values.iter().fold(0, |highest, &code| code.max(highest));
        let chunks = symbols.downcast_iter().filter(|chunk| chunk.len() > 0);
        match chunks.map(|chunk| highest(chunk.values().as_slice())).max() {
            // A column without any value has no text.
            Some(0) if symbols.null_count() == symbols.len() => Ok(()),
            Some(code) if code as usize >= self.count => {
                Err(SavedFileReason::Code { column: column.to_owned(), code, texts: self.count })
            }
            _ => Ok(()),
        }
    }

    /// Converts symbols that were verified to categories: without a copy if every text has its symbol as code here.
    #[allow(unsafe_code)]
    pub(super) fn categories_of(&self, symbols: &UInt32Chunked) -> Column {
        let series = match &self.translation {
            Some(translation) => {
                let here = symbols.apply_values(|symbol| translation.get(symbol as usize).copied().unwrap_or_default());
                // SAFETY: `translation` holds codes of the shared table only, and is not empty, so that the table has
                // given 0 to its first text.
                unsafe { categorical_unchecked(here, &self.categories) }
            }
            None if symbols.null_count() == symbols.len() => categorical(symbols.clone(), &self.categories),
            // SAFETY: `verify` found every symbol, also of rows without a value, below `count`, when this file was mapped
            // for the first time, and its identity is still the same; `Self::new` put the text of every symbol below
            // `count` into the shared table and found it under the same code. The table forgets no text while a column
            // or `self.categories` is alive.
            None => unsafe { categorical_unchecked(symbols.clone(), &self.categories) },
        };
        series.into_column()
    }
}

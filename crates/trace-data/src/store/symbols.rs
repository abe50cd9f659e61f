//! Symbol table of a file: the texts of its categories, numbered in order of first appearance.

use crate::error::SavedFileReason;
use crate::frame::{Categories, categorical, categorical_unchecked};
use hashbrown::HashMap;
use polars::prelude::{
    Categorical32Type, Column, DataType, IntoColumn, PlSmallStr, PolarsResult, Series, UInt32Chunked,
};
use polars_arrow::array::PrimitiveArray;
use polars_arrow::bitmap::Bitmap;
use polars_arrow::datatypes::ArrowDataType;
use polars_arrow::types::NativeType;

/// The code of no text.
const NONE: u32 = u32::MAX;

/// The symbol table of a file that is being written.
#[derive(Default)]
pub(super) struct NewSymbols {
    pub(super) texts: Vec<String>,
    by_text: HashMap<String, u32, foldhash::fast::FixedState>,
}

/// The symbols of the codes of a column.
pub(super) struct SymbolOf(Vec<u32>);

impl SymbolOf {
    /// Returns the symbol of a code of the column.
    #[inline]
    pub(super) fn get(&self, code: u32) -> u32 {
        self.0.get(code as usize).copied().unwrap_or_default()
    }
}

impl NewSymbols {
    /// Adds the texts of a column of categories, with these codes; returns their symbols.
    ///
    /// # Errors
    /// If it is another column.
    pub(super) fn add(&mut self, column: &Series, codes: &PrimitiveArray<u32>) -> PolarsResult<SymbolOf> {
        let mapping = column.cat::<Categorical32Type>()?.get_mapping();
        let mut symbols: Vec<u32> = vec![NONE; mapping.num_cats_upper_bound()];
        let mut add = |code: u32| {
            let Some(symbol) = symbols.get_mut(code as usize).filter(|symbol| **symbol == NONE) else { return };
            let text = mapping.cat_to_str(code).unwrap_or_default();
            let next = self.texts.len() as u32;
            *symbol = *self.by_text.entry_ref(text).or_insert_with(|| {
                self.texts.push(text.to_owned());
                next
            });
        };
        match codes.validity().filter(|validity| validity.unset_bits() > 0) {
            None => codes.values_iter().for_each(|&code| add(code)),
            Some(validity) => {
                let values = codes.values();
                validity.true_idx_iter().filter_map(|row| values.get(row)).for_each(|&code| add(code));
            }
        }
        Ok(SymbolOf(symbols))
    }

    /// Returns the bytes that a symbol of the table needs: 1, 2 or 4.
    pub(super) fn width(&self) -> usize {
        match self.texts.len() {
            0..=0x100 => 1,
            0x101..=0x1_0000 => 2,
            _ => 4,
        }
    }
}

/// The texts of a file as categories of this process.
pub(super) struct Symbols {
    categories: Categories,
    /// Symbol → code here.
    codes: Vec<u32>,
    /// Whether every text has its symbol as code here.
    are_equal: bool,
}

impl Symbols {
    pub(super) fn new(texts: &[String]) -> PolarsResult<Self> {
        let categories = Categories::shared();
        let codes = categories.codes(texts.iter().map(String::as_str))?;
        let are_equal = codes.iter().enumerate().all(|(symbol, &code)| symbol == code as usize);
        Ok(Self { categories, codes, are_equal })
    }

    /// Returns the code of a symbol; that of some text if it is not a symbol of the file.
    #[inline]
    pub(super) fn code(&self, symbol: u32) -> u32 {
        self.codes.get(symbol as usize).copied().unwrap_or_default()
    }

    /// Verifies that every row of a column holds a symbol, rows without a value included.
    ///
    /// # Errors
    /// [`SavedFileReason::Code`] if one does not.
    pub(super) fn verify(&self, column: &Series) -> Result<(), SavedFileReason> {
        let highest = highest::<u32>(column).or_else(|| highest::<u8>(column)).or_else(|| highest::<u16>(column));
        match highest {
            // A column without any value has no text.
            None | Some(0) if column.null_count() == column.len() => Ok(()),
            Some(code) if (code as usize) < self.codes.len() => Ok(()),
            code => {
                let (column, code) = (column.name().to_string(), code.unwrap_or(NONE));
                Err(SavedFileReason::Code { column, code, texts: self.codes.len() })
            }
        }
    }

    /// Converts symbols that were verified to categories: without a copy if they have 32 bits, and every text has its symbol as code
    /// here.
    ///
    /// # Errors
    /// If it is a column of something else.
    #[allow(unsafe_code)]
    pub(super) fn categories_of(&self, symbols: &Series) -> PolarsResult<Column> {
        if symbols.null_count() == symbols.len() {
            return Ok(categorical(symbols.cast(&DataType::UInt32)?.u32()?.clone(), &self.categories).into_column());
        }
        let series = match symbols.dtype() {
            // SAFETY: `verify` found every symbol, also of rows without a value, below the number of texts, when this file was
            // mapped for the first time, and its identity is still the same; `Self::new` put the text of each into the
            // shared table and found it under the same code. The table forgets no text while a column or `self.categories`
            // is alive.
            DataType::UInt32 if self.are_equal => unsafe {
                categorical_unchecked(symbols.u32()?.clone(), &self.categories)
            },
            dtype => {
                let codes = match dtype {
                    DataType::UInt8 => self.translated::<u8>(symbols),
                    DataType::UInt16 => self.translated::<u16>(symbols),
                    _ => self.translated::<u32>(symbols),
                };
                // SAFETY: `code` returns codes of the shared table only: those of texts of the file, or 0, which the table has
                // given to its first text; a file with a text was verified to have one.
                unsafe { categorical_unchecked(codes, &self.categories) }
            }
        };
        Ok(series.into_column())
    }

    /// Makes a column of categories of the symbols of the rows that have a value.
    ///
    /// # Errors
    /// [`SavedFileReason::Code`] if one has no text.
    #[allow(unsafe_code)]
    pub(super) fn of_packed(&self, name: &str, symbols: &[u32], validity: Bitmap) -> Result<Column, SavedFileReason> {
        if let Some(&code) = symbols.iter().find(|&&symbol| symbol as usize >= self.codes.len()) {
            return Err(SavedFileReason::Code { column: name.to_owned(), code, texts: self.codes.len() });
        }
        let mut codes = vec![0; validity.len()];
        for (row, &symbol) in validity.true_idx_iter().zip(symbols) {
            if let Some(code) = codes.get_mut(row) {
                *code = self.code(symbol);
            }
        }
        let array = PrimitiveArray::new(ArrowDataType::UInt32, codes.into(), Some(validity));
        let codes = UInt32Chunked::with_chunk(PlSmallStr::from_str(name), array);
        let series = if symbols.is_empty() {
            categorical(codes, &self.categories)
        } else {
            // SAFETY: as in `categories_of`: codes of texts of the file, which has one, and 0.
            unsafe { categorical_unchecked(codes, &self.categories) }
        };
        Ok(series.into_column())
    }

    /// Returns the codes of symbols of this type.
    fn translated<T: NativeType + Into<u32>>(&self, symbols: &Series) -> UInt32Chunked {
        let codes = |array: &PrimitiveArray<T>| {
            let codes: Vec<u32> = array.values().as_slice().iter().map(|&symbol| self.code(symbol.into())).collect();
            PrimitiveArray::new(ArrowDataType::UInt32, codes.into(), array.validity().cloned())
        };
        UInt32Chunked::from_chunk_iter(symbols.name().clone(), arrays::<T>(symbols).map(codes))
    }
}

/// Returns the arrays of a column of this type, none if it has another one.
fn arrays<T: NativeType>(column: &Series) -> impl Iterator<Item = &PrimitiveArray<T>> {
    column.chunks().iter().filter_map(|array| array.as_any().downcast_ref::<PrimitiveArray<T>>())
}

/// Returns the highest value of a column of this type; `None` without values, and for columns of another type.
fn highest<T: NativeType + Into<u32> + Ord>(column: &Series) -> Option<u32> {
    // A fold is vectorised, which `Iterator::max` is not.
    let arrays = arrays::<T>(column).filter(|array| array.len() > 0);
    let highest = |array: &PrimitiveArray<T>| array.values().iter().fold(T::zeroed(), |most, &value| most.max(value));
    arrays.map(highest).max().map(Into::into)
}

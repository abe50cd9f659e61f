//! Category table that the frames of all traces share (polars' global one), so that events of two traces can be
//! joined, stacked and compared by name.

use polars::prelude::{
    Categorical32Type, CategoricalChunked, CategoricalMapping, DataType, IntoSeries, PolarsResult, Series,
    UInt32Chunked,
};
use std::sync::Arc;

/// The shared category table.
pub struct Categories {
    dtype: DataType,
    mapping: Arc<CategoricalMapping>,
}

impl Categories {
    /// Returns the table, which lives as long as anything refers to it.
    pub fn shared() -> Self {
        let categories = polars::prelude::Categories::global();
        let mapping = categories.mapping();
        Self { dtype: DataType::Categorical(categories, Arc::clone(&mapping)), mapping }
    }

    /// Returns the type of columns over the table.
    pub fn dtype(&self) -> &DataType {
        &self.dtype
    }

    /// Returns the codes of these texts, in their order.
    ///
    /// # Errors
    /// If the table is full, at 2³² texts.
    pub fn codes<'t>(&self, texts: impl Iterator<Item = &'t str>) -> PolarsResult<Vec<u32>> {
        texts.map(|text| self.mapping.insert_cat(text)).collect()
    }
}

/// Makes a column of categories from codes of the shared table; a code without a text becomes null.
pub fn categorical(codes: UInt32Chunked, categories: &Categories) -> Series {
    CategoricalChunked::<Categorical32Type>::from_cats_and_dtype(codes, categories.dtype.clone()).into_series()
}

/// Makes a column of categories from codes of the shared table without checking each of them.
///
/// # Safety
/// Every code, also of rows without a value, is one that the shared table has given to a text.
#[allow(unsafe_code)]
pub unsafe fn categorical_unchecked(codes: UInt32Chunked, categories: &Categories) -> Series {
    // SAFETY: the caller guarantees that every code has a text in the table of `categories`, which is that of the type.
    let column = unsafe {
        CategoricalChunked::<Categorical32Type>::from_cats_and_dtype_unchecked(codes, categories.dtype.clone())
    };
    column.into_series()
}

//! Category table that the frames of all traces share (polars' global one), so that events of two traces can be
//! joined, stacked and compared by name.

use polars::prelude::{
    Categorical32Type, CategoricalChunked, CategoricalMapping, DataType, IntoSeries, PolarsResult, Series,
    UInt32Chunked,
};
use std::sync::Arc;

/// The table of categories that the frames of all traces share.
pub(crate) struct Categories {
    dtype: DataType,
    mapping: Arc<CategoricalMapping>,
}

impl Categories {
    /// The table. It lives as long as anything refers to it.
    pub(crate) fn shared() -> Self {
        let categories = polars::prelude::Categories::global();
        let mapping = categories.mapping();
        Self { dtype: DataType::Categorical(categories, Arc::clone(&mapping)), mapping }
    }

    /// The codes of these texts, in their order.
    ///
    /// # Errors
    /// If the table is full, at four thousand million texts.
    pub(crate) fn codes<'t>(&self, texts: impl Iterator<Item = &'t str>) -> PolarsResult<Vec<u32>> {
        texts.map(|text| self.mapping.insert_cat(text)).collect()
    }
}

/// A column of categories over codes of the shared table; a code that the table does not know becomes null.
pub(crate) fn categorical(codes: UInt32Chunked, categories: &Categories) -> Series {
    CategoricalChunked::<Categorical32Type>::from_cats_and_dtype(codes, categories.dtype.clone()).into_series()
}

/// A column of categories over codes that are known to be of the shared table, taken as they are, without a look.
#[allow(unsafe_code)]
pub(crate) fn trusted_categorical(codes: UInt32Chunked, categories: &Categories) -> Series {
    // SAFETY: there are two callers. `CategoryCodes` has the codes from the table itself, which forgets none. Those of
    // `write::arrow` come from a file that it wrote, whose manifest lists each of them; it has put all listed texts into
    // the table and found every one under its code.
    let column = unsafe {
        CategoricalChunked::<Categorical32Type>::from_cats_and_dtype_unchecked(codes, categories.dtype.clone())
    };
    column.into_series()
}

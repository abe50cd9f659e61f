//! Finished columns, before they become polars' series.

use polars::prelude::{ChunkedArray, PlSmallStr, PolarsNumericType};
use polars_arrow::bitmap::Bitmap;

/// A finished column: one slot per row, and a validity bitmap.
pub(crate) struct Column<T> {
    /// Values by row; arbitrary for nulls.
    values: Vec<T>,
    /// Validity by row; `None` if there are no nulls.
    present: Option<Bitmap>,
}

impl<T: Copy> Column<T> {
    /// Creates a column; `present` is the validity, as long as `values`.
    pub(crate) fn new(values: Vec<T>, present: Option<Bitmap>) -> Self {
        Self { values, present }
    }

    /// Number of rows.
    pub(crate) fn len(&self) -> usize {
        self.values.len()
    }

    /// Returns the values by row, arbitrary for nulls.
    pub(crate) fn values(&self) -> &[T] {
        &self.values
    }

    /// Returns the values by row for changing.
    pub(crate) fn values_mut(&mut self) -> &mut [T] {
        &mut self.values
    }

    /// Returns the validity; `None` if there are no nulls.
    pub(crate) fn present(&self) -> Option<&Bitmap> {
        self.present.as_ref()
    }

    /// Whether a row has a value.
    #[inline]
    pub(crate) fn has(&self, row: usize) -> bool {
        self.present.as_ref().is_none_or(|present| present.get_bit(row))
    }

    /// Returns the value of a row.
    #[inline]
    pub(crate) fn get(&self, row: usize) -> Option<T> {
        self.has(row).then(|| self.values[row])
    }

    /// Calls `show` with each row that has a value, in order.
    #[inline]
    pub(crate) fn each(&self, mut show: impl FnMut(usize, T)) {
        match &self.present {
            None => self.values.iter().enumerate().for_each(|(row, &value)| show(row, value)),
            Some(present) => each_set(present, |row| show(row, self.values[row])),
        }
    }

    /// Number of non-null values.
    pub(crate) fn count(&self) -> usize {
        self.present.as_ref().map_or(self.values.len(), Bitmap::set_bits)
    }

    /// Converts the column to a polars column.
    pub(crate) fn finish<P>(self, name: &str) -> ChunkedArray<P>
    where
        P: PolarsNumericType<Native = T>,
    {
        ChunkedArray::from_vec_validity(PlSmallStr::from_str(name), self.values, self.present)
    }
}

/// Calls `show` with the position of each set bit, in order.
#[inline]
fn each_set(bits: &Bitmap, mut show: impl FnMut(usize)) {
    each_word(bits, |first, word| each_set_of(word, first, &mut show));
}

/// Calls `show` with the first row and the bits of each 64 rows; bits behind the last row are zero.
#[inline]
fn each_word(bits: &Bitmap, mut show: impl FnMut(usize, u64)) {
    let mut words = bits.fast_iter_u64();
    let mut first = 0;
    for word in words.by_ref() {
        show(first, word);
        first += 64;
    }
    for word in words.remainder().0 {
        show(first, word);
        first += 64;
    }
}

/// Calls `show` with the row of each set bit of a word.
#[inline]
pub(crate) fn each_set_of(mut word: u64, first: usize, show: &mut impl FnMut(usize)) {
    while word != 0 {
        show(first + word.trailing_zeros() as usize);
        word &= word - 1;
    }
}

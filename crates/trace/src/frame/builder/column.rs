//! Columns whose rows have all come.

use polars::prelude::{ChunkedArray, PlSmallStr, PolarsNumericType};
use polars_arrow::bitmap::Bitmap;

/// A column with a place for each row.
pub(crate) struct Column<T> {
    /// Of any value where none is there.
    values: Vec<T>,
    /// Which values are there; none if all are.
    present: Option<Bitmap>,
}

impl<T: Copy> Column<T> {
    /// The column of these values; `present`, of their length, says which of them are there.
    pub(crate) fn new(values: Vec<T>, present: Option<Bitmap>) -> Self {
        Self { values, present }
    }

    /// How many rows.
    pub(crate) fn len(&self) -> usize {
        self.values.len()
    }

    /// A value for each row, any where none is there.
    pub(crate) fn values(&self) -> &[T] {
        &self.values
    }

    /// The same, to be changed.
    pub(crate) fn values_mut(&mut self) -> &mut [T] {
        &mut self.values
    }

    /// Which values are there; none if all are.
    pub(crate) fn present(&self) -> Option<&Bitmap> {
        self.present.as_ref()
    }

    /// Whether a row has a value.
    #[inline]
    pub(crate) fn has(&self, row: usize) -> bool {
        self.present.as_ref().is_none_or(|present| present.get_bit(row))
    }

    /// The value of a row.
    #[inline]
    pub(crate) fn get(&self, row: usize) -> Option<T> {
        self.has(row).then(|| self.values[row])
    }

    /// Shows each row that has a value, in order.
    #[inline]
    pub(crate) fn each(&self, mut show: impl FnMut(usize, T)) {
        match &self.present {
            None => self.values.iter().enumerate().for_each(|(row, &value)| show(row, value)),
            Some(present) => each_set(present, |row| show(row, self.values[row])),
        }
    }

    /// How many values are there.
    pub(crate) fn count(&self) -> usize {
        self.present.as_ref().map_or(self.values.len(), Bitmap::set_bits)
    }

    /// The finished column.
    pub(crate) fn finish<P>(self, name: &str) -> ChunkedArray<P>
    where
        P: PolarsNumericType<Native = T>,
    {
        ChunkedArray::from_vec_validity(PlSmallStr::from_str(name), self.values, self.present)
    }
}

/// Shows the rows whose bits are set, in order.
#[inline]
fn each_set(bits: &Bitmap, mut show: impl FnMut(usize)) {
    each_word(bits, |first, word| each_set_of(word, first, &mut show));
}

/// Shows the bits of 64 rows after the other, and the number of their first row; behind the last row they are zero.
#[inline]
pub(crate) fn each_word(bits: &Bitmap, mut show: impl FnMut(usize, u64)) {
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

#[inline]
pub(crate) fn each_set_of(mut word: u64, first: usize, show: &mut impl FnMut(usize)) {
    while word != 0 {
        show(first + word.trailing_zeros() as usize);
        word &= word - 1;
    }
}

//! Columns while they grow: values that need not be there, padded only when one arrives.

use polars::prelude::{BooleanChunked, ChunkedArray, PlSmallStr, PolarsNumericType};

/// A column of values that may be absent. Costs nothing until the first value arrives.
#[derive(Debug, Default)]
pub(super) struct Sparse<T> {
    values: Vec<T>,
    present: Vec<bool>,
    absent: usize,
}

impl<T: Copy + Default> Sparse<T> {
    /// The value of a row at or after the last one set.
    #[inline]
    pub(super) fn set(&mut self, row: usize, value: T) {
        if self.values.len() < row {
            self.pad(row);
        }
        self.values.truncate(row);
        self.present.truncate(row);
        self.values.push(value);
        self.present.push(true);
    }

    /// Makes the column `rows` long.
    pub(super) fn pad(&mut self, rows: usize) {
        self.absent += rows - self.values.len();
        self.values.resize(rows, T::default());
        self.present.resize(rows, false);
    }

    /// Puts the column of a later part behind this one, from `row` on.
    pub(super) fn append(&mut self, row: usize, part: Self) {
        if part.values.is_empty() {
            return;
        }
        self.pad(row);
        self.values.extend_from_slice(&part.values);
        self.present.extend_from_slice(&part.present);
        self.absent += part.absent;
    }

    /// The values, zero where there is none. Call [`Self::pad`] first.
    pub(super) fn values(&self) -> &[T] {
        &self.values
    }

    /// Replaces the values, leaving in place which are there.
    pub(super) fn values_mut(&mut self) -> &mut [T] {
        &mut self.values
    }

    /// Which values are there. Call [`Self::pad`] first.
    pub(super) fn present(&self) -> &[bool] {
        &self.present
    }

    /// The value of a row.
    #[inline]
    pub(super) fn get(&self, row: usize) -> Option<T> {
        self.present[row].then(|| self.values[row])
    }

    /// The column with other values, each made from its own.
    pub(super) fn map<U: Copy + Default>(self, mut to: impl FnMut(T) -> U) -> Sparse<U> {
        let values = self.values.iter().zip(&self.present);
        let values = values.map(|(&value, present)| if *present { to(value) } else { U::default() }).collect();
        Sparse { values, present: self.present, absent: self.absent }
    }

    /// The finished column.
    pub(super) fn finish<P>(self, name: &str) -> ChunkedArray<P>
    where
        P: PolarsNumericType<Native = T>,
    {
        let name = PlSmallStr::from_str(name);
        if self.absent == 0 {
            return ChunkedArray::from_vec(name, self.values);
        }
        let present: BooleanChunked = self.present.into_iter().collect();
        let mask = present.downcast_iter().next().map(|array| array.values().clone());
        ChunkedArray::from_vec_validity(name, self.values, mask)
    }
}

impl<T> FromIterator<Option<T>> for Sparse<T>
where
    T: Copy + Default,
{
    fn from_iter<I: IntoIterator<Item = Option<T>>>(values: I) -> Self {
        let mut column = Self::default();
        for value in values {
            column.absent += usize::from(value.is_none());
            column.present.push(value.is_some());
            column.values.push(value.unwrap_or_default());
        }
        column
    }
}

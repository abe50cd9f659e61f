//! Columns of ids: `i32`, widened to `i64` on overflow.

use super::column::Column;
use super::column_builder::ColumnBuilder;
use polars::prelude::{Int32Type, Int64Type, IntoSeries, Series};

/// Builder of a column of ids: 32 bits per value, 64 from the first value that needs them.
pub(crate) enum IdColumnBuilder {
    Short(ColumnBuilder<i32>),
    Long(ColumnBuilder<i64>),
}

impl Default for IdColumnBuilder {
    fn default() -> Self {
        Self::Short(ColumnBuilder::default())
    }
}

impl IdColumnBuilder {
    /// Creates a builder with room for `values` values of 32 bits.
    pub(crate) fn with_capacity(values: usize) -> Self {
        Self::Short(ColumnBuilder::with_capacity(values))
    }

    /// Sets the value of a row at or after the last one set.
    #[inline]
    pub(crate) fn set(&mut self, row: usize, value: i64) {
        match (self, i32::try_from(value)) {
            (Self::Short(ids), Ok(value)) => ids.set(row, value),
            (ids, _) => ids.set_long(row, value),
        }
    }

    #[inline(never)]
    fn set_long(&mut self, row: usize, value: i64) {
        self.widen().set(row, value);
    }

    /// Moves the column of a later fragment behind this one, from `row` on.
    pub(crate) fn append(&mut self, row: usize, fragment: &mut Self) {
        match (self, fragment) {
            (Self::Short(mine), Self::Short(fragment)) => mine.append(row, fragment),
            (Self::Long(mine), Self::Long(fragment)) => mine.append(row, fragment),
            (Self::Long(mine), Self::Short(fragment)) => mine.append_as(row, fragment, i64::from),
            (mine, Self::Long(fragment)) => mine.widen().append(row, fragment),
        }
    }

    /// Appends an ascending column like [`Self::append`], adding `offset` to each value.
    pub(crate) fn append_ascending(&mut self, row: usize, fragment: &mut Self, offset: i64) {
        match (self, fragment) {
            (Self::Short(mine), Self::Short(fragment))
                if fragment.last().is_none_or(|last| i32::try_from(i64::from(last) + offset).is_ok()) =>
            {
                mine.append_as(row, fragment, |id| id + offset as i32);
            }
            (mine, Self::Short(fragment)) => mine.widen().append_as(row, fragment, |id| i64::from(id) + offset),
            (mine, Self::Long(fragment)) => mine.widen().append_as(row, fragment, |id| id + offset),
        }
    }

    /// Returns the number of rows up to the last value.
    #[inline]
    pub(crate) fn rows(&self) -> usize {
        match self {
            Self::Short(ids) => ids.rows(),
            Self::Long(ids) => ids.rows(),
        }
    }

    /// Converts each value.
    pub(crate) fn map<U>(self, mut to: impl FnMut(i64) -> U) -> ColumnBuilder<U> {
        match self {
            Self::Short(ids) => ids.map(|id| to(i64::from(id))),
            Self::Long(ids) => ids.map(to),
        }
    }

    /// Finishes the column with `rows` rows.
    pub(crate) fn fill(self, rows: usize) -> IdColumn {
        match self {
            Self::Short(ids) => IdColumn::Short(ids.fill(rows)),
            Self::Long(ids) => IdColumn::Long(ids.fill(rows)),
        }
    }

    fn widen(&mut self) -> &mut ColumnBuilder<i64> {
        if let Self::Short(ids) = self {
            *self = Self::Long(std::mem::take(ids).map(i64::from));
        }
        match self {
            Self::Long(ids) => ids,
            Self::Short(_) => unreachable!("widened above"),
        }
    }
}

/// A finished column of ids.
pub(crate) enum IdColumn {
    Short(Column<i32>),
    Long(Column<i64>),
}

impl IdColumn {
    /// Creates a column with a value or a null per row.
    pub(crate) fn of(values: &[Option<i64>]) -> Self {
        let mut ids = IdColumnBuilder::default();
        for (row, value) in values.iter().enumerate() {
            if let Some(value) = value {
                ids.set(row, *value);
            }
        }
        ids.fill(values.len())
    }

    /// Whether a row has a value.
    #[inline]
    pub(crate) fn has(&self, row: usize) -> bool {
        match self {
            Self::Short(ids) => ids.has(row),
            Self::Long(ids) => ids.has(row),
        }
    }

    /// Returns the value of a row.
    #[inline]
    pub(crate) fn get(&self, row: usize) -> Option<i64> {
        match self {
            Self::Short(ids) => ids.get(row).map(i64::from),
            Self::Long(ids) => ids.get(row),
        }
    }

    /// Calls `show` with each row that has a value, in order.
    #[inline]
    pub(crate) fn each(&self, mut show: impl FnMut(usize, i64)) {
        match self {
            Self::Short(ids) => ids.each(|row, id| show(row, i64::from(id))),
            Self::Long(ids) => ids.each(show),
        }
    }

    /// Number of non-null values.
    pub(crate) fn count(&self) -> usize {
        match self {
            Self::Short(ids) => ids.count(),
            Self::Long(ids) => ids.count(),
        }
    }

    /// Converts the column to a polars series.
    pub(crate) fn finish(self, name: &str) -> Series {
        match self {
            Self::Short(ids) => ids.finish::<Int32Type>(name).into_series(),
            Self::Long(ids) => ids.finish::<Int64Type>(name).into_series(),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::frame::IntColumn;
    use polars::prelude::{DataFrame, DataType, IntoColumn};

    const FIRST_LONG: i64 = i32::MAX as i64 + 1;

    fn column(values: &[Option<i64>]) -> (DataType, Vec<Option<i64>>) {
        let column = IdColumn::of(values).finish("id").into_column();
        let frame = DataFrame::new(values.len(), vec![column]).unwrap();
        let ints = IntColumn::of(&frame, "id").unwrap();
        (frame.column("id").unwrap().dtype().clone(), ints.iter().collect())
    }

    #[test]
    fn ids_take_32_bits_while_they_fit() {
        let values = [None, Some(i64::from(i32::MIN)), Some(FIRST_LONG - 1), None];
        assert_eq!(column(&values), (DataType::Int32, values.to_vec()));
    }

    #[test]
    fn first_value_beyond_32_bits_widens_the_column() {
        for long in [FIRST_LONG, i64::from(i32::MIN) - 1, i64::MAX, i64::MIN] {
            let values = [Some(-7), None, Some(long), Some(8), None];
            assert_eq!(column(&values), (DataType::Int64, values.to_vec()));
        }
    }

    #[test]
    fn later_value_of_a_row_counts() {
        let mut ids = IdColumnBuilder::default();
        ids.set(1, 5);
        ids.set(1, FIRST_LONG);
        ids.set(1, 6);
        assert_eq!(ids.rows(), 2);
        let ids = ids.fill(3);
        assert_eq!([0, 1, 2].map(|row| ids.get(row)), [None, Some(6), None]);
    }

    #[test]
    fn rows_are_found_by_value() {
        for offset in [0, FIRST_LONG] {
            let column = IdColumn::of(&[1, 4, 9].map(|value| Some(value + offset))).finish("id").into_column();
            let ints = IntColumn::of(&DataFrame::new(3, vec![column]).unwrap(), "id").unwrap();
            assert_eq!(ints.row_of(4 + offset), Some(1));
            assert_eq!((ints.row_of(5 + offset), ints.row_of(i64::MAX), ints.row_of(i64::MIN)), (None, None, None));
        }
    }
}

//! Whole numbers that nobody adds up: of 32 bits as long as they fit.

use super::column::Column;
use super::column_builder::ColumnBuilder;
use polars::prelude::{Int32Type, Int64Type, IntoSeries, Series};

/// A column of ids while it grows: of 32 bits, and of 64 from the first value that needs them.
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
    /// With room for so many of 32 bits.
    pub(crate) fn with_capacity(values: usize) -> Self {
        Self::Short(ColumnBuilder::with_capacity(values))
    }

    /// The value of a row at or after the last one set.
    #[inline]
    pub(crate) fn set(&mut self, row: usize, value: i64) {
        match (self, i32::try_from(value)) {
            (Self::Short(ids), Ok(value)) => ids.set(row, value),
            (ids, _) => ids.set_long(row, value),
        }
    }

    #[inline(never)]
    fn set_long(&mut self, row: usize, value: i64) {
        self.lengthen().set(row, value);
    }

    /// Moves the column of a later part behind this one, from `row` on.
    pub(crate) fn append(&mut self, row: usize, part: &mut Self) {
        match (self, part) {
            (Self::Short(mine), Self::Short(part)) => mine.append(row, part),
            (Self::Long(mine), Self::Long(part)) => mine.append(row, part),
            (Self::Long(mine), Self::Short(part)) => mine.append_as(row, part, i64::from),
            (mine, Self::Long(part)) => mine.lengthen().append(row, part),
        }
    }

    /// The same for a column that ascends, each value greater by `offset`.
    pub(crate) fn append_ascending(&mut self, row: usize, part: &mut Self, offset: i64) {
        match (self, part) {
            (Self::Short(mine), Self::Short(part))
                if part.last().is_none_or(|last| i32::try_from(i64::from(last) + offset).is_ok()) =>
            {
                mine.append_as(row, part, |id| id + offset as i32);
            }
            (mine, Self::Short(part)) => mine.lengthen().append_as(row, part, |id| i64::from(id) + offset),
            (mine, Self::Long(part)) => mine.lengthen().append_as(row, part, |id| id + offset),
        }
    }

    /// Rows up to that of the last value.
    #[inline]
    pub(crate) fn rows(&self) -> usize {
        match self {
            Self::Short(ids) => ids.rows(),
            Self::Long(ids) => ids.rows(),
        }
    }

    /// The column with other values, each made from its own.
    pub(crate) fn map<U>(self, mut to: impl FnMut(i64) -> U) -> ColumnBuilder<U> {
        match self {
            Self::Short(ids) => ids.map(|id| to(i64::from(id))),
            Self::Long(ids) => ids.map(to),
        }
    }

    /// The column of `rows` rows, all of which have come.
    pub(crate) fn fill(self, rows: usize) -> IdColumn {
        match self {
            Self::Short(ids) => IdColumn::Short(ids.fill(rows)),
            Self::Long(ids) => IdColumn::Long(ids.fill(rows)),
        }
    }

    fn lengthen(&mut self) -> &mut ColumnBuilder<i64> {
        if let Self::Short(ids) = self {
            *self = Self::Long(std::mem::take(ids).map(i64::from));
        }
        match self {
            Self::Long(ids) => ids,
            Self::Short(_) => unreachable!("lengthened above"),
        }
    }
}

/// A column of ids whose rows have all come.
pub(crate) enum IdColumn {
    Short(Column<i32>),
    Long(Column<i64>),
}

impl IdColumn {
    /// A value for each row.
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

    /// The value of a row.
    #[inline]
    pub(crate) fn get(&self, row: usize) -> Option<i64> {
        match self {
            Self::Short(ids) => ids.get(row).map(i64::from),
            Self::Long(ids) => ids.get(row),
        }
    }

    /// Shows each row that has a value, in order.
    #[inline]
    pub(crate) fn each(&self, mut show: impl FnMut(usize, i64)) {
        match self {
            Self::Short(ids) => ids.each(|row, id| show(row, i64::from(id))),
            Self::Long(ids) => ids.each(show),
        }
    }

    /// How many values are there.
    pub(crate) fn count(&self) -> usize {
        match self {
            Self::Short(ids) => ids.count(),
            Self::Long(ids) => ids.count(),
        }
    }

    /// The finished column.
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
    fn the_first_value_that_does_not_fit_lengthens_all() {
        for long in [FIRST_LONG, i64::from(i32::MIN) - 1, i64::MAX, i64::MIN] {
            let values = [Some(-7), None, Some(long), Some(8), None];
            assert_eq!(column(&values), (DataType::Int64, values.to_vec()));
        }
    }

    #[test]
    fn a_value_set_twice_is_the_last_one() {
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

//! Columns while they grow: the values that are there, one behind the other, and a bit for each row.

use super::column::{Column, each_set_of, each_word};
use polars_arrow::bitmap::BitmapBuilder;

/// A column of values that may be absent. Costs nothing until the first value arrives, and a bit for a row without one.
pub(crate) struct ColumnBuilder<T> {
    /// Only those that are there.
    values: Vec<T>,
    /// Up to the row of the last value.
    rows: usize,
    /// Which rows have a value; empty as long as all have.
    present: BitmapBuilder,
}

impl<T> Default for ColumnBuilder<T> {
    fn default() -> Self {
        Self { values: Vec::new(), rows: 0, present: BitmapBuilder::new() }
    }
}

impl<T: Copy + Default> ColumnBuilder<T> {
    /// With room for so many values.
    pub(crate) fn with_capacity(values: usize) -> Self {
        Self { values: Vec::with_capacity(values), ..Self::default() }
    }

    /// The value of a row at or after the last one set.
    #[inline]
    pub(crate) fn set(&mut self, row: usize, value: T) {
        if row == self.rows && self.present.is_empty() {
            self.values.push(value);
            self.rows += 1;
        } else {
            self.set_with_gaps(row, value);
        }
    }

    /// The same, where a row has no value or already one. Apart, so that what most columns do is short.
    #[inline(never)]
    fn set_with_gaps(&mut self, row: usize, value: T) {
        if row < self.rows {
            if let Some(last) = self.values.last_mut() {
                *last = value;
            }
            return;
        }
        self.skip_to(row);
        self.present.push(true);
        self.values.push(value);
        self.rows = row + 1;
    }

    /// Moves the column of a later part behind this one, from `row` on.
    pub(crate) fn append(&mut self, row: usize, part: &mut Self) {
        self.append_rows(row, part);
        self.values.extend_from_slice(&part.values);
        part.values.clear();
    }

    /// The same, each value made from one of the part's.
    pub(crate) fn append_as<U: Copy + Default>(
        &mut self,
        row: usize,
        part: &mut ColumnBuilder<U>,
        to: impl Fn(U) -> T,
    ) {
        self.append_rows(row, part);
        self.values.extend(part.values.iter().map(|&value| to(value)));
        part.values.clear();
    }

    /// Which rows of a later part have a value. It keeps no row, and the memory of its values.
    fn append_rows<U: Copy + Default>(&mut self, row: usize, part: &mut ColumnBuilder<U>) {
        let (rows, present) = (std::mem::take(&mut part.rows), std::mem::take(&mut part.present));
        if rows == 0 {
            return;
        }
        let gapless = row == self.rows && self.present.is_empty() && present.is_empty();
        if !gapless {
            self.skip_to(row);
            if present.is_empty() {
                self.present.extend_constant(rows, true);
            } else {
                self.present.extend_from_bitmap(&present.freeze());
            }
        }
        self.rows = row + rows;
    }

    /// The last value.
    pub(crate) fn last(&self) -> Option<T> {
        self.values.last().copied()
    }

    /// Rows up to that of the last value.
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// The values that are there, in order.
    pub(crate) fn values_mut(&mut self) -> &mut [T] {
        &mut self.values
    }

    /// The column with other values, each made from its own.
    pub(crate) fn map<U>(self, to: impl FnMut(T) -> U) -> ColumnBuilder<U> {
        ColumnBuilder { values: self.values.into_iter().map(to).collect(), rows: self.rows, present: self.present }
    }

    /// The column of `rows` rows, all of which have come.
    pub(crate) fn fill(mut self, rows: usize) -> Column<T> {
        if self.present.is_empty() && self.rows == rows {
            return Column::new(self.values, None);
        }
        self.skip_to(rows);
        let present = self.present.freeze();
        // What the system hands out is zero, and takes no memory until something is written: where a stretch of rows has
        // no value, the column costs nothing.
        let mut values = vec![T::default(); rows];
        let mut there = &self.values[..];
        each_word(&present, |first, word| {
            if let (u64::MAX, Some(all)) = (word, values.get_mut(first..first + 64))
                && let Some((next, rest)) = there.split_at_checked(64)
            {
                all.copy_from_slice(next);
                there = rest;
                return;
            }
            each_set_of(word, first, &mut |row| {
                if let Some((value, rest)) = there.split_first() {
                    (values[row], there) = (*value, rest);
                }
            });
        });
        Column::new(values, Some(present))
    }

    /// The rows up to this one that are not there yet have no value.
    #[inline]
    fn skip_to(&mut self, row: usize) {
        if self.present.is_empty() {
            self.present.extend_constant(self.rows, true);
        }
        self.present.extend_constant(row - self.rows, false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROWS: usize = 200;

    /// The column that has these rows' numbers as values.
    fn column(rows: &[usize]) -> ColumnBuilder<u32> {
        let mut column = ColumnBuilder::default();
        rows.iter().for_each(|&row| column.set(row, row as u32));
        column
    }

    /// The rows, up to `rows`, that have a value, which must be their number.
    fn rows_of(column: ColumnBuilder<u32>, rows: usize) -> Vec<usize> {
        let (column, mut found) = (column.fill(rows), Vec::new());
        column.each(|row, value| {
            assert_eq!((value, column.get(row)), (row as u32, Some(value)));
            found.push(row);
        });
        assert_eq!((column.len(), column.count()), (rows, found.len()));
        assert!((0..rows).all(|row| column.has(row) == found.contains(&row)));
        found
    }

    /// Columns without a gap, with one in front, in the middle, behind, of more than 64 rows, and of nothing else.
    fn samples() -> Vec<Vec<usize>> {
        let not = |gap: std::ops::Range<usize>| (0..ROWS).filter(|row| !gap.contains(row)).collect();
        vec![not(0..0), not(0..1), not(7..8), not(63..65), not(30..170), not(150..ROWS), not(0..ROWS), vec![5, 64, 128]]
    }

    #[test]
    fn rows_without_a_value_have_none() {
        for rows in samples() {
            assert_eq!(rows_of(column(&rows), ROWS), rows);
        }
    }

    #[test]
    fn of_two_values_of_a_row_the_later_one_counts() {
        for rows in samples().into_iter().filter(|rows| !rows.is_empty()) {
            let (mut column, last) = (column(&rows), rows[rows.len() - 1]);
            column.set(last, 7777);
            assert_eq!(column.fill(ROWS).get(last), Some(7777));
        }
    }

    #[test]
    fn a_part_comes_behind_what_is_there() {
        for (mine, part) in samples().iter().flat_map(|mine| samples().into_iter().map(move |part| (mine, part))) {
            let mut whole = column(mine);
            let mut here = column(&part).map(|row| row + ROWS as u32);
            whole.append(ROWS, &mut here);
            // The part is empty now, and takes more.
            part.iter().for_each(|&row| here.set(row, row as u32));
            whole.append_as(2 * ROWS, &mut here, |row| row + 2 * ROWS as u32);
            let again = [ROWS, 2 * ROWS].into_iter().flat_map(|by| part.iter().map(move |row| row + by));
            let expected: Vec<usize> = mine.iter().copied().chain(again).collect();
            assert_eq!(rows_of(whole, 3 * ROWS), expected);
        }
    }
}

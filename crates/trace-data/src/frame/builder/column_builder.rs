//! Column builder: dense values and a validity bitmap.

use super::column::{Column, each_set_of};
use super::validity::Validity;

/// Column builder with nulls. Costs no memory until the first value arrives, and one bit per null.
pub(crate) struct ColumnBuilder<T> {
    /// Non-null values, in order.
    values: Vec<T>,
    /// Rows up to the last value, included.
    rows: usize,
    /// Validity by row; `None` while there are no nulls.
    present: Option<Validity>,
}

impl<T> Default for ColumnBuilder<T> {
    fn default() -> Self {
        Self { values: Vec::new(), rows: 0, present: None }
    }
}

impl<T: Copy + Default> ColumnBuilder<T> {
    /// Creates a builder with room for `values` values.
    pub(crate) fn with_capacity(values: usize) -> Self {
        Self { values: Vec::with_capacity(values), ..Self::default() }
    }

    /// Sets the value of a row at or after the last one set.
    #[inline]
    pub(crate) fn set(&mut self, row: usize, value: T) {
        if row == self.rows && self.present.is_none() {
            self.values.push(value);
            self.rows += 1;
        } else {
            self.set_with_gaps(row, value);
        }
    }

    /// Sets a value after nulls, or again. Not inlined, so that the common case is short; calls nothing where there is room.
    #[inline(never)]
    fn set_with_gaps(&mut self, row: usize, value: T) {
        if row >= self.rows
            && self.values.len() < self.values.capacity()
            && let Some((word, bit)) = self.present.as_mut().and_then(|present| present.word(row))
        {
            self.values.push(value);
            *word |= bit;
            self.rows = row + 1;
        } else {
            self.set_after_growth(row, value);
        }
    }

    #[inline(never)]
    fn set_after_growth(&mut self, row: usize, value: T) {
        if row < self.rows {
            if let Some(last) = self.values.last_mut() {
                *last = value;
            }
            return;
        }
        let rows = self.rows;
        self.present.get_or_insert_with(|| Validity::of_valid(rows)).set(row);
        self.values.push(value);
        self.rows = row + 1;
    }

    /// Moves the column of a later fragment behind this one, from `row` on.
    pub(crate) fn append(&mut self, row: usize, fragment: &mut Self) {
        self.append_rows(row, fragment);
        self.values.extend_from_slice(&fragment.values);
        fragment.values.clear();
    }

    /// Appends like [`Self::append`], converting each value.
    pub(crate) fn append_as<U: Copy + Default>(
        &mut self,
        row: usize,
        fragment: &mut ColumnBuilder<U>,
        to: impl Fn(U) -> T,
    ) {
        self.append_rows(row, fragment);
        self.values.extend(fragment.values.iter().map(|&value| to(value)));
        fragment.values.clear();
    }

    /// Moves the validity of a later fragment, which keeps the memory of its values.
    fn append_rows<U: Copy + Default>(&mut self, row: usize, fragment: &mut ColumnBuilder<U>) {
        let (rows, present) = (std::mem::take(&mut fragment.rows), fragment.present.take());
        if rows == 0 {
            return;
        }
        let mine = self.rows;
        if row != mine || self.present.is_some() || present.is_some() {
            let present = present.unwrap_or_else(|| Validity::of_valid(rows));
            self.present.get_or_insert_with(|| Validity::of_valid(mine)).append(row, &present);
        }
        self.rows = row + rows;
    }

    /// Returns the last value.
    pub(crate) fn last(&self) -> Option<T> {
        self.values.last().copied()
    }

    /// Returns the number of rows up to the last value.
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// Returns the non-null values, in order.
    pub(crate) fn values_mut(&mut self) -> &mut [T] {
        &mut self.values
    }

    /// Converts each value.
    pub(crate) fn map<U>(self, to: impl FnMut(T) -> U) -> ColumnBuilder<U> {
        ColumnBuilder { values: self.values.into_iter().map(to).collect(), rows: self.rows, present: self.present }
    }

    /// Finishes the column with `rows` rows.
    pub(crate) fn fill(self, rows: usize) -> Column<T> {
        let present = match self.present {
            None if self.rows == rows => return Column::new(self.values, None),
            present => present.unwrap_or_else(|| Validity::of_valid(self.rows)),
        };
        // Zeroed pages of the system take no memory until they are written: long runs of nulls cost nothing.
        let mut values = vec![T::default(); rows];
        let mut left = &self.values[..];
        for (first, word) in present.words() {
            if let (u64::MAX, Some(all)) = (word, values.get_mut(first..first + 64))
                && let Some((next, rest)) = left.split_at_checked(64)
            {
                all.copy_from_slice(next);
                left = rest;
                continue;
            }
            each_set_of(word, first, &mut |row| {
                if let Some((value, rest)) = left.split_first() {
                    (values[row], left) = (*value, rest);
                }
            });
        }
        Column::new(values, Some(present.finish(rows)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROWS: usize = 200;

    /// Returns a builder with these rows, each with its number as value.
    fn column(rows: &[usize]) -> ColumnBuilder<u32> {
        let mut column = ColumnBuilder::default();
        rows.iter().for_each(|&row| column.set(row, row as u32));
        column
    }

    /// Returns the rows below `rows` that have a value, which must be their number.
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

    /// Columns without nulls, with nulls at the start, in the middle, at the end, in more than 64 rows, and with nulls only.
    fn samples() -> Vec<Vec<usize>> {
        let not = |gap: std::ops::Range<usize>| (0..ROWS).filter(|row| !gap.contains(row)).collect();
        vec![not(0..0), not(0..1), not(7..8), not(63..65), not(30..170), not(150..ROWS), not(0..ROWS), vec![5, 64, 128]]
    }

    #[test]
    fn unset_rows_are_null() {
        for rows in samples() {
            assert_eq!(rows_of(column(&rows), ROWS), rows);
        }
    }

    #[test]
    fn later_value_of_a_row_counts() {
        for rows in samples().into_iter().filter(|rows| !rows.is_empty()) {
            let (mut column, last) = (column(&rows), rows[rows.len() - 1]);
            column.set(last, 7777);
            assert_eq!(column.fill(ROWS).get(last), Some(7777));
        }
    }

    #[test]
    fn fragments_are_appended() {
        for (mine, part) in samples().iter().flat_map(|mine| samples().into_iter().map(move |part| (mine, part))) {
            // Within a word of 64 rows, at its begin, and at its end.
            for [first, second] in [[ROWS, 2 * ROWS], [256, 512], [255, 577]] {
                let mut whole = column(mine);
                let mut here = column(&part).map(|row| row + first as u32);
                whole.append(first, &mut here);
                // The fragment is empty now, and can be filled again.
                part.iter().for_each(|&row| here.set(row, row as u32));
                whole.append_as(second, &mut here, |row| row + second as u32);
                let again = [first, second].into_iter().flat_map(|by| part.iter().map(move |row| row + by));
                let expected: Vec<usize> = mine.iter().copied().chain(again).collect();
                assert_eq!(rows_of(whole, second + ROWS), expected);
            }
        }
    }
}

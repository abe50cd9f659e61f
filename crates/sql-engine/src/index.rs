//! Indexes of a column: which rows have a value, or values within bounds.

use crate::column::Column;
use crate::value::{Kind, Value};
use foldhash::fast::FixedState;
use rayon::prelude::{IntoParallelIterator, ParallelIterator};
use rayon::slice::ParallelSliceMut;
use std::hash::BuildHasher;
use std::ops::Range;

/// Index of a column of a part: its rows by the keys of their values. Different values may have one key, so a lookup compares the values, too.
#[derive(Debug)]
pub struct Index {
    keys: Keys,
    /// The rows, by their key; empty if the column ascends.
    rows: Vec<u32>,
}

#[derive(Debug)]
enum Keys {
    /// The column itself ascends, and has a value in each of so many rows.
    Ascending(usize),
    /// Rows of the key `least + at` are those from `starts[at]` to `starts[at + 1]`.
    Dense { least: i64, starts: Vec<u32> },
    /// Ascending keys, one for each row that has one.
    Sorted(Vec<i64>),
}

/// Bounds of keys, both included.
pub(crate) type Bounds = (i64, i64);

/// Returns the key of a value; none for NULL.
pub(crate) fn key(value: Value<'_>) -> Option<i64> {
    match value {
        Value::Null => None,
        Value::Int(value) => Some(value),
        // Equal numbers have equal keys, whatever their type.
        Value::Real(value) if value.fract() == 0.0 && value.abs() < 9e18 => Some(value as i64),
        Value::Real(value) => Some(value.to_bits() as i64),
        Value::Text(text) => Some(FixedState::with_seed(7).hash_one(text) as i64),
    }
}

impl Index {
    /// Returns the memory that an index of so many rows needs at most, in bytes.
    pub(crate) fn bytes_needed(rows: usize) -> usize {
        rows.saturating_mul(48)
    }

    /// Returns the memory of the index, in bytes.
    pub fn bytes(&self) -> usize {
        let keys = match &self.keys {
            Keys::Ascending(_) => 0,
            Keys::Dense { starts, .. } => size_of_val(starts.as_slice()),
            Keys::Sorted(keys) => size_of_val(keys.as_slice()),
        };
        size_of::<Self>() + keys + size_of_val(self.rows.as_slice())
    }

    /// Builds the index of a column of so many rows.
    pub fn of(column: &dyn Column, kind: Kind, rows: usize) -> Self {
        let key_of = |row: usize| match column.code(row) {
            Some(code) => Some(i64::from(code)),
            None if column.dictionary().is_some() => None,
            None => key(column.value(row)),
        };
        let keys: Vec<Option<i64>> = (0..rows).into_par_iter().map(key_of).collect();
        let found = keys.iter().flatten().count();
        if kind == Kind::Int && found == rows && keys.is_sorted() {
            return Self { keys: Keys::Ascending(rows), rows: Vec::new() };
        }
        let least = keys.iter().flatten().min().copied().unwrap_or(0);
        let most = keys.iter().flatten().max().copied().unwrap_or(0);
        let span = most.abs_diff(least) as usize;
        if span < found.saturating_mul(4).saturating_add(1024) {
            return Self::dense(least, span, found, &keys);
        }
        let mut pairs: Vec<(i64, u32)> =
            keys.iter().zip(0..).filter_map(|(key, row)| key.map(|key| (key, row))).collect();
        pairs.par_sort_unstable();
        Self {
            keys: Keys::Sorted(pairs.iter().map(|pair| pair.0).collect()),
            rows: pairs.into_iter().map(|pair| pair.1).collect(),
        }
    }

    /// Sorts rows by counting their keys.
    fn dense(least: i64, span: usize, found: usize, keys: &[Option<i64>]) -> Self {
        let slot = |key: i64| key.abs_diff(least) as usize;
        let mut starts = vec![0_u32; span + 2];
        for key in keys.iter().flatten() {
            starts[slot(*key) + 1] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let (mut next, mut sorted) = (starts.clone(), vec![0_u32; found]);
        for (key, row) in keys.iter().zip(0_u32..) {
            if let Some(key) = key {
                let next = &mut next[slot(*key)];
                sorted[*next as usize] = row;
                *next += 1;
            }
        }
        Self { keys: Keys::Dense { least, starts }, rows: sorted }
    }

    /// Returns the places of the rows whose keys are within bounds; [`Self::row`] says which rows these are.
    pub(crate) fn within(&self, column: &dyn Column, (from, to): Bounds) -> Range<usize> {
        if from > to {
            return 0..0;
        }
        match &self.keys {
            Keys::Ascending(rows) => {
                let below = |bound: i64, included: bool| {
                    partition_point(*rows, |row| match column.value(row) {
                        Value::Int(value) => value < bound || (included && value == bound),
                        _ => false,
                    })
                };
                below(from, false)..below(to, true)
            }
            Keys::Dense { least, starts } => {
                let keys = starts.len() as i64 - 1;
                // A difference beyond the integers lies beyond the keys.
                let slot = |key: i64| {
                    let beyond = if key < *least { 0 } else { keys };
                    key.checked_sub(*least).map_or(beyond, |distance| distance.clamp(0, keys)) as usize
                };
                let after = if to < *least { 0 } else { slot(to.saturating_add(1)) };
                starts[slot(from)] as usize..starts[after.max(slot(from))] as usize
            }
            Keys::Sorted(keys) => keys.partition_point(|key| *key < from)..keys.partition_point(|key| *key <= to),
        }
    }

    /// Returns the row at a place.
    pub(crate) fn row(&self, position: usize) -> u32 {
        match self.keys {
            Keys::Ascending(_) => position as u32,
            _ => self.rows.get(position).copied().unwrap_or(u32::MAX),
        }
    }

    /// Whether the rows are in the order of the column.
    pub(crate) fn ascends(&self) -> bool {
        matches!(self.keys, Keys::Ascending(_))
    }
}

/// Returns the first number below `rows` for which `is_before` is false.
fn partition_point(rows: usize, is_before: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, rows);
    while low < high {
        let middle = low + (high - low) / 2;
        if is_before(middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(index: &Index, column: &dyn Column, bounds: Bounds) -> Vec<u32> {
        let mut rows: Vec<u32> = index.within(column, bounds).map(|position| index.row(position)).collect();
        rows.sort_unstable();
        rows
    }

    #[test]
    fn every_form_finds_the_rows_within_bounds() {
        let columns: [Vec<Option<i64>>; 5] = [
            vec![Some(1), Some(3), Some(3), Some(9)],
            vec![Some(4), None, Some(-2), Some(4), Some(7), None],
            vec![Some(i64::MAX), Some(i64::MIN), None, Some(0), Some(1_000_000_000_000)],
            vec![None, None],
            vec![],
        ];
        for column in &columns {
            let index = Index::of(column, Kind::Int, column.len());
            let edges = [i64::MIN, -3, -2, 0, 1, 2, 3, 4, 8, 9, 10, 1_000_000_000_000, i64::MAX - 1, i64::MAX];
            for from in edges {
                for to in edges {
                    let expected: Vec<u32> = (0..column.len() as u32)
                        .filter(|&row| column[row as usize].is_some_and(|value| from <= value && value <= to))
                        .collect();
                    assert_eq!(rows(&index, column, (from, to)), expected, "{column:?} {from}..={to}");
                }
            }
        }
    }

    #[test]
    fn equal_numbers_have_equal_keys() {
        assert_eq!(key(Value::Int(3)), key(Value::Real(3.0)));
        assert_eq!(key(Value::Real(0.0)), key(Value::Real(-0.0)));
        assert_ne!(key(Value::Real(0.5)), key(Value::Real(0.25)));
        assert_eq!(key(Value::Null), None);
    }
}

//! Finished integer columns, read as `i64`.

use crate::Result;
use polars::prelude::{DataFrame, DataType};
use polars_arrow::array::{Array, PrimitiveArray};
use polars_arrow::bitmap::BitmapBuilder;
use polars_arrow::types::NativeType;

/// A finished column of integers of 32 or 64 bits, read as `i64`.
#[derive(Debug, Clone)]
pub enum IntColumn {
    /// 32 bits.
    Short(PrimitiveArray<i32>),
    /// 64 bits.
    Long(PrimitiveArray<i64>),
}

impl IntColumn {
    /// Returns the column `name` of a frame, in one chunk.
    ///
    /// # Errors
    /// If it is missing or does not hold integers.
    pub fn of(frame: &DataFrame, name: &str) -> Result<Self> {
        let column = frame.column(name)?;
        Ok(match column.dtype() {
            DataType::Int32 => Self::Short(column.i32()?.rechunk().downcast_as_array().clone()),
            _ => Self::Long(column.i64()?.rechunk().downcast_as_array().clone()),
        })
    }

    /// Number of rows.
    #[allow(clippy::len_without_is_empty)]
    #[inline]
    pub fn len(&self) -> usize {
        match self {
            Self::Short(ints) => ints.len(),
            Self::Long(ints) => ints.len(),
        }
    }

    /// Returns the value of a row.
    #[inline]
    pub fn get(&self, row: usize) -> Option<i64> {
        match self {
            Self::Short(ints) => value_of(ints, row).map(i64::from),
            Self::Long(ints) => value_of(ints, row),
        }
    }

    /// Returns all values, in order.
    pub fn iter(&self) -> impl Iterator<Item = Option<i64>> + '_ {
        (0..self.len()).map(|row| self.get(row))
    }

    /// Returns these values with others behind them.
    pub fn followed_by(&self, values: impl ExactSizeIterator<Item = Option<i64>>) -> Self {
        let behind = |value: Option<i64>| value.and_then(|value| i32::try_from(value).ok());
        match self {
            Self::Short(ints) => Self::Short(followed_by(ints, values.map(behind))),
            Self::Long(ints) => Self::Long(followed_by(ints, values)),
        }
    }

    /// Returns the row of a value, in a column that is sorted and has no nulls.
    pub fn row_of(&self, value: i64) -> Option<usize> {
        match self {
            Self::Short(ints) if ints.null_count() == 0 => position(ints.values(), i32::try_from(value).ok()?),
            Self::Long(ints) if ints.null_count() == 0 => position(ints.values(), value),
            _ => None,
        }
    }
}

/// Returns the value of a row; `None` for a null, and behind the last row.
#[inline]
pub fn value_of<T: NativeType>(values: &PrimitiveArray<T>, row: usize) -> Option<T> {
    let value = *values.values().get(row)?;
    values.validity().is_none_or(|valid| valid.get_bit(row)).then_some(value)
}

/// Returns values with others behind them; those that are there are copied as a whole.
pub(super) fn followed_by<T: NativeType>(
    values: &PrimitiveArray<T>,
    behind: impl ExactSizeIterator<Item = Option<T>>,
) -> PrimitiveArray<T> {
    let all = values.len() + behind.len();
    let (mut found, mut valid) = (Vec::with_capacity(all), BitmapBuilder::with_capacity(all));
    found.extend_from_slice(values.values());
    match values.validity() {
        Some(own) => valid.extend_from_bitmap(own),
        None => valid.extend_constant(values.len(), true),
    }
    for value in behind {
        found.push(value.unwrap_or_default());
        valid.push(value.is_some());
    }
    PrimitiveArray::from_vec(found).with_validity(valid.into_opt_validity())
}

/// Finds a value among ascending ones: near the place where it would be if they were evenly spaced, as positions in a file
/// nearly are.
fn position<T: Copy + Ord + Into<i64>>(values: &[T], wanted: T) -> Option<usize> {
    let (&first, &last) = (values.first()?, values.last()?);
    if wanted < first || wanted > last {
        return None;
    }
    let offset = |value: T| (value.into() as f64) - (first.into() as f64);
    let share = offset(wanted) / offset(last).max(1.0);
    let guess = ((share * (values.len() - 1) as f64) as usize).min(values.len() - 1);
    // The range in which it is, doubled until it contains the value.
    let (mut low, mut high, mut step) = (guess, guess + 1, 1);
    while low > 0 && values[low] > wanted {
        low = low.saturating_sub(step);
        step *= 2;
    }
    step = 1;
    while high < values.len() && values[high - 1] < wanted {
        high = (high + step).min(values.len());
        step *= 2;
    }
    values[low..high].binary_search(&wanted).ok().map(|at| low + at)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn rows_are_found_however_values_are_spaced() {
        let squares: Vec<i64> = (0..3000).map(|row| row * row).collect();
        let dense: Vec<i64> = (5..900).collect();
        let jump: Vec<i64> = (0..100).chain(1_000_000..1_000_100).chain([i64::MAX]).collect();
        for values in [squares, dense, jump, vec![-7], vec![i64::MIN, 0, i64::MAX]] {
            for (row, &value) in values.iter().enumerate() {
                assert_eq!(position(&values, value), Some(row), "{value}");
                for other in [value.saturating_sub(1), value.saturating_add(1)] {
                    assert_eq!(position(&values, other), values.binary_search(&other).ok(), "{other}");
                }
            }
        }
        assert_eq!(position::<i64>(&[], 3), None);
    }

    #[test]
    fn nulls_and_rows_behind_the_last_have_no_value() {
        let frame = polars::df!("a" => [Some(1_i64), None, Some(3)], "b" => [Some(1_i32), None, Some(3)]).unwrap();
        for name in ["a", "b"] {
            let column = IntColumn::of(&frame, name).unwrap();
            assert_eq!(column.iter().collect::<Vec<_>>(), [Some(1), None, Some(3)]);
            assert_eq!((column.get(3), column.row_of(3)), (None, None));
        }
    }
}

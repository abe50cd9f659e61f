//! Finished integer columns, read as `i64`.

use crate::Result;
use polars::prelude::{DataFrame, DataType, Int32Chunked, Int64Chunked};

/// A finished column of integers of 32 or 64 bits, read as `i64`.
#[derive(Debug, Clone)]
pub(crate) enum IntColumn {
    Short(Int32Chunked),
    Long(Int64Chunked),
}

impl IntColumn {
    /// Returns the column `name` of a frame, in one chunk.
    ///
    /// # Errors
    /// If it is missing or does not hold integers.
    pub(crate) fn of(frame: &DataFrame, name: &str) -> Result<Self> {
        let column = frame.column(name)?;
        Ok(match column.dtype() {
            DataType::Int32 => Self::Short(column.i32()?.rechunk().into_owned()),
            _ => Self::Long(column.i64()?.rechunk().into_owned()),
        })
    }

    /// Number of rows.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Short(ints) => ints.len(),
            Self::Long(ints) => ints.len(),
        }
    }

    /// Returns the value of a row.
    #[inline]
    pub(crate) fn get(&self, row: usize) -> Option<i64> {
        match self {
            Self::Short(ints) => ints.get(row).map(i64::from),
            Self::Long(ints) => ints.get(row),
        }
    }

    /// Returns all values, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Option<i64>> + '_ {
        (0..self.len()).map(|row| self.get(row))
    }

    /// Returns the row of a value, in a column that is sorted and has no nulls.
    pub(crate) fn row_of(&self, value: i64) -> Option<usize> {
        match self {
            Self::Short(ints) => ints.cont_slice().ok()?.binary_search(&i32::try_from(value).ok()?).ok(),
            Self::Long(ints) => ints.cont_slice().ok()?.binary_search(&value).ok(),
        }
    }
}

//! The place of a rank's events.

use crate::Result;
use polars::prelude::{DataFrame, DataType, PlSmallStr};

/// The place of a rank's events.
#[derive(Clone)]
pub(super) enum RankSource {
    /// Columns in memory.
    Memory(DataFrame),
}

impl RankSource {
    /// Returns the events.
    ///
    /// # Errors
    /// If they are in a file that cannot be read any more.
    pub(super) fn frame(&self) -> Result<DataFrame> {
        match self {
            Self::Memory(events) => Ok(events.clone()),
        }
    }

    /// Returns the names and types of the columns, without the events.
    pub(super) fn columns(&self) -> Vec<(PlSmallStr, DataType)> {
        match self {
            Self::Memory(events) => {
                events.columns().iter().map(|column| (column.name().clone(), column.dtype().clone())).collect()
            }
        }
    }

    /// Whether the events are in memory.
    pub(super) fn is_in_memory(&self) -> bool {
        matches!(self, Self::Memory(_))
    }

    /// Returns the bytes that using the events takes besides what is in memory already: those of columns to be mapped.
    pub(super) fn bytes_to_map(&self) -> usize {
        match self {
            Self::Memory(_) => 0,
        }
    }

    /// Returns the memory of the columns, in bytes.
    pub(super) fn memory_bytes(&self) -> usize {
        match self {
            Self::Memory(events) => events.estimated_size(),
        }
    }
}

//! Storage of the instants and counters of a rank once they are read.

use super::spill::SpilledFile;
use crate::Result;
use crate::store::StoredTable;
use polars::prelude::DataFrame;

/// Where both tables are.
pub(super) struct RetainedTables {
    pub(super) instants: TableLocation,
    pub(super) counters: TableLocation,
}

/// Where a table is.
pub(super) enum TableLocation {
    Memory(DataFrame),
    /// In a file of the cache.
    Cached(StoredTable),
    /// In a file, which is removed with the last clone of the rank.
    File(StoredTable, #[expect(dead_code)] SpilledFile),
}

impl TableLocation {
    pub(super) fn frame(&self) -> Result<DataFrame> {
        match self {
            Self::Memory(frame) => Ok(frame.clone()),
            Self::Cached(table) | Self::File(table, _) => table.frame(),
        }
    }
}

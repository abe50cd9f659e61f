//! The place of a rank's events.

use super::spill::SpilledFile;
use crate::Result;
use crate::distributed::ElsewhereRank;
use crate::frame::{NamedType, cast};
use crate::store::StoredTable;
use polars::prelude::{DataFrame, DataType, PlSmallStr};
use std::sync::{Arc, OnceLock};

/// The place of a rank's events.
#[derive(Clone)]
pub(super) enum RankSource {
    /// Columns in memory.
    Memory(DataFrame),
    /// A file, mapped whenever the events are asked for.
    Stored(StoredRank),
    /// Another machine or process, which an engine asks.
    Elsewhere(Arc<ElsewhereRank>),
}

/// A file with the events of a rank.
#[derive(Clone)]
pub(super) struct StoredRank {
    table: StoredTable,
    /// The columns whose types differ from those of other ranks, with the common types.
    casts: Arc<[NamedType]>,
    /// The columns, from their first use on, of a rank that fits in memory: they stay mapped.
    mapped: Option<Arc<OnceLock<DataFrame>>>,
    /// Removes the file after the last clone of the rank is dropped.
    _file: Option<Arc<SpilledFile>>,
}

impl RankSource {
    /// Returns the source of events in a file, which is removed with the last clone if there is a guard.
    pub(super) fn stored(table: StoredTable, file: Option<Arc<SpilledFile>>) -> Self {
        Self::Stored(StoredRank { table, casts: Arc::default(), mapped: None, _file: file })
    }

    /// Returns the source with columns that stay mapped once they are used.
    pub(super) fn staying_mapped(self) -> Self {
        match self {
            Self::Stored(rank) => Self::Stored(StoredRank { mapped: Some(Arc::default()), ..rank }),
            other => other,
        }
    }

    /// Returns the events of this rank.
    ///
    /// # Errors
    /// If they are in a file that cannot be read any more, or elsewhere.
    pub(super) fn frame(&self, number: i64) -> Result<DataFrame> {
        match self {
            Self::Memory(events) => Ok(events.clone()),
            Self::Stored(rank) => rank.frame(),
            Self::Elsewhere(rank) => Err(rank.not_here(number)),
        }
    }

    /// Returns those columns of the events of this rank that are in `names`, in the order of the events.
    ///
    /// # Errors
    /// As [`Self::frame`].
    pub(super) fn frame_of(&self, number: i64, names: &[PlSmallStr]) -> Result<DataFrame> {
        let of = |events: &DataFrame| -> Result<DataFrame> {
            let columns = events.columns().iter().filter(|column| names.contains(column.name())).cloned();
            Ok(DataFrame::new(events.height(), columns.collect())?)
        };
        match self {
            Self::Memory(events) => of(events),
            Self::Stored(rank) if rank.mapped.is_some() => of(&rank.frame()?),
            Self::Stored(rank) => {
                let mut events = rank.table.frame_of(names)?;
                cast(&mut events, &rank.casts)?;
                Ok(events)
            }
            Self::Elsewhere(rank) => Err(rank.not_here(number)),
        }
    }

    /// Returns the names and types of the columns, without the events.
    pub(super) fn columns(&self) -> Vec<NamedType> {
        match self {
            Self::Memory(events) => {
                events.columns().iter().map(|column| (column.name().clone(), column.dtype().clone())).collect()
            }
            Self::Stored(rank) => {
                let mut columns = rank.table.columns().to_vec();
                for (name, dtype) in &mut columns {
                    if let Some((_, common)) = rank.casts.iter().find(|(other, _)| other == name) {
                        *dtype = common.clone();
                    }
                }
                columns
            }
            Self::Elsewhere(rank) => rank.columns.clone(),
        }
    }

    /// Returns the source with these types: columns in memory are cast now, those of a file whenever it is mapped.
    ///
    /// # Errors
    /// If polars refuses, which no input should cause.
    pub(super) fn with_types(&self, types: &[NamedType]) -> Result<Self> {
        match self {
            Self::Memory(events) => {
                let mut events = events.clone();
                cast(&mut events, types)?;
                Ok(Self::Memory(events))
            }
            Self::Stored(rank) => {
                let differs = |column: &&NamedType| {
                    rank.table.columns().iter().any(|(name, dtype)| *name == column.0 && *dtype != column.1)
                };
                let casts = types.iter().filter(differs).cloned().collect();
                // Another cast needs columns of its own.
                let mapped = rank.mapped.as_ref().map(|_| Arc::default());
                Ok(Self::Stored(StoredRank { casts, mapped, ..rank.clone() }))
            }
            Self::Elsewhere(rank) => {
                let mut rank = ElsewhereRank::clone(rank);
                for (name, dtype) in &mut rank.columns {
                    if let Some((_, common)) = types.iter().find(|(other, _)| other == name) {
                        *dtype = common.clone();
                    }
                }
                Ok(Self::Elsewhere(Arc::new(rank)))
            }
        }
    }

    /// Returns the size of the file of the events, in bytes; 0 if they are in memory, or are mapped and stay so.
    pub(super) fn stored_bytes(&self) -> u64 {
        match self {
            Self::Stored(rank) if rank.mapped.as_ref().is_none_or(|mapped| mapped.get().is_none()) => {
                rank.table.bytes()
            }
            _ => 0,
        }
    }

    /// Returns the file of the events, if there is one.
    pub(super) fn table(&self) -> Option<&StoredTable> {
        match self {
            Self::Stored(rank) => Some(&rank.table),
            Self::Memory(_) | Self::Elsewhere(_) => None,
        }
    }

    /// Returns the rank if its events are elsewhere.
    pub(super) fn elsewhere(&self) -> Option<&ElsewhereRank> {
        if let Self::Elsewhere(rank) = self { Some(rank) } else { None }
    }

    /// Whether the events are in a file only, and do not stay mapped.
    pub(super) fn is_stored(&self) -> bool {
        matches!(self, Self::Stored(rank) if rank.mapped.is_none())
    }

    /// Returns the bytes that using the events takes besides what is in memory already: those of columns to be mapped, whose codes
    /// are translated.
    pub(super) fn bytes_to_map(&self) -> usize {
        self.bytes_to_map_of(|_| true)
    }

    /// Returns the bytes that using some columns of the events takes, as [`Self::bytes_to_map`] does for all.
    pub(super) fn bytes_to_map_of(&self, is_used: impl Fn(&PlSmallStr) -> bool) -> usize {
        let Self::Stored(rank) = self else { return 0 };
        if rank.columns_in_use().is_some() {
            return 0;
        }
        // The bits of missing values take up to a byte for eight rows. Symbols are translated to codes, and numbers may be cast.
        let per_row = |(name, dtype): &(PlSmallStr, DataType)| -> usize {
            let width = bytes_per_value(dtype);
            let is_copied = dtype.is_categorical() || rank.casts.iter().any(|(other, _)| other == name);
            if is_copied { width + 8 } else { width }
        };
        let columns = rank.table.columns().iter().filter(|(name, _)| is_used(name));
        let (bytes, count) = columns.fold((0, 0), |(bytes, count), column| (bytes + per_row(column), count + 1));
        let rows = rank.table.info().events;
        rows.saturating_mul(bytes).saturating_add(rows.saturating_mul(count) / 8)
    }

    /// Returns the memory of the columns, in bytes; 0 if they are in a file.
    pub(super) fn memory_bytes(&self) -> usize {
        match self {
            Self::Memory(events) => events.estimated_size(),
            Self::Stored(rank) => rank.columns_in_use().map_or(0, DataFrame::estimated_size),
            Self::Elsewhere(_) => 0,
        }
    }
}

impl StoredRank {
    /// Returns the columns that stay mapped, if they have been used.
    fn columns_in_use(&self) -> Option<&DataFrame> {
        self.mapped.as_ref().and_then(|mapped| mapped.get())
    }

    /// Returns the events.
    fn frame(&self) -> Result<DataFrame> {
        if let Some(events) = self.columns_in_use() {
            self.table.check()?;
            return Ok(events.clone());
        }
        let mut events = self.table.frame()?;
        cast(&mut events, &self.casts)?;
        if let Some(mapped) = &self.mapped {
            return Ok(mapped.get_or_init(|| events).clone());
        }
        Ok(events)
    }
}

/// Returns the size of a value in a file, in bytes.
fn bytes_per_value(dtype: &DataType) -> usize {
    match dtype {
        DataType::Boolean | DataType::Int8 | DataType::UInt8 => 1,
        DataType::Int16 | DataType::UInt16 => 2,
        DataType::Int32 | DataType::UInt32 | DataType::Float32 | DataType::Categorical(..) => 4,
        _ => 8,
    }
}

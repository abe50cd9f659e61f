//! One rank of a trace: its events, and facts that need no look at them.

use super::derived::Derived;
use super::further_tables::FurtherTables;
use super::rank_source::RankSource;
use super::spill::SpilledFile;
use super::table_source::TableSource;
use crate::distributed::ElsewhereRank;
use crate::frame::{Kinds, NamedType, RankEvents};
use crate::store::StoredTable;
use crate::{Compat, RankInfo, Result};
use polars::prelude::{DataFrame, DataType, PlSmallStr};
use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// One rank of a [`TraceSet`](crate::TraceSet). Cheap to clone.
#[derive(Clone)]
pub struct Trace {
    info: Arc<RankInfo>,
    source: RankSource,
    tables: FurtherTables,
    derived: Derived,
}

impl fmt::Debug for Trace {
    /// One line: [`Trace::events`] has the rows.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Trace(rank {}, {} events)", self.info.rank, self.info.events)
    }
}

/// Returns the start of the recording of these ranks: that of their first event, on the clock of the trace; 0 without ranks.
pub fn origin(ranks: &[Trace]) -> i64 {
    ranks.iter().map(|trace| trace.info().first_ts).min().unwrap_or(0)
}

impl Trace {
    fn of_parts(info: Arc<RankInfo>, source: RankSource, tables: FurtherTables) -> Self {
        Self { info, source, tables, derived: Derived::default() }
    }

    /// Returns the rank with other events, of which nothing is derived yet.
    fn with_source(&self, source: RankSource) -> Self {
        Self::of_parts(Arc::clone(&self.info), source, self.tables.clone())
    }

    /// Returns the rank with the same events elsewhere.
    fn with_same_events(&self, source: RankSource) -> Self {
        Self { source, ..self.clone() }
    }

    /// Returns a value that is derived from the events of the rank, by its key; it is made at the first call, shared by all that use it,
    /// and kept until memory is wanted if it was used last of its type. `bytes` is its memory.
    ///
    /// # Errors
    /// Those of `make`.
    #[doc(hidden)]
    pub fn derived<T: Any + Send + Sync>(
        &self,
        key: &str,
        bytes: impl FnOnce(&T) -> usize,
        make: impl FnOnce() -> Result<T>,
    ) -> Result<Arc<T>> {
        self.derived.get(key, 1, bytes, make)
    }

    /// Returns a value as [`Self::derived`] does, and keeps the `count` of its type that were used last. `None` if there is none.
    #[doc(hidden)]
    pub fn derived_of_several<T: Any + Send + Sync>(
        &self,
        key: &str,
        count: usize,
        bytes: impl FnOnce(&T) -> usize,
        make: impl FnOnce() -> Option<T>,
    ) -> Option<Arc<T>> {
        self.derived.get(key, count, bytes, || make().ok_or(())).ok()
    }

    /// Returns a number that clones of the rank share, and that no other rank has while one of them is in use.
    #[doc(hidden)]
    pub fn identity(&self) -> usize {
        self.derived.identity()
    }

    /// Gives back the memory of what was derived from the events and is not in use.
    #[doc(hidden)]
    pub fn give_back(&self) {
        self.derived.give_back();
    }

    /// Returns the facts that are known without the events, shared with the rank.
    #[doc(hidden)]
    pub fn shared_info(&self) -> Arc<RankInfo> {
        Arc::clone(&self.info)
    }

    /// Creates a rank whose events are in memory.
    #[doc(hidden)]
    pub fn in_memory(info: RankInfo, events: DataFrame) -> Self {
        Self::of_parts(Arc::new(info), RankSource::Memory(events), FurtherTables::default())
    }

    /// Creates a rank whose events an engine reads.
    pub(super) fn of_elsewhere(info: RankInfo, rank: ElsewhereRank) -> Self {
        Self::of_parts(Arc::new(info), RankSource::Elsewhere(Arc::new(rank)), FurtherTables::default())
    }

    /// Returns the rank with other events, in memory; its facts stay.
    #[doc(hidden)]
    pub fn with_events(&self, events: DataFrame) -> Self {
        self.with_source(RankSource::Memory(events))
    }

    /// Returns the rank with its events in a file, which is removed with the last clone of the rank if there is a guard.
    pub(super) fn moved_to(&self, table: StoredTable, file: Option<Arc<SpilledFile>>) -> Self {
        self.with_same_events(RankSource::stored(table, file))
    }

    /// Creates a rank whose events are in a file, which must stay where it is; `info` has its facts if they are not those in the
    /// file.
    pub(crate) fn of_table(table: StoredTable, info: Option<RankInfo>, stays_mapped: bool) -> Self {
        let info = info.map_or_else(|| Arc::clone(table.info()), Arc::new);
        let source = RankSource::stored(table, None);
        let source = if stays_mapped { source.staying_mapped() } else { source };
        Self::of_parts(info, source, FurtherTables::default())
    }

    /// Returns the rank with another place of its instants and counters besides its trace file.
    pub(crate) fn with_tables_in(self, source: Option<TableSource>) -> Self {
        Self { tables: FurtherTables::of(source), ..self }
    }

    /// Returns the rank with columns that stay mapped once they are used, if they are in a file.
    pub(super) fn staying_mapped(self) -> Self {
        Self { source: self.source.staying_mapped(), ..self }
    }

    /// Returns the rank with the columns of a file, which stay mapped from now on.
    ///
    /// # Errors
    /// If the file cannot be mapped.
    pub(crate) fn mapped_from(&self, table: StoredTable) -> Result<Self> {
        let source = RankSource::stored(table, None).staying_mapped();
        source.frame(self.rank())?;
        Ok(self.with_same_events(source))
    }

    /// Returns the rank with columns of these types, which all ranks of its trace have.
    #[doc(hidden)]
    pub fn with_types(&self, types: &[NamedType]) -> Result<Self> {
        Ok(self.with_same_events(self.source.with_types(types)?))
    }

    /// Returns the file with the events, if there is one.
    pub(crate) fn stored_table(&self) -> Option<&StoredTable> {
        self.source.table()
    }

    /// Returns those columns of the events that are in `names`, in the order of the events.
    ///
    /// # Errors
    /// As [`Self::frame`].
    #[doc(hidden)]
    pub fn frame_of(&self, names: &[PlSmallStr]) -> Result<DataFrame> {
        self.source.frame_of(self.rank(), names)
    }

    /// Returns the events; the library calls this, not [`Trace::events`], since it can fail.
    ///
    /// # Errors
    /// If they are in a file that cannot be read any more.
    #[doc(hidden)]
    pub fn frame(&self) -> Result<DataFrame> {
        self.source.frame(self.rank())
    }

    /// Returns the tables that are read when first wanted.
    pub(super) fn tables(&self) -> &FurtherTables {
        &self.tables
    }

    /// Returns the names and types of the columns of events, without the events.
    #[doc(hidden)]
    pub fn columns(&self) -> Vec<(PlSmallStr, DataType)> {
        self.source.columns()
    }

    /// Whether the events are in memory.
    #[doc(hidden)]
    pub fn is_in_memory(&self) -> bool {
        !self.source.is_stored() && self.elsewhere().is_none()
    }

    /// Returns where the events are that an engine reads; `None` if this process can read them.
    #[doc(hidden)]
    pub fn elsewhere(&self) -> Option<&ElsewhereRank> {
        self.source.elsewhere()
    }

    /// Returns the bytes that work on the events needs: the columns, if they are to be mapped, and so many for each row.
    #[doc(hidden)]
    pub fn bytes_needed(&self, bytes_per_row: usize) -> usize {
        self.info.events.saturating_mul(bytes_per_row).saturating_add(self.source.bytes_to_map())
    }

    /// Returns the bytes that work on columns of these names needs, as [`Self::bytes_needed`] does for all.
    #[doc(hidden)]
    pub fn bytes_needed_of(&self, names: &[PlSmallStr], bytes_per_row: usize) -> usize {
        self.info.events.saturating_mul(bytes_per_row).saturating_add(self.bytes_of(names))
    }

    /// Returns an estimate of the memory that columns of these names take when they are used, in bytes.
    pub(super) fn bytes_of(&self, names: &[PlSmallStr]) -> usize {
        self.source.bytes_to_map_of(|name| names.contains(name))
    }

    /// Returns the rank.
    pub fn rank(&self) -> i64 {
        self.info.rank
    }

    /// Returns the iterations, ascending: the numbers in its names `ProfilerStep#N`.
    pub fn iterations(&self) -> Vec<i64> {
        self.info.iterations.clone()
    }

    /// Returns the facts that are known without the events.
    pub fn info(&self) -> &RankInfo {
        &self.info
    }

    /// Returns the events, one row per event that has a duration and a category, in file order. Times are integer nanoseconds.
    ///
    /// # Columns
    /// `index`, `name`, `cat`, `ts`, `dur`, `end` (ns), `pid`, `tid`, `stream` (null for events of the CPU), `correlation`,
    /// `index_correlation`, `iteration`, and the arguments that are read: `bytes`, `memory_bw_gbps`, `input_dims`, `external_id`, …
    /// ([`EVENT_COLUMNS`](crate::EVENT_COLUMNS); [`ParserConfig`](crate::ParserConfig) reads other arguments). An argument's column
    /// exists only if an event carries it. Times and
    /// amounts are `i64`; positions, ids and numbers of iterations `i32`, or `i64` in a trace that needs it. Names, texts and
    /// lists (as their JSON on one line) are categories: [`Trace::decoded`] has them as strings.
    ///
    /// # Panics
    /// If the events are in a file that cannot be read any more.
    ///
    /// # Example
    /// ```
    /// use trace::prelude::*;
    ///
    /// # fn main() -> trace::Result<()> {
    /// let rank = TraceSet::load("../../notebooks/data/control")?.rank(3)?;
    /// let kernels = rank.events().lazy().filter(col("stream").is_not_null()).collect()?;
    /// assert!(0 < kernels.height() && kernels.height() < rank.events().height());
    /// # Ok(())
    /// # }
    /// ```
    pub fn events(&self) -> DataFrame {
        #[allow(clippy::panic)]
        self.frame().unwrap_or_else(|error| panic!("{error}"))
    }

    /// Returns the events with names, categories and all other texts as plain strings.
    ///
    /// # Errors
    /// If polars refuses, which no input should cause.
    pub fn decoded(&self) -> Result<DataFrame> {
        let all = self.frame()?;
        let mut events = all.clone();
        for column in all.columns().iter().filter(|column| column.dtype().is_categorical()) {
            events.with_column(column.cast(&DataType::String)?)?;
        }
        Ok(events)
    }

    /// Returns the events of the rank for algorithms; `events` are all of them, with the columns that [`RankEvents`] reads. What each event
    /// is, is found once for a rank in memory, and shared by all that read it (a byte an event).
    ///
    /// # Errors
    /// If a column is missing.
    #[doc(hidden)]
    pub fn rank_events(&self, events: &DataFrame, compat: Compat) -> Result<RankEvents> {
        let rows = RankEvents::of(events, compat)?;
        // Of ranks in files nothing stays in memory.
        if self.is_stored() {
            return Ok(rows);
        }
        let kinds = self.derived("kinds", |kinds: &Kinds| kinds.len(), || Ok(Kinds::clone(rows.shared_kinds())))?;
        Ok(rows.with_kinds(&kinds))
    }

    /// Whether the events are in a file instead of in memory: they did not fit, or come from the cache or a saved trace. They are
    /// mapped whenever they are used.
    pub fn is_stored(&self) -> bool {
        self.source.is_stored()
    }

    /// Returns the size of the file of the events, in bytes; 0 if they are in memory.
    pub fn stored_bytes(&self) -> u64 {
        self.source.stored_bytes()
    }

    /// Returns the memory of the columns, none if they are in a file, and of the lanes of timelines, in bytes.
    pub fn memory_bytes(&self) -> usize {
        self.source.memory_bytes() + self.derived.bytes()
    }
}

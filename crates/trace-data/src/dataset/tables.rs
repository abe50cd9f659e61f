//! Instants and counters of a rank: read when they are first wanted, from the cache, an export or the trace file, and kept: in
//! the cache, or where its events are, in memory or in files.

#[cfg(test)]
#[path = "tables_tests.rs"]
mod tests;

use super::retained_tables::{RetainedTables, TableLocation};
use super::spill::SpillFolder;
use super::stack::stacked_tables;
use super::table_source::TableSource;
use super::trace_set::TraceSet;
use crate::SourceFile;
use crate::error::SourceReason;
use crate::exec::abandon::abandonable;
use crate::exec::checkpoint;
use crate::exec::context::Inherited;
use crate::exec::memory::{Budget, Task};
use crate::exec::pool::{Pool, run_jobs};
use crate::frame::tables::{Tables, TablesBuilder};
use crate::read::{Connections, Meter, open_input, read_events, read_parallel};
use crate::store::{StoredTable, TableKind};
use crate::{Compat, Error, RankInfo, Result, Trace};
use polars::prelude::DataFrame;
use std::io::ErrorKind;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

/// Tables up to this size stay in memory, in bytes: most ranks have few instants and no counters.
const SMALL: usize = 16 << 10;

/// One of the tables.
#[derive(Debug, Clone, Copy)]
enum Table {
    Instants,
    Counters,
}

impl Table {
    fn name(self) -> &'static str {
        self.kind().name()
    }

    fn kind(self) -> TableKind {
        match self {
            Self::Instants => TableKind::Instants,
            Self::Counters => TableKind::Counters,
        }
    }

    fn frame(self, retained: &RetainedTables) -> Result<DataFrame> {
        match self {
            Self::Instants => retained.instants.frame(),
            Self::Counters => retained.counters.frame(),
        }
    }
}

impl Trace {
    /// Returns the instants, one row per event of one moment: allocations (`[memory]`, if the profiler recorded memory), marks
    /// of the profiler. In file order.
    ///
    /// The first call reads the file of the rank again, unless the cache or an export has the table; then it is kept. Loading
    /// skips these events, since most traces are analysed without them.
    ///
    /// # Columns
    /// [`INSTANT_COLUMNS`](crate::INSTANT_COLUMNS).
    ///
    /// # Errors
    /// [`Error::NoTable`] if the file has changed or does not exist any more, or if the rank was not loaded from a file.
    ///
    /// # Example
    /// ```
    /// use trace::prelude::*;
    ///
    /// # fn main() -> trace::Result<()> {
    /// let rank = TraceSet::load("../../notebooks/data/control")?.rank(3)?;
    /// assert_eq!(rank.instants()?.column("name")?.cast(&DataType::String)?.str()?.get(0), Some("Iteration Start: PyTorch Profiler"));
    /// # Ok(())
    /// # }
    /// ```
    pub fn instants(&self) -> Result<DataFrame> {
        self.table(Table::Instants)
    }

    /// Returns the counters, one row per series of a counter event. In file order. Read and kept like [`Trace::instants`].
    ///
    /// # Columns
    /// [`COUNTER_COLUMNS`](crate::COUNTER_COLUMNS).
    ///
    /// # Errors
    /// As [`Trace::instants`].
    pub fn counters(&self) -> Result<DataFrame> {
        self.table(Table::Counters)
    }

    /// Returns where the instants and counters are besides the trace file.
    pub(crate) fn table_source(&self) -> Option<&TableSource> {
        self.tables().source.as_deref()
    }

    fn table(&self, table: Table) -> Result<DataFrame> {
        build(std::slice::from_ref(self), table)?;
        self.tables().retained.get().map_or(Err(Error::Interrupted), |retained| table.frame(retained))
    }
}

impl TraceSet {
    /// Returns the instants of all ranks, with a leading column `rank`; the columns are those of [`Trace::instants`].
    ///
    /// # Errors
    /// As [`Trace::instants`].
    pub fn instants(&self) -> Result<DataFrame> {
        self.table(Table::Instants)
    }

    /// Returns the counters of all ranks, with a leading column `rank`; the columns are those of [`Trace::counters`].
    ///
    /// # Errors
    /// As [`Trace::instants`].
    pub fn counters(&self) -> Result<DataFrame> {
        self.table(Table::Counters)
    }

    fn table(&self, table: Table) -> Result<DataFrame> {
        build(self.traces(), table)?;
        stacked_tables(self.traces(), |trace| trace.table(table))
    }
}

/// Reads the instants and counters of ranks, concurrently, for those who want them rank by rank afterwards.
///
/// # Errors
/// As [`Trace::instants`]; the tables of all other ranks are there nevertheless.
pub(crate) fn build_tables(traces: &[Trace]) -> Result<()> {
    build(traces, Table::Instants)
}

/// Reads the files of the ranks whose tables are not there yet, concurrently.
fn build(traces: &[Trace], table: Table) -> Result<()> {
    let missing: Vec<Trace> = traces.iter().filter(|trace| trace.tables().retained.get().is_none()).cloned().collect();
    let Some(first) = missing.first() else { return Ok(()) };
    let file = first.info().file.clone();
    let read_first = file.clone();
    let meter = Arc::new(Meter::default());
    let work = {
        let (meter, threads) = (Arc::clone(&meter), Inherited::here().threads());
        let files = Files { parent: Inherited::here().spill_folder(), folder: OnceLock::new() };
        move || {
            let _connections = Connections::of(Path::new(&read_first));
            let read = run_jobs(threads, missing, |pool: &Pool<'_, '_>, trace: Trace| {
                let retained = obtain(&trace, table, &files, &meter, pool)?;
                // Another thread may have been faster, with the same result.
                let _ = trace.tables().retained.set(retained);
                Ok::<_, Error>(())
            });
            read.into_iter().collect::<Result<()>>()
        }
    };
    let mut report = || {
        if checkpoint::interrupted() {
            meter.stop.store(true, Ordering::Relaxed);
        }
        if meter.stop.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let read = abandonable(work, &mut report).map_err(|error| Error::Io { path: file.into(), error })?;
    read.unwrap_or(Err(Error::Interrupted))
}

/// The files of tables that do not stay in memory.
struct Files {
    parent: Option<Arc<Path>>,
    /// The folder, once it is needed.
    folder: OnceLock<Option<Arc<SpillFolder>>>,
}

impl Files {
    /// Keeps the tables of a rank: in memory if its events are there and half of the budget is left, else in files.
    fn keep(&self, trace: &Trace, tables: Tables) -> Result<RetainedTables> {
        let bytes = tables.instants.estimated_size() + tables.counters.estimated_size();
        let fits = Budget::now()?.half().left() >= bytes as u64;
        let retain = |table: Table, frame: DataFrame| {
            if trace.is_in_memory() && fits || frame.estimated_size() <= SMALL {
                return TableLocation::Memory(frame);
            }
            // Without a folder, or with a full disk, the budget decides later what else fits.
            self.write(trace, table, &frame).unwrap_or(TableLocation::Memory(frame))
        };
        let instants = retain(Table::Instants, tables.instants);
        Ok(RetainedTables { instants, counters: retain(Table::Counters, tables.counters) })
    }

    /// Writes a table to a file; `None` if that fails.
    fn write(&self, trace: &Trace, table: Table, frame: &DataFrame) -> Option<TableLocation> {
        let create = || SpillFolder::create(self.parent.as_deref()).ok();
        let folder = self.folder.get_or_init(create).as_ref()?;
        let file = folder.file(&format!("rank-{:04}.{}.arrow", trace.rank(), table.name()));
        let stored =
            StoredTable::write(file.path(), table.kind(), trace.info(), Compat::default(), &[], frame, true).ok()?;
        Some(TableLocation::File(stored, file))
    }
}

/// Finds the tables of a rank, or reads them from its file and keeps them.
fn obtain<'scope>(
    trace: &Trace,
    table: Table,
    files: &Files,
    meter: &'scope Meter,
    pool: &Pool<'scope, '_>,
) -> Result<RetainedTables> {
    let cached = match trace.table_source() {
        Some(TableSource::Cache(cached)) => Some(cached),
        Some(TableSource::Export(exported)) => match exported.read()? {
            Some(tables) => return files.keep(trace, tables),
            None => None,
        },
        None => None,
    };
    if let Some(retained) = cached.and_then(|cached| cached.find(trace.info())) {
        return Ok(retained);
    }
    let begun = Instant::now();
    let tables = read_tables(trace.info(), table, meter, pool)?;
    match cached.and_then(|cached| cached.keep(trace.info(), &tables, begun.elapsed())) {
        Some(retained) => Ok(retained),
        None => files.keep(trace, tables),
    }
}

/// Reads the tables of a rank from its file.
fn read_tables<'scope>(info: &RankInfo, table: Table, meter: &'scope Meter, pool: &Pool<'scope, '_>) -> Result<Tables> {
    let refused = |reason| Error::NoTable { table: table.name(), rank: info.rank, reason };
    let source = info.source.as_ref().ok_or_else(|| refused(SourceReason::NoFile))?;
    let same = |source: &SourceFile| source.difference().map_or(Ok(()), |reason| Err(refused(reason)));
    same(source)?;
    let (budget, task) = (Budget::now()?, Task::Load(&info.file));
    budget.check(task, 0)?;
    let mut builder = TablesBuilder::default();
    let reader = budget.limit(open_input(&source.input(), meter)?);
    let outcome = if pool.may_help() {
        read_parallel(reader, pool, &info.file, &mut builder)
    } else {
        read_events(reader, &info.file, &mut builder)
    };
    let outcome = outcome.map_err(|error| match error {
        Error::Io { error, .. } if error.kind() == ErrorKind::OutOfMemory => budget.spent(task),
        error => error,
    })?;
    // It may have changed while it was read.
    same(source)?;
    if outcome.events != info.events_in_file {
        return Err(refused(SourceReason::Changed { path: source.path.clone() }));
    }
    meter.check()?;
    builder.finish()
}

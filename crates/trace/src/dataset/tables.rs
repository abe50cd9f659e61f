//! Instants and counters of a rank: read from its file when they are first wanted, and kept.

#[cfg(test)]
#[path = "tables_tests.rs"]
mod tests;

use super::source_file::SourceFile;
use super::trace_set::TraceSet;
use crate::error::SourceReason;
use crate::exec::abandon::abandonable;
use crate::exec::checkpoint;
use crate::exec::context::Inherited;
use crate::exec::memory::{Budget, Task};
use crate::exec::pool::{Pool, run_jobs};
use crate::frame::columns::RANK;
use crate::frame::tables::{Tables, TablesBuilder};
use crate::read::{Meter, open_file, read_events, read_parallel};
use crate::{Error, RankInfo, Result, Trace};
use polars::prelude::{Column, DataFrame, Scalar};
use std::io::ErrorKind;
use std::ops::ControlFlow;
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};

/// The tables of a rank that are not read with its events; clones share them.
#[derive(Clone, Default)]
pub(super) struct FurtherTables(Arc<OnceLock<Tables>>);

/// One of the tables.
#[derive(Debug, Clone, Copy)]
enum Table {
    Instants,
    Counters,
}

impl Table {
    fn name(self) -> &'static str {
        match self {
            Self::Instants => "instants",
            Self::Counters => "counters",
        }
    }

    fn frame(self, tables: &Tables) -> DataFrame {
        match self {
            Self::Instants => tables.instants.clone(),
            Self::Counters => tables.counters.clone(),
        }
    }
}

impl Trace {
    /// Returns the instants, one row per event of one moment: allocations (`[memory]`, if the profiler recorded memory), marks
    /// of the profiler. In file order.
    ///
    /// The first call reads the file of the rank again; the table is kept. Loading skips these events, since most traces are
    /// analysed without them.
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

    fn table(&self, table: Table) -> Result<DataFrame> {
        build(std::slice::from_ref(self), table)?;
        self.tables().0.get().map(|tables| table.frame(tables)).ok_or(Error::Interrupted)
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
        let mut all: Option<DataFrame> = None;
        for trace in self.traces() {
            let mut frame = trace.table(table)?;
            let rank = Column::new_scalar(RANK.into(), Scalar::from(trace.rank()), frame.height());
            frame.insert_column(0, rank)?;
            match &mut all {
                Some(all) => {
                    all.vstack_mut(&frame)?;
                }
                None => all = Some(frame),
            }
        }
        Ok(all.unwrap_or_default())
    }
}

/// Reads the files of the ranks whose tables are not there yet, concurrently.
fn build(traces: &[Trace], table: Table) -> Result<()> {
    let missing: Vec<Trace> = traces.iter().filter(|trace| trace.tables().0.get().is_none()).cloned().collect();
    let Some(first) = missing.first() else { return Ok(()) };
    let file = first.info().file.clone();
    let meter = Arc::new(Meter::default());
    let work = {
        let (meter, threads) = (Arc::clone(&meter), Inherited::here().threads());
        move || {
            let read = run_jobs(threads, missing, |pool: &Pool<'_, '_>, trace: Trace| {
                let tables = read_tables(trace.info(), table, &meter, pool)?;
                // Another thread may have been faster, with the same result.
                let _ = trace.tables().0.set(tables);
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

/// Reads the tables of a rank from its file.
fn read_tables<'scope>(info: &RankInfo, table: Table, meter: &'scope Meter, pool: &Pool<'scope, '_>) -> Result<Tables> {
    let refused = |reason| Error::NoTable { table: table.name(), rank: info.rank, reason };
    let source = info.source.as_ref().ok_or_else(|| refused(SourceReason::NoFile))?;
    let same = |source: &SourceFile| source.difference().map_or(Ok(()), |reason| Err(refused(reason)));
    same(source)?;
    let (budget, task) = (Budget::now()?, Task::Load(&info.file));
    budget.check(task, 0)?;
    let mut builder = TablesBuilder::default();
    let reader = budget.limit(open_file(&source.path, meter)?);
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

//! Writing an export.

use super::new_folder::NewFolder;
use crate::dataset::build_tables;
use crate::error::ExportReason;
use crate::exec::abandon::abandonable;
use crate::exec::batches::Batches;
use crate::exec::checkpoint;
use crate::exec::memory::Task;
use crate::parquet::columns::entries;
use crate::parquet::manifest::{self, ColumnEntry, FileEntry, Manifest, RankEntry, TableEntries, TableEntry};
use crate::parquet::names::{file_of, rank_folder};
use crate::parquet::part::{self, GROUP_ROWS, PART_ROWS};
use crate::parquet::warnings_about;
use crate::store::{TableKind, crc32};
use crate::{CancellationToken, Error, Result, Trace, TraceSet, Warning};
use polars::prelude::DataFrame;
use std::fs::OpenOptions;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::time::Duration;

/// Time that a cancelled export has to remove what it wrote; a disk that does not respond takes longer.
const CLEANUP_TIMEOUT: Duration = Duration::from_secs(10);

/// Options of an export.
#[derive(Debug, Clone, Default)]
pub struct ExportOptions {
    /// Ranks to export; `None` for all.
    pub ranks: Option<Vec<i64>>,
    /// Whether an earlier export in the folder is replaced, once the new one is complete. Other folders never are.
    pub overwrite: bool,
}

/// Progress of an export.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExportProgress {
    /// Events written.
    pub events: u64,
    /// Events to write.
    pub events_total: u64,
    /// Parquet files written.
    pub files: usize,
    /// Bytes written.
    pub bytes: u64,
}

/// Result of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exported {
    /// Ranks written.
    pub ranks: usize,
    /// Events written.
    pub events: u64,
    /// Parquet files written.
    pub files: usize,
    /// Their size, and that of the manifest, in bytes.
    pub bytes: u64,
    /// Ranks written without instants and counters, because their trace files changed, or are gone.
    pub without_tables: usize,
}

/// Writes all ranks of a trace to a new folder of Parquet files: events, instants and counters. For the latter two, which loading
/// skips, the trace files are read once more, unless the cache has them.
///
/// # Errors
/// [`Error::NotExported`] if the folder exists, cannot be written, or the disk is full: nothing is left then.
///
/// # Example
/// ```
/// use trace::TraceSet;
/// use trace::write::parquet;
///
/// let job = TraceSet::load("../../notebooks/data/job")?;
/// # let folder = tempfile::tempdir().map_err(|error| trace::Error::Io { path: "temp".into(), error })?;
/// # let folder = folder.path().join("lake");
/// let written = parquet::export(&job, &folder)?;
/// assert_eq!((written.ranks, written.events as usize), (4, job.event_count()));
/// assert_eq!(TraceSet::load(&folder)?.rank(2)?.events(), job.rank(2)?.events());
/// # Ok::<(), trace::Error>(())
/// ```
pub fn export(trace: &TraceSet, folder: impl AsRef<Path>) -> Result<Exported> {
    export_with(trace, folder, &ExportOptions::default(), &mut |_| ControlFlow::Continue(()))
}

/// Writes ranks of a trace to a folder of Parquet files, with options. Reports the progress a few times per second; a `Break`
/// cancels the export, which leaves nothing.
///
/// # Errors
/// As [`export`]; [`Error::UnknownRank`]; [`Error::Interrupted`] after a `Break`.
pub fn export_with(
    trace: &TraceSet,
    folder: impl AsRef<Path>,
    options: &ExportOptions,
    progress: &mut dyn FnMut(&ExportProgress) -> ControlFlow<()>,
) -> Result<Exported> {
    let ranks = match &options.ranks {
        None => trace.traces().to_vec(),
        Some(wanted) => trace.traces().iter().filter(|rank| wanted.contains(&rank.rank())).cloned().collect(),
    };
    for &rank in options.ranks.iter().flatten() {
        trace.rank(rank)?;
    }
    if ranks.is_empty() {
        return Err(Error::NoRankSelected { label: trace.label().to_owned(), available: trace.ranks() });
    }
    checkpoint::check()?;
    let path = folder.as_ref().to_owned();
    let monitor = Arc::new(Monitor::default());
    monitor.events_total.store(ranks.iter().map(|rank| rank.info().events as u64).sum(), Ordering::Relaxed);
    let (ended, end) = channel::<()>();
    let work = {
        let job = Job { trace: trace.clone(), ranks, path: path.clone(), overwrite: options.overwrite };
        let (monitor, stop) = (Arc::clone(&monitor), Arc::clone(&monitor));
        // This thread, which calls `progress`, also looks at the token of the caller.
        let token = CancellationToken::new(move || stop.stopped.load(Ordering::Relaxed));
        move || {
            // Dropped when the work has ended.
            let _ended = ended;
            token.run(|| job.run(&monitor))
        }
    };
    let mut report = || {
        if progress(&monitor.progress()).is_break() || checkpoint::interrupted() {
            monitor.stopped.store(true, Ordering::Relaxed);
        }
        if monitor.stopped.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let written =
        abandonable(work, &mut report).map_err(|error| Error::NotExported { path, reason: ExportReason::Io(error) })?;
    if written.is_none() {
        // The program may end next, and the temporary folder is to be removed before.
        let _ = end.recv_timeout(CLEANUP_TIMEOUT);
    }
    written.unwrap_or(Err(Error::Interrupted))
}

/// Progress of an export, updated by its threads.
#[derive(Default)]
struct Monitor {
    stopped: AtomicBool,
    events: AtomicU64,
    events_total: AtomicU64,
    files: AtomicUsize,
    bytes: AtomicU64,
}

impl Monitor {
    fn progress(&self) -> ExportProgress {
        ExportProgress {
            events: self.events.load(Ordering::Relaxed),
            events_total: self.events_total.load(Ordering::Relaxed),
            files: self.files.load(Ordering::Relaxed),
            bytes: self.bytes.load(Ordering::Relaxed),
        }
    }
}

/// What is written, and where.
struct Job {
    trace: TraceSet,
    ranks: Vec<Trace>,
    path: PathBuf,
    overwrite: bool,
}

/// Rows of one rank that become one file.
struct FileRows<'j> {
    rank: &'j Trace,
    columns: &'j [ColumnEntry],
    number: usize,
    first: usize,
    rows: usize,
}

impl Job {
    fn run(&self, monitor: &Monitor) -> Result<Exported> {
        let columns = self.ranks.iter().map(|rank| {
            entries(&rank.columns()).map_err(|(column, dtype)| self.failed(ExportReason::Column { column, dtype }))
        });
        let columns = columns.collect::<Result<Vec<_>>>()?;
        let folder = NewFolder::create(&self.path, self.overwrite).map_err(|reason| self.failed(reason))?;
        for rank in &self.ranks {
            std::fs::create_dir(folder.path().join(rank_folder(rank.rank()))).map_err(|error| self.refused(error))?;
        }
        let parts: Vec<FileRows<'_>> = self.ranks.iter().zip(&columns).flat_map(|(rank, of)| parts(rank, of)).collect();
        let name = self.path.display().to_string();
        let batches = Batches::within(self.trace.budget()?, Task::Export(&name));
        let written = batches.each(&parts, FileRows::need, |part| {
            let entry = self.write(part, folder.path())?;
            monitor.events.fetch_add(entry.rows as u64, Ordering::Relaxed);
            monitor.bytes.fetch_add(entry.bytes, Ordering::Relaxed);
            monitor.files.fetch_add(1, Ordering::Relaxed);
            Ok(entry)
        })?;
        let mut entries = written.into_iter();
        let tables = self.write_tables(folder.path(), monitor)?;
        let without_tables = tables.iter().filter(|tables| tables.is_none()).count();
        let ranks = self.ranks.iter().zip(columns).zip(tables).map(|((rank, columns), tables)| {
            let of_rank = part_count(rank.info().events);
            let info = rank.info().clone();
            RankEntry::new(info, columns, entries.by_ref().take(of_rank).collect(), tables)
                .map_err(|error| self.failed(ExportReason::Metadata { rank: rank.rank(), reason: error.to_string() }))
        });
        let manifest = Manifest {
            label: self.trace.label().to_owned(),
            compat: self.trace.compat(),
            warnings: warnings_of(&self.trace, &self.ranks),
            ranks: ranks.collect::<Result<_>>()?,
        };
        let text = manifest.text().map_err(|error| self.refused(error.into()))?;
        create(&folder.path().join(manifest::FILE), &text).map_err(|error| self.refused(error))?;
        checkpoint::check()?;
        folder.commit().map_err(|reason| self.failed(reason))?;
        let progress = monitor.progress();
        let bytes = progress.bytes + text.len() as u64;
        let (files, events) = (progress.files, progress.events);
        Ok(Exported { ranks: self.ranks.len(), events, files, bytes, without_tables })
    }

    /// Writes the instants and counters of each rank; `None` for a rank whose file cannot be read for them.
    fn write_tables(&self, folder: &Path, monitor: &Monitor) -> Result<Vec<Option<TableEntries>>> {
        // What fails beside other ranks may be there, or fit, when it is read alone.
        if let Err(error @ Error::Interrupted) = build_tables(&self.ranks) {
            return Err(error);
        }
        let of_rank = |rank: &Trace| {
            checkpoint::check()?;
            let tables = match rank.instants().and_then(|instants| Ok((instants, rank.counters()?))) {
                Err(Error::NoTable { .. } | Error::Io { .. } | Error::NotAnExport { .. }) => return Ok(None),
                tables => tables?,
            };
            let instants = self.write_table(rank, TableKind::Instants, &tables.0, folder, monitor)?;
            Ok(Some([instants, self.write_table(rank, TableKind::Counters, &tables.1, folder, monitor)?]))
        };
        self.ranks.iter().map(of_rank).collect()
    }

    /// Writes all parts of a table; none without rows.
    fn write_table(
        &self,
        rank: &Trace,
        table: TableKind,
        frame: &DataFrame,
        folder: &Path,
        monitor: &Monitor,
    ) -> Result<TableEntry> {
        let named: Vec<_> =
            frame.columns().iter().map(|column| (column.name().clone(), column.dtype().clone())).collect();
        let columns = entries(&named).map_err(|(column, dtype)| self.failed(ExportReason::Column { column, dtype }))?;
        let mut parts = Vec::new();
        for first in (0..frame.height()).step_by(PART_ROWS) {
            let file = file_of(rank.rank(), table, parts.len());
            let rows = PART_ROWS.min(frame.height() - first);
            let entry = self.write_rows(rank.rank(), file, frame, &columns, (first, rows), folder)?;
            monitor.bytes.fetch_add(entry.bytes, Ordering::Relaxed);
            monitor.files.fetch_add(1, Ordering::Relaxed);
            parts.push(entry);
        }
        Ok(TableEntry { rows: frame.height(), columns, parts })
    }

    /// Writes one part of events.
    fn write(&self, part: &FileRows<'_>, folder: &Path) -> Result<FileEntry> {
        let rank = part.rank.rank();
        let file = file_of(rank, TableKind::Events, part.number);
        self.write_rows(rank, file, &part.rank.frame()?, part.columns, (part.first, part.rows), folder)
    }

    /// Writes some rows, from a first one on, to a file.
    fn write_rows(
        &self,
        rank: i64,
        file: String,
        frame: &DataFrame,
        columns: &[ColumnEntry],
        (first, rows): (usize, usize),
        folder: &Path,
    ) -> Result<FileEntry> {
        let bytes = part::encode(frame, columns, first, rows).map_err(|error| match error {
            Error::Polars(error) => self.failed(ExportReason::Parquet { rank, reason: error.to_string() }),
            error => error,
        })?;
        create(&folder.join(&file), &bytes).map_err(|error| self.refused(error))?;
        Ok(FileEntry { file, rows, bytes: bytes.len() as u64, crc32: crc32(&bytes) })
    }

    fn failed(&self, reason: ExportReason) -> Error {
        Error::NotExported { path: self.path.clone(), reason }
    }

    fn refused(&self, error: std::io::Error) -> Error {
        self.failed(ExportReason::Io(error))
    }
}

impl FileRows<'_> {
    /// Estimates the memory of writing it: the columns of its rank if they are in a file, one row group as Parquet has it, and the
    /// file.
    fn need(&self) -> usize {
        let stored: usize = self.columns.iter().map(|column| column.logical.stored_width()).sum();
        self.rank.bytes_needed(0) + 2 * self.rows.min(GROUP_ROWS) * stored
    }
}

/// Divides the rows of a rank.
fn parts<'j>(rank: &'j Trace, columns: &'j [ColumnEntry]) -> impl Iterator<Item = FileRows<'j>> {
    let events = rank.info().events;
    (0..part_count(events)).map(move |number| {
        let first = number * PART_ROWS;
        FileRows { rank, columns, number, first, rows: PART_ROWS.min(events - first) }
    })
}

/// Returns the number of parts of so many rows, at least one.
fn part_count(rows: usize) -> usize {
    rows.div_ceil(PART_ROWS).max(1)
}

/// Writes a new file.
fn create(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    OpenOptions::new().write(true).create_new(true).open(path)?.write_all(bytes)
}

fn warnings_of(trace: &TraceSet, ranks: &[Trace]) -> Vec<Warning> {
    let left_out: Vec<&str> = trace
        .traces()
        .iter()
        .filter(|rank| !ranks.iter().any(|exported| exported.rank() == rank.rank()))
        .map(|rank| rank.info().file.as_str())
        .collect();
    warnings_about(trace.warnings(), |file| left_out.contains(&file)).cloned().collect()
}

//! All ranks of one run, with shared categories.

use super::stack::stacked;
use super::trace::origin;
use crate::exec::memory::{Budget, Task};
use crate::frame::{NamedType, common_types};
use crate::{Compat, Error, Rank, RankInfo, Result, Trace, Warning};
use polars::prelude::DataFrame;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// All ranks of one run, with one table of names. Cheap to clone.
///
/// Holds every row, the last (often incomplete) iteration included.
#[derive(Clone)]
pub struct TraceSet {
    label: Arc<str>,
    shared: Arc<Shared>,
}

impl fmt::Debug for TraceSet {
    /// One line; a cell shows the table by returning the set itself.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TraceSet({:?}, ranks {:?}, iterations {:?})", self.label(), self.ranks(), self.iterations())
    }
}

/// Data shared by all clones of a [`TraceSet`].
pub(crate) struct Shared {
    pub compat: Compat,
    pub traces: Vec<Trace>,
    pub warnings: Vec<Warning>,
    pub iterations: Vec<i64>,
    /// The bound on memory within which it was loaded, if that was a number of bytes.
    memory: Option<u64>,
}

impl TraceSet {
    /// Creates a set of ranks, which are ascending, whose columns get common types.
    ///
    /// # Errors
    /// If polars refuses, which no input should cause.
    pub(crate) fn unified(label: &str, compat: Compat, traces: Vec<Trace>, warnings: Vec<Warning>) -> Result<Self> {
        let columns: Vec<Vec<NamedType>> = traces.iter().map(Trace::columns).collect();
        let types = common_types(columns.iter().map(Vec::as_slice));
        let traces = traces.iter().map(|trace| trace.with_types(&types)).collect::<Result<Vec<Trace>>>()?;
        Ok(Self::of(label, compat, traces, warnings))
    }

    /// Creates a set of ranks, which are ascending.
    #[doc(hidden)]
    pub fn of(label: &str, compat: Compat, traces: Vec<Trace>, warnings: Vec<Warning>) -> Self {
        let mut iterations: Vec<i64> =
            traces.iter().flat_map(|trace| trace.info().iterations.iter().copied()).collect();
        iterations.sort_unstable();
        iterations.dedup();
        Self { label: label.into(), shared: Arc::new(Shared { compat, traces, warnings, iterations, memory: None }) }
    }

    /// Returns the set with a bound on memory, in bytes, for questions about it.
    pub(super) fn with_memory(self, memory: Option<u64>) -> Self {
        let Shared { compat, ref traces, ref warnings, ref iterations, .. } = *self.shared;
        let (traces, warnings, iterations) = (traces.clone(), warnings.clone(), iterations.clone());
        Self { label: self.label, shared: Arc::new(Shared { compat, traces, warnings, iterations, memory }) }
    }

    /// Returns the set with other ranks, which are ascending, under the same label.
    ///
    /// # Errors
    /// As [`TraceSet::unified`].
    pub(super) fn with_ranks(&self, traces: Vec<Trace>) -> Result<Self> {
        let with = Self::unified(self.label(), self.compat(), traces, self.warnings().to_vec())?;
        Ok(with.with_memory(self.shared.memory))
    }

    /// Returns the memory budget of questions about this trace.
    ///
    /// # Errors
    /// [`Error::MemorySetting`] if the setting of the user is not a size.
    #[doc(hidden)]
    pub fn budget(&self) -> Result<Budget> {
        Budget::of_loaded(self.shared.memory)
    }

    /// Returns the start of the recording: that of the first event of any rank, in nanoseconds on the clock of the trace; 0 without ranks.
    /// Tables and pages count their times from it.
    pub fn origin(&self) -> i64 {
        origin(self.traces())
    }

    /// Returns the label, its name in a session and in the columns of a comparison.
    pub fn label(&self) -> &str {
        &self.label
    }

    /// Returns the same trace under another label.
    #[must_use]
    pub fn with_label(&self, label: impl AsRef<str>) -> Self {
        Self { label: label.as_ref().into(), shared: Arc::clone(&self.shared) }
    }

    /// Returns whether both sets share their ranks in memory; labels may differ.
    pub(super) fn is_clone_of(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.shared, &other.shared)
    }

    /// Returns the ranks, ascending.
    pub fn ranks(&self) -> Vec<i64> {
        self.shared.traces.iter().map(Trace::rank).collect()
    }

    /// Returns the iterations of all ranks, ascending: the numbers in the names `ProfilerStep#N`. Empty if there are none.
    pub fn iterations(&self) -> Vec<i64> {
        self.shared.iterations.clone()
    }

    /// Whether any event is called `ProfilerStep#N`.
    pub fn has_profiler_steps(&self) -> bool {
        !self.shared.iterations.is_empty()
    }

    /// Returns one rank.
    ///
    /// # Errors
    /// [`Error::UnknownRank`], which names the existing ranks.
    pub fn rank(&self, rank: impl Into<Rank>) -> Result<Trace> {
        let rank = i64::from(rank.into());
        self.shared.traces.iter().find(|trace| trace.rank() == rank).cloned().ok_or_else(|| Error::UnknownRank {
            label: self.label.to_string(),
            rank,
            available: self.ranks(),
        })
    }

    /// Returns the ranks, each as a [`Trace`], ascending.
    pub fn traces(&self) -> &[Trace] {
        &self.shared.traces
    }

    /// Returns the events of all ranks, one row per event.
    ///
    /// # Columns
    /// `rank`, then those of [`Trace::events`]:
    /// `index`, `name`, `cat`, `ts`, `dur`, `end` (ns), `pid`, `tid`, `stream` (null for events of the CPU), `correlation`,
    /// `index_correlation`, `iteration`, and the arguments that are read: `bytes`, `memory_bw_gbps`, `input_dims`, `external_id`, …
    ///
    /// # Panics
    /// If the events of a rank are in a file that cannot be read any more, or those of all ranks in files do not fit the memory
    /// budget together: [`TraceSet::lazy_events`] looks at one after the other.
    pub fn events(&self) -> DataFrame {
        #[allow(clippy::panic)]
        self.stacked_within().unwrap_or_else(|error| panic!("{error}"))
    }

    fn stacked_within(&self) -> Result<DataFrame> {
        // With the column `rank`.
        let in_files = self.traces().iter().filter(|trace| !trace.is_in_memory());
        let need = in_files.map(|trace| trace.bytes_needed(size_of::<i64>())).fold(0, usize::saturating_add);
        if need > 0 {
            self.budget()?.check(Task::Events, need)?;
        }
        stacked(&self.shared.traces)
    }

    /// Returns the compatibility mode in which it was loaded.
    pub fn compat(&self) -> Compat {
        self.shared.compat
    }

    /// Returns what was repaired, dropped or assumed while loading.
    pub fn warnings(&self) -> &[Warning] {
        &self.shared.warnings
    }

    /// Returns the facts of each rank, ascending.
    pub fn info(&self) -> Vec<&RankInfo> {
        self.shared.traces.iter().map(|trace| trace.info()).collect()
    }

    /// Returns the number of rows of all ranks.
    pub fn event_count(&self) -> usize {
        self.shared.traces.iter().map(|trace| trace.info().events).sum()
    }

    /// Counts events of all ranks that end before they start.
    #[doc(hidden)]
    pub fn negative_durations(&self) -> u64 {
        self.traces().iter().map(|trace| trace.info().negative_durations).sum()
    }

    /// Returns the trace with the events of every rank in a file of `folder`, which is created; nothing of it stays in memory.
    /// The files are the caller's to remove.
    ///
    /// # Errors
    /// [`Error::NoSpace`] if a file cannot be written.
    ///
    /// # Example
    /// ```
    /// # fn main() -> trace::Result<()> {
    /// # let folder = tempfile::tempdir().unwrap();
    /// let job = trace::TraceSet::load("../../notebooks/data/job")?;
    /// let stored = job.stored_in(folder.path())?;
    /// assert_eq!((stored.memory_bytes(), stored.stored_ranks()), (0, vec![0, 1, 2, 3]));
    /// assert!(stored.events().equals_missing(&job.events()));
    /// # Ok(())
    /// # }
    /// ```
    pub fn stored_in(&self, folder: impl AsRef<Path>) -> Result<Self> {
        let folder = folder.as_ref();
        std::fs::create_dir_all(folder).map_err(|error| Error::Io { path: folder.to_owned(), error })?;
        let stored = |trace: &Trace| {
            let path = folder.join(format!("rank-{:04}.arrow", trace.rank()));
            Ok(trace.moved_to(trace.write_to(&path, self.compat())?, None))
        };
        let traces = self.traces().iter().map(stored).collect::<Result<Vec<Trace>>>()?;
        Ok(Self::of(self.label(), self.compat(), traces, self.warnings().to_vec()).with_memory(self.shared.memory))
    }

    /// Returns the ranks whose events are in files instead of in memory.
    pub fn stored_ranks(&self) -> Vec<i64> {
        self.traces().iter().filter(|trace| trace.is_stored()).map(Trace::rank).collect()
    }

    /// Returns the size of the files of all ranks whose events are in files, in bytes.
    pub fn stored_bytes(&self) -> u64 {
        self.traces().iter().map(Trace::stored_bytes).sum()
    }

    /// Returns the memory of the columns of all ranks, of which those in files take none, and of the lanes of timelines, in bytes.
    pub fn memory_bytes(&self) -> usize {
        self.shared.traces.iter().map(Trace::memory_bytes).sum()
    }

    /// Gives back the memory of what was derived from the events and is not in use: the lanes of timelines that are not open.
    pub fn give_back(&self) {
        self.shared.traces.iter().for_each(Trace::give_back);
    }

    /// Whether both are clones of one load (labels aside).
    pub fn same_data(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.shared, &other.shared)
    }
}

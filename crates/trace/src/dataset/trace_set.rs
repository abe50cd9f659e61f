//! All ranks of one run.

use super::stack::stacked;
use crate::RankInfo;
use crate::{Compat, Error, LoadOptions, LoadProgress, Result, Trace, Warning};
use polars::prelude::DataFrame;
use std::fmt;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

/// All ranks of one run, with one table of names. Cheap to clone.
///
/// Holds every row, the last (often incomplete) iteration included.
#[derive(Clone)]
pub struct TraceSet {
    label: Arc<str>,
    parts: Arc<Parts>,
}

impl fmt::Debug for TraceSet {
    /// One line: a cell that wants more shows the set itself.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TraceSet({:?}, ranks {:?}, iterations {:?})", self.label(), self.ranks(), self.iterations())
    }
}

/// What all clones of a [`TraceSet`] share.
pub(crate) struct Parts {
    pub(crate) compat: Compat,
    pub(crate) traces: Vec<Trace>,
    pub(crate) warnings: Vec<Warning>,
    pub(crate) iterations: Vec<i64>,
}

impl TraceSet {
    /// Loads a trace file, or all trace files of a folder, exactly.
    ///
    /// # Errors
    /// If there is nothing at `path`, or no usable trace.
    ///
    /// # Example
    /// ```
    /// use trace::TraceSet;
    ///
    /// let job = TraceSet::load("../../notebooks/data/job")?;
    /// assert_eq!(job.ranks(), [0, 1, 2, 3]);
    /// assert_eq!(job.iterations(), [1009, 1010, 1011, 1012, 1013, 1014]);
    /// assert!(job.warnings().is_empty(), "nothing had to be repaired");
    /// # Ok::<(), trace::Error>(())
    /// ```
    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        Self::load_with(path, &LoadOptions::default(), &mut |_| ControlFlow::Continue(()))
    }

    /// Loads a trace with options, telling `progress` a few times per second how far it is; `Break` stops the load.
    ///
    /// # Errors
    /// As [`TraceSet::load`]; [`Error::Interrupted`] after a `Break`.
    ///
    /// # Example
    /// ```
    /// use std::ops::ControlFlow;
    /// use trace::{LoadOptions, TraceSet};
    ///
    /// let options = LoadOptions { ranks: Some(vec![0, 2]), ..Default::default() };
    /// let two = TraceSet::load_with("../../notebooks/data/job", &options, &mut |progress| {
    ///     eprintln!("{} of {} bytes", progress.bytes_read, progress.bytes_total);
    ///     ControlFlow::Continue(())
    /// })?;
    /// assert_eq!(two.ranks(), [0, 2]);
    /// # Ok::<(), trace::Error>(())
    /// ```
    pub fn load_with(
        path: impl AsRef<Path>,
        options: &LoadOptions,
        progress: &mut dyn FnMut(&LoadProgress) -> ControlFlow<()>,
    ) -> Result<Self> {
        crate::dataset::load::from_path(path.as_ref(), options, progress)
    }

    /// Loads a trace from its JSON text, gzip'ed or not.
    ///
    /// # Errors
    /// If the text is no usable trace.
    pub fn from_bytes(bytes: impl AsRef<[u8]>) -> Result<Self> {
        Self::from_bytes_with(bytes, &LoadOptions::default())
    }

    /// Loads a trace from its JSON text, gzip'ed or not, with options.
    ///
    /// # Errors
    /// If the text is no usable trace.
    pub fn from_bytes_with(bytes: impl AsRef<[u8]>, options: &LoadOptions) -> Result<Self> {
        crate::dataset::load::from_bytes(bytes.as_ref(), options)
    }

    /// A set of these ranks, ascending.
    pub(crate) fn of(label: &str, compat: Compat, traces: Vec<Trace>, warnings: Vec<Warning>) -> Self {
        let mut iterations: Vec<i64> = traces.iter().flat_map(|trace| trace.info.iterations.iter().copied()).collect();
        iterations.sort_unstable();
        iterations.dedup();
        Self { label: label.into(), parts: Arc::new(Parts { compat, traces, warnings, iterations }) }
    }

    /// The label, under which a session and the columns of a comparison name it.
    pub fn label(&self) -> &str {
        &self.label
    }

    /// The same trace under another label.
    #[must_use]
    pub fn with_label(&self, label: impl AsRef<str>) -> Self {
        Self { label: label.as_ref().into(), parts: Arc::clone(&self.parts) }
    }

    /// The ranks, ascending.
    pub fn ranks(&self) -> Vec<i64> {
        self.parts.traces.iter().map(Trace::rank).collect()
    }

    /// The iterations of all ranks, ascending: the numbers in the names `ProfilerStep#N`. Empty if there are none.
    pub fn iterations(&self) -> Vec<i64> {
        self.parts.iterations.clone()
    }

    /// Whether any event is called `ProfilerStep#N`.
    pub fn has_profiler_steps(&self) -> bool {
        !self.parts.iterations.is_empty()
    }

    /// One rank.
    ///
    /// # Errors
    /// [`Error::UnknownRank`], naming the ranks there are.
    pub fn rank(&self, rank: i64) -> Result<Trace> {
        self.parts.traces.iter().find(|trace| trace.rank() == rank).cloned().ok_or_else(|| Error::UnknownRank {
            label: self.label.to_string(),
            rank,
            available: self.ranks(),
        })
    }

    /// The ranks, each as a [`Trace`], ascending.
    pub fn traces(&self) -> &[Trace] {
        &self.parts.traces
    }

    /// The events of all ranks, with a leading column `rank`; the columns are those of [`Trace::events`].
    pub fn events(&self) -> DataFrame {
        stacked(&self.parts.traces)
    }

    /// How it was loaded.
    pub fn compat(&self) -> Compat {
        self.parts.compat
    }

    /// What was repaired, dropped or assumed while loading.
    pub fn warnings(&self) -> &[Warning] {
        &self.parts.warnings
    }

    /// What there is to know of each rank, ascending.
    pub fn info(&self) -> Vec<&RankInfo> {
        self.parts.traces.iter().map(|trace| trace.info()).collect()
    }

    /// Rows of all ranks.
    pub fn event_count(&self) -> usize {
        self.parts.traces.iter().map(|trace| trace.info.events).sum()
    }

    /// Events of all ranks that end before they start.
    pub(crate) fn negative_durations(&self) -> u64 {
        let of = |trace: &Trace| {
            let dur = trace.events.column(crate::frame::columns::DUR).ok()?.i64().ok()?.clone();
            Some(dur.iter().filter(|dur| dur.is_some_and(|dur| dur < 0)).count() as u64)
        };
        self.traces().iter().filter_map(of).sum()
    }

    /// Bytes that the columns of all ranks take in memory.
    pub fn memory_bytes(&self) -> usize {
        self.parts.traces.iter().map(Trace::memory_bytes).sum()
    }

    /// Whether both are clones of one load (labels aside).
    pub fn same_data(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.parts, &other.parts)
    }
}

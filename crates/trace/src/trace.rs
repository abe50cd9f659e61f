//! A loaded trace: all ranks ([`TraceSet`]), or one ([`Trace`]).

use crate::{Compat, Error, LoadOptions, LoadProgress, Result, Warning};
use polars::prelude::{DataFrame, DataType};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
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

/// One rank of a [`TraceSet`]. Cheap to clone.
#[derive(Clone)]
pub struct Trace {
    pub(crate) info: Arc<RankInfo>,
    pub(crate) events: DataFrame,
}

impl fmt::Debug for Trace {
    /// One line: [`Trace::events`] has the rows.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Trace(rank {}, {} events)", self.info.rank, self.info.events)
    }
}

/// What there is to know of one rank without looking at its events.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RankInfo {
    /// The rank.
    pub rank: i64,
    /// The file it came from, as it was given.
    pub file: String,
    /// Events in the file, those included that are no rows (instants, flows, metadata, counters).
    pub events_in_file: u64,
    /// Rows.
    pub events: usize,
    /// Start of the first event, in nanoseconds of the trace's clock.
    pub first_ts: i64,
    /// End of the last event, in nanoseconds of the trace's clock.
    pub last_end: i64,
    /// The streams, ascending.
    pub streams: Vec<i64>,
    /// The iterations, ascending: the numbers of its ProfilerStep events.
    pub iterations: Vec<i64>,
    /// What the GPU is, told by HTA's rule: `NVIDIA GPU`, `AMD GPU`, `MTIA`, `UNKNOWN GPU`.
    pub device_type: String,
    /// The top-level keys of the file other than `traceEvents`: `distributedInfo`, `deviceProperties`, …
    pub metadata: Map<String, Value>,
}

impl RankInfo {
    /// Nanoseconds from the start of the first event to the end of the last.
    pub fn span(&self) -> i64 {
        self.last_end.saturating_sub(self.first_ts)
    }
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
        crate::select::stacked(&self.parts.traces)
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

impl Trace {
    /// The rank.
    pub fn rank(&self) -> i64 {
        self.info.rank
    }

    /// The iterations, ascending: the numbers in its names `ProfilerStep#N`.
    pub fn iterations(&self) -> Vec<i64> {
        self.info.iterations.clone()
    }

    /// What there is to know without looking at the events.
    pub fn info(&self) -> &RankInfo {
        &self.info
    }

    /// The events, one row per event that has a duration and a category, in file order. Times are whole nanoseconds.
    ///
    /// # Columns
    /// [`EVENT_COLUMNS`](crate::EVENT_COLUMNS), or those of the arguments that were asked for
    /// ([`ParserConfig`](crate::ParserConfig)); an argument's column exists only if an event carries it. Times and
    /// amounts are `i64`; positions, ids and numbers of iterations `i32`, or `i64` in a trace that needs it. Names, texts and
    /// lists (as their JSON on one line) are categories: [`Trace::decoded`] has them as strings.
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
        self.events.clone()
    }

    /// The events with names, categories and all other texts as plain strings.
    ///
    /// # Errors
    /// If polars refuses, which no input should bring about.
    pub fn decoded(&self) -> Result<DataFrame> {
        let mut events = self.events();
        for column in self.events.columns().iter().filter(|column| column.dtype().is_categorical()) {
            events.with_column(column.cast(&DataType::String)?)?;
        }
        Ok(events)
    }

    /// Bytes that the columns take in memory.
    pub fn memory_bytes(&self) -> usize {
        self.events.estimated_size()
    }
}

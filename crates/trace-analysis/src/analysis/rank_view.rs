//! One rank as analyses see it.

use crate::collective::{COLUMNS, Collectives};
use crate::companion::BorrowedCalls;
use crate::counter::{Bandwidth, Queues, memory_bandwidth, queue_lengths};
use crate::domain::KernelType;
use crate::exec::checkpoint::cancellable;
use crate::filter::TraceFilter;
use crate::frame::columns::*;
use crate::frame::{IntColumn, READ_COLUMNS, RankEvents, count_from, mtia_rows_in_whole_steps, rows_in_whole_steps};
use crate::interval::{Span, merged};
use crate::stats::total;
use crate::{Compat, RankInfo, Result, Trace, TraceSet};
use polars::prelude::{DataFrame, IdxCa, PlSmallStr};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, OnceLock};

/// One rank as analyses see it: on the clock that all ranks share, without the last profiler step unless it was included.
///
/// Of a rank in a file, the columns are mapped that analyses of the catalog read; [`RankView::events`] maps all.
#[derive(Clone)]
pub struct RankView {
    trace: Trace,
    columns: DataFrame,
    events: RankEvents,
    compat: Compat,
    origin: i64,
    rows: Arc<Vec<u32>>,
    /// `rows` and the launches of the GPU events among them, in order; `None` if no filter dropped a launch.
    with_launches: Option<Vec<u32>>,
    /// The rows whose launches count; `None` for `rows`.
    seen: Option<Arc<Vec<u32>>>,
    /// The events that have a stream, once they are wanted.
    gpu: Arc<OnceLock<Vec<GpuEvent>>>,
    /// Traces that lend operators to the kernels of graphs.
    companions: Arc<[TraceSet]>,
}

impl fmt::Debug for RankView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RankView(rank {}, {} events)", self.rank(), self.rows.len())
    }
}

/// The properties of the whole trace that the views of its ranks depend on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TraceContext {
    pub compat: Compat,
    /// Start of the first event of all ranks, in ns.
    pub origin: i64,
    /// Number of profiler steps.
    pub steps: usize,
    /// Whether the last step is included.
    pub(crate) include_last: bool,
    /// Whether the devices are MTIA.
    pub(crate) mtia: bool,
}

impl TraceContext {
    /// Returns the columns of a rank that analyses read, and the rows that they see: `known` if they were found before.
    ///
    /// # Errors
    /// If the events cannot be read any more, or a column is missing.
    fn rows_of(self, trace: &Trace, known: Option<Vec<u32>>) -> Result<(DataFrame, Vec<u32>)> {
        let events = trace.frame_of(&RankView::columns_read())?;
        if self.changes_columns() {
            return mtia_rows_in_whole_steps(&events);
        }
        let rows = match known {
            Some(rows) => rows,
            None => rows_in_whole_steps(&events, self.steps, self.include_last, self.compat)?,
        };
        Ok((events, rows))
    }

    /// Whether streams and iterations of events are completed.
    pub(super) fn changes_columns(self) -> bool {
        self.mtia && self.steps > 1
    }
}

/// An event that has a stream.
#[derive(Debug, Clone, Copy)]
pub(crate) struct GpuEvent {
    /// Code of the name.
    pub name: u32,
    /// Kernel type, by the name.
    pub kind: KernelType,
    /// Whether its category is that of a kernel or of memory work, not of a synchronisation.
    pub is_work: bool,
    pub stream: i64,
    pub ts: i64,
    /// Duration that counts, see [`Compat::counted`].
    pub dur: i64,
    /// Its row among all events.
    pub row: u32,
}

impl GpuEvent {
    pub(crate) fn end(&self) -> i64 {
        self.ts.saturating_add(self.dur)
    }

    pub(crate) fn span(&self) -> Span {
        Span { start: self.ts, end: self.end() }
    }
}

impl RankView {
    /// Memory for each row of the trace, in bytes, while a view is made: row numbers and GPU events. Measured: 30
    /// (`examples/ask.rs`).
    pub const BYTES_PER_ROW: usize = 32;

    /// Returns the names of the columns that analyses of the catalog read.
    pub(crate) fn columns_read() -> Vec<PlSmallStr> {
        READ_COLUMNS.into_iter().chain([END, MEMORY_BANDWIDTH]).map(PlSmallStr::from_static).collect()
    }

    /// Creates the view of one rank, with these rows if they are known.
    ///
    /// # Errors
    /// If a column is missing.
    pub(crate) fn of(trace: &Trace, context: TraceContext, known: Option<Vec<u32>>) -> Result<Self> {
        let TraceContext { compat, origin, .. } = context;
        let (columns, rows) = context.rows_of(trace, known)?;
        let events = trace.rank_events(&columns, compat)?;
        let (trace, rows) = (trace.clone(), Arc::new(rows));
        let (gpu, companions) = (Arc::default(), Arc::default());
        Ok(Self { trace, columns, events, compat, origin, rows, with_launches: None, seen: None, gpu, companions })
    }

    /// Returns the view with companions of its trace.
    pub(super) fn borrowing_from(self, companions: &Arc<[TraceSet]>) -> Self {
        Self { companions: Arc::clone(companions), ..self }
    }

    /// Finds the calls that companions lend to the kernels of graphs; `None` without companions.
    ///
    /// # Errors
    /// If events cannot be read any more.
    pub(super) fn borrowed_calls(&self) -> Result<Option<Arc<BorrowedCalls>>> {
        if self.companions.is_empty() {
            return Ok(None);
        }
        BorrowedCalls::of_rows(&self.trace, &self.events, &self.companions).map(Some)
    }

    /// Returns the iterations of the rows of the view of one rank, without making the view.
    ///
    /// # Errors
    /// If a column is missing.
    pub(crate) fn iterations_of(trace: &Trace, context: TraceContext) -> Result<BTreeSet<i64>> {
        let (events, rows) = context.rows_of(trace, None)?;
        iterations_in(&events, &rows)
    }

    /// Returns the rank.
    pub fn rank(&self) -> i64 {
        self.trace.rank()
    }

    /// Returns the rank with all of its events and columns.
    pub(crate) fn trace(&self) -> &Trace {
        &self.trace
    }

    /// Returns how the trace was loaded.
    pub fn compat(&self) -> Compat {
        self.compat
    }

    /// Returns the view with only the rows of these iterations; a GPU event belongs to the iteration of its launch.
    ///
    /// # Errors
    /// If a column is missing.
    pub fn in_iterations(&self, iterations: &[i64]) -> Result<Self> {
        let is_in = |row: &u32| self.events.iteration(*row as usize).is_some_and(|number| iterations.contains(&number));
        let only = |rows: &Vec<u32>| cancellable(rows).copied().filter(is_in).collect::<Vec<u32>>();
        let (rows, with_launches) = (Arc::new(only(&self.rows)), self.with_launches.as_ref().map(only));
        let seen = with_launches.clone().map(Arc::new);
        Ok(Self { rows, with_launches, seen, gpu: Arc::default(), ..self.clone() })
    }

    /// Returns the view with only the rows that pass a filter. GPU events keep the start of their launch even if the launch
    /// does not pass.
    ///
    /// # Errors
    /// If the filter does not fit the events.
    pub fn filter(&self, filter: &TraceFilter) -> Result<Self> {
        let passes = filter.mask(&self.trace)?;
        let passes: Vec<bool> = passes.iter().map(|passes| passes == Some(true)).collect();
        let rows: Vec<u32> = self.rows.iter().copied().filter(|&row| passes[row as usize]).collect();
        let mut wanted = vec![false; passes.len()];
        for row in cancellable(&rows).map(|&row| row as usize) {
            wanted[row] = true;
            if self.events.stream(row).is_some()
                && let Some(launch) = self.events.partner(row)
            {
                wanted[launch] = true;
            }
        }
        let before = self.with_launches.as_ref().unwrap_or(&self.rows);
        let with_launches = Some(before.iter().copied().filter(|&row| wanted[row as usize]).collect());
        let seen = Some(self.seen.as_ref().unwrap_or(&self.rows).clone());
        Ok(Self { rows: Arc::new(rows), with_launches, seen, gpu: Arc::default(), ..self.clone() })
    }

    /// Returns the view with the dropped launches of the GPU events that passed the filters; `None` if there are none.
    pub(crate) fn with_launches(&self) -> Option<Self> {
        let rows = self.with_launches.clone().filter(|rows| rows.len() > self.rows.len())?;
        let seen = Some(Arc::clone(self.seen.as_ref().unwrap_or(&self.rows)));
        Some(Self { rows: Arc::new(rows), seen, gpu: Arc::default(), ..self.clone() })
    }

    /// Tells whether a filter left events out.
    pub(crate) fn is_filtered(&self) -> bool {
        self.with_launches.is_some()
    }

    /// Returns the whole rank as a trace of its own.
    pub(crate) fn alone(&self) -> TraceSet {
        TraceSet::of("", self.compat, vec![self.trace.clone()], Vec::new())
    }

    /// Returns the iterations of its rows.
    ///
    /// # Errors
    /// If a column is missing.
    pub fn iterations(&self) -> Result<BTreeSet<i64>> {
        iterations_in(&self.columns, &self.rows)
    }

    /// Returns the metadata of the rank.
    pub fn info(&self) -> &RankInfo {
        self.trace.info()
    }

    /// Returns all events of the rank, with the columns that analyses of the catalog read; [`RankView::rows`] selects those of
    /// the view.
    pub(crate) fn all_events(&self) -> &DataFrame {
        &self.columns
    }

    /// Returns all events of the rank for algorithms; [`RankView::rows`] selects those of the view.
    pub(crate) fn rank_events(&self) -> &RankEvents {
        &self.events
    }

    /// Returns all events of the rank, with these columns and those that analyses of the catalog read.
    ///
    /// # Errors
    /// If the events cannot be read any more.
    pub(crate) fn all_events_with(&self, names: &[&'static str]) -> Result<DataFrame> {
        let names: Vec<PlSmallStr> = names.iter().copied().map(PlSmallStr::from_static).collect();
        let mut all = self.trace.frame_of(&names)?;
        for column in self.columns.columns() {
            all.with_column(column.clone())?;
        }
        Ok(all)
    }

    /// Returns arguments of all events of the rank, also those that it was loaded without; `None` if its file cannot be read any more.
    ///
    /// # Errors
    /// [`Error::Interrupted`](crate::Error::Interrupted), or if events cannot be read any more.
    pub(crate) fn args(&self, names: &[&'static str]) -> Result<Option<DataFrame>> {
        self.trace.args(names)
    }

    /// Returns what [`RankView::all_events_with`] does. Those of `names` that are `args` and that the trace was loaded without are read from
    /// its file, if that is possible.
    ///
    /// # Errors
    /// If the events cannot be read any more.
    pub(crate) fn all_events_with_args(&self, names: &[&'static str], args: &[&'static str]) -> Result<DataFrame> {
        let mut all = self.all_events_with(names)?;
        let missing: Vec<&'static str> = args.iter().copied().filter(|name| all.column(name).is_err()).collect();
        let read = if missing.is_empty() { None } else { self.trace.args(&missing)? };
        for column in read.iter().flat_map(|read| read.columns()) {
            all.with_column(column.clone())?;
        }
        Ok(all)
    }

    /// Returns the time of all kernels, copies and fills, in ns.
    pub(crate) fn gpu_work_ns(&self) -> i64 {
        total(self.gpu().iter().filter(|event| event.is_work).map(|event| event.dur.max(0)))
    }

    /// Returns the kernels of collectives and of other communication.
    pub(crate) fn communication(&self) -> impl Iterator<Item = &GpuEvent> {
        self.gpu().iter().filter(|event| event.is_work && event.kind == KernelType::Communication)
    }

    /// Returns the collectives of the view.
    ///
    /// # Errors
    /// If the events cannot be read any more.
    pub(crate) fn collectives(&self) -> Result<Collectives> {
        let communication: Vec<usize> = self.communication().map(|event| event.row as usize).collect();
        if communication.is_empty() {
            return Ok(Collectives::default());
        }
        Ok(Collectives::of(self.rank(), &self.all_events_with(&COLUMNS)?, &self.events, &communication))
    }

    /// Returns the rows of `RankView::all_events` that are in the view, in the order of [`RankView::events`].
    pub fn rows(&self) -> &[u32] {
        &self.rows
    }

    /// Returns the origin of the clock that all ranks share, in ns on the clock of the trace.
    pub fn origin(&self) -> i64 {
        self.origin
    }

    /// Returns the events of the view, on a clock that starts with the first event of all ranks. If any were left out, GPU
    /// events come first, then those of the CPU.
    ///
    /// # Errors
    /// If polars refuses, or the events of a rank in a file cannot be read any more.
    pub fn events(&self) -> Result<DataFrame> {
        let mut all = self.trace.frame()?;
        for name in [STREAM, ITERATION] {
            // On some devices they are completed.
            all.with_column(self.columns.column(name)?.clone())?;
        }
        let mut events = all.take(&IdxCa::from_vec("row".into(), self.rows.to_vec()))?;
        count_from(&mut events, self.origin)?;
        Ok(events)
    }

    /// Returns the kernels, copies and fills, as HTA all events that have a stream, in the order of [`RankView::events`].
    pub(crate) fn gpu(&self) -> &[GpuEvent] {
        self.gpu.get_or_init(|| gpu_events(&self.events, &self.rows, self.compat == Compat::Hta))
    }

    /// Returns a function from an event to the start of its launch, if that is in the view or did not pass a filter.
    pub(crate) fn launches(&self) -> impl Fn(&GpuEvent) -> Option<i64> {
        let mut counts = vec![false; self.events.len()];
        for &row in self.seen.as_ref().unwrap_or(&self.rows).iter() {
            counts[row as usize] = true;
        }
        move |event| {
            self.events.partner(event.row as usize).filter(|&row| counts[row]).and_then(|row| self.events.ts(row))
        }
    }

    /// Returns the merged intervals during which kernels of one type run.
    pub fn busy(&self, kind: KernelType) -> Vec<Span> {
        merged(cancellable(self.gpu()).filter(|event| event.kind == kind).map(GpuEvent::span).collect())
    }

    /// Counts the events that end before they start.
    ///
    /// # Errors
    /// If a column is missing.
    pub(crate) fn negative(&self) -> Result<usize> {
        let dur = IntColumn::of(&self.columns, DUR)?;
        Ok(self.rows.iter().filter(|row| dur.get(**row as usize).is_some_and(|dur| dur < 0)).count())
    }

    /// Returns the length of each stream's queue over time.
    ///
    /// # Errors
    /// If a column is missing.
    pub fn queue_lengths(&self) -> Result<Queues> {
        queue_lengths(&self.columns, &self.rows, self.compat)
    }

    /// Returns the memory bandwidth of each kind of copy over time.
    ///
    /// # Errors
    /// If a column is missing.
    pub fn memory_bandwidth(&self) -> Result<Bandwidth> {
        memory_bandwidth(&self.columns, &self.rows, self.compat)
    }

    /// Returns the text of a name.
    pub fn name(&self, code: u32) -> &str {
        self.events.text(code)
    }
}

fn iterations_in(events: &DataFrame, rows: &[u32]) -> Result<BTreeSet<i64>> {
    let column = IntColumn::of(events, ITERATION)?;
    Ok(cancellable(rows).filter_map(|&row| column.get(row as usize)).collect())
}

/// Returns the events of `rows` that have a stream: kernels, copies and fills, as HTA everything with a stream.
fn gpu_events(events: &RankEvents, rows: &[u32], hta: bool) -> Vec<GpuEvent> {
    let compat = if hta { Compat::Hta } else { Compat::Exact };
    let mut kind = events.per_text(|name| KernelType::of(name, compat));
    let kinds = events.kinds();
    let mut gpu = Vec::new();
    for &row in cancellable(rows) {
        let at = row as usize;
        // Differs from HTA: synchronisations, and operators of Triton with a stream, are kernels there; kernels without one are none.
        let is_work = kinds[at].is_device_work();
        let stream = if hta { events.stream(at) } else { events.device_and_stream(at).1.filter(|_| is_work) };
        let (Some(stream), Some(ts)) = (stream, events.ts(at)) else { continue };
        let name = events.name(at);
        let kind = kind(name);
        gpu.push(GpuEvent { name, kind, is_work, stream, ts, dur: events.dur(at), row });
    }
    gpu
}

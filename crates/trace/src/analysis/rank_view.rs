//! One rank as analyses see it.

use crate::counter::{Bandwidth, Queues, memory_bandwidth, queue_lengths};
use crate::domain::{KernelType, is_device_work};
use crate::exec::checkpoint::cancellable;
use crate::filter::TraceFilter;
use crate::frame::columns::*;
use crate::frame::{IntColumn, mtia_rows_in_whole_steps, once_per_text, rows_in_whole_steps};
use crate::interval::{Span, merged};
use crate::{Compat, RankInfo, Result, Trace};
use polars::prelude::{Categorical32Type, CategoricalMapping, ChunkApply, DataFrame, IdxCa, IntoColumn, IntoSeries};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

/// One rank as analyses see it: on the clock that all ranks share, without the last profiler step unless it was included.
#[derive(Clone)]
pub struct RankView {
    trace: Trace,
    events: DataFrame,
    compat: Compat,
    origin: i64,
    rows: Vec<u32>,
    /// `rows` and the launches of the GPU events among them, in order; `None` if no filter dropped a launch.
    with_launches: Option<Vec<u32>>,
    gpu: Vec<GpuEvent>,
    names: Arc<CategoricalMapping>,
}

impl fmt::Debug for RankView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RankView(rank {}, {} events)", self.rank(), self.rows.len())
    }
}

/// The properties of the whole trace that the views of its ranks depend on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TraceContext {
    pub(crate) compat: Compat,
    /// Start of the first event of all ranks, in ns.
    pub(crate) origin: i64,
    /// Number of profiler steps.
    pub(crate) steps: usize,
    /// Whether the last step is included.
    pub(crate) include_last: bool,
    /// Whether the devices are MTIA.
    pub(crate) mtia: bool,
}

impl TraceContext {
    /// Returns the events of a rank, and the rows that analyses see.
    ///
    /// # Errors
    /// If the events cannot be read any more, or a column is missing.
    fn rows_of(self, trace: &Trace) -> Result<(DataFrame, Vec<u32>)> {
        let events = trace.frame()?;
        if self.mtia && self.steps > 1 {
            return mtia_rows_in_whole_steps(&events);
        }
        let rows = rows_in_whole_steps(&events, self.steps, self.include_last, self.compat)?;
        Ok((events, rows))
    }
}

/// An event that has a stream.
#[derive(Debug, Clone, Copy)]
pub(crate) struct GpuEvent {
    /// Code of the name.
    pub(crate) name: u32,
    /// Kernel type, by the name.
    pub(crate) kind: KernelType,
    /// Whether its category is that of a kernel or of memory work, not of a synchronisation.
    pub(crate) is_work: bool,
    pub(crate) stream: i64,
    pub(crate) ts: i64,
    /// Duration that counts, see [`Compat::counted`].
    pub(crate) dur: i64,
    /// Start of the launch.
    pub(crate) launch_ts: Option<i64>,
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
    pub(crate) const BYTES_PER_ROW: usize = 32;

    /// Creates the view of one rank.
    ///
    /// # Errors
    /// If a column is missing.
    pub(crate) fn of(trace: &Trace, context: TraceContext) -> Result<Self> {
        let TraceContext { compat, origin, .. } = context;
        let (events, rows) = context.rows_of(trace)?;
        let names = events.column(NAME)?.as_materialized_series().cat::<Categorical32Type>()?.get_mapping().clone();
        let gpu = gpu_events(&events, &rows, &rows, &names, compat)?;
        Ok(Self { trace: trace.clone(), events, compat, origin, rows, with_launches: None, gpu, names })
    }

    /// Returns the iterations of the rows of the view of one rank, without making the view.
    ///
    /// # Errors
    /// If a column is missing.
    pub(crate) fn iterations_of(trace: &Trace, context: TraceContext) -> Result<BTreeSet<i64>> {
        let (events, rows) = context.rows_of(trace)?;
        iterations_in(&events, &rows)
    }

    /// Returns the rank.
    pub fn rank(&self) -> i64 {
        self.trace.rank()
    }

    /// Returns how the trace was loaded.
    pub fn compat(&self) -> Compat {
        self.compat
    }

    /// Returns the view with only the rows of these iterations; a GPU event belongs to the iteration of its launch.
    ///
    /// # Errors
    /// If a column is missing.
    pub(crate) fn in_iterations(&self, iterations: &[i64]) -> Result<Self> {
        let column = IntColumn::of(&self.events, ITERATION)?;
        let is_in = |row: &u32| column.get(*row as usize).is_some_and(|number| iterations.contains(&number));
        let only = |rows: &Vec<u32>| cancellable(rows).copied().filter(is_in).collect::<Vec<u32>>();
        let (rows, with_launches) = (only(&self.rows), self.with_launches.as_ref().map(only));
        let seen = with_launches.as_ref().unwrap_or(&rows);
        let gpu = gpu_events(&self.events, &rows, seen, &self.names, self.compat)?;
        Ok(Self { rows, with_launches, gpu, ..self.clone() })
    }

    /// Returns the view with only the rows that pass a filter. GPU events keep the start of their launch even if the launch
    /// does not pass.
    ///
    /// # Errors
    /// If the filter does not fit the events.
    pub(crate) fn filter(&self, filter: &TraceFilter) -> Result<Self> {
        let passes = filter.mask(&self.trace)?;
        let passes: Vec<bool> = passes.iter().map(|passes| passes == Some(true)).collect();
        let int = |name: &str| IntColumn::of(&self.events, name);
        let (ts, stream) = (int(TS)?, int(STREAM)?);
        let on_gpu = |row: usize| stream.get(row).is_some() && ts.get(row).is_some();
        // `gpu` has the order of `rows`.
        let on_gpu = cancellable(&self.rows).map(|&row| row as usize).filter(|&row| on_gpu(row));
        let gpu = on_gpu.zip(&self.gpu).filter(|(row, _)| passes[*row]).map(|(_, event)| *event).collect();
        let rows: Vec<u32> = self.rows.iter().copied().filter(|&row| passes[row as usize]).collect();
        let (index, partner) = (int(INDEX)?, int(INDEX_CORRELATION)?);
        let mut wanted = vec![false; passes.len()];
        for row in cancellable(&rows).map(|&row| row as usize) {
            wanted[row] = true;
            let launch = partner.get(row).filter(|_| stream.get(row).is_some());
            if let Some(launch) = launch.and_then(|launch| index.row_of(launch)) {
                wanted[launch] = true;
            }
        }
        let before = self.with_launches.as_ref().unwrap_or(&self.rows);
        let with_launches = Some(before.iter().copied().filter(|&row| wanted[row as usize]).collect());
        Ok(Self { rows, with_launches, gpu, ..self.clone() })
    }

    /// Returns the view with the dropped launches of the GPU events that passed the filters; `None` if there are none.
    pub(crate) fn with_launches(&self) -> Option<Self> {
        let rows = self.with_launches.clone().filter(|rows| rows.len() > self.rows.len())?;
        Some(Self { rows, ..self.clone() })
    }

    /// Returns the iterations of its rows.
    ///
    /// # Errors
    /// If a column is missing.
    pub(crate) fn iterations(&self) -> Result<BTreeSet<i64>> {
        iterations_in(&self.events, &self.rows)
    }

    /// Returns the metadata of the rank.
    pub(crate) fn info(&self) -> &RankInfo {
        self.trace.info()
    }

    /// Returns all events of the rank; [`RankView::rows`] selects those of the view.
    pub(crate) fn all_events(&self) -> &DataFrame {
        &self.events
    }

    /// Returns the rows of [`RankView::all_events`] that are in the view, in the order of [`RankView::events`].
    pub(crate) fn rows(&self) -> &[u32] {
        &self.rows
    }

    /// Returns the origin of the clock that all ranks share, in ns on the clock of the trace.
    pub(crate) fn origin(&self) -> i64 {
        self.origin
    }

    /// Returns the events of the view, on a clock that starts with the first event of all ranks. If any were left out, GPU
    /// events come first, then those of the CPU.
    ///
    /// # Errors
    /// If polars refuses.
    pub fn events(&self) -> Result<DataFrame> {
        let mut events = self.events.take(&IdxCa::from_vec("row".into(), self.rows.clone()))?;
        for name in [TS, END] {
            let shifted = events.column(name)?.i64()?.apply_values(|moment| moment.saturating_sub(self.origin));
            events.with_column(shifted.into_series().into_column())?;
        }
        Ok(events)
    }

    /// Returns the events that have a stream, in the order of [`RankView::events`].
    pub(crate) fn gpu(&self) -> &[GpuEvent] {
        &self.gpu
    }

    /// Returns the merged intervals during which kernels of one type run.
    pub(crate) fn busy(&self, kind: KernelType) -> Vec<Span> {
        merged(cancellable(&self.gpu).filter(|event| event.kind == kind).map(GpuEvent::span).collect())
    }

    /// Counts the events that end before they start.
    ///
    /// # Errors
    /// If a column is missing.
    pub(crate) fn negative(&self) -> Result<usize> {
        let dur = IntColumn::of(&self.events, DUR)?;
        Ok(self.rows.iter().filter(|row| dur.get(**row as usize).is_some_and(|dur| dur < 0)).count())
    }

    /// Returns the length of each stream's queue over time.
    ///
    /// # Errors
    /// If a column is missing.
    pub(crate) fn queue_lengths(&self) -> Result<Queues> {
        queue_lengths(&self.events, &self.rows, self.compat)
    }

    /// Returns the memory bandwidth of each kind of copy over time.
    ///
    /// # Errors
    /// If a column is missing.
    pub(crate) fn memory_bandwidth(&self) -> Result<Bandwidth> {
        memory_bandwidth(&self.events, &self.rows, self.compat)
    }

    /// Returns the text of a name.
    pub(crate) fn name(&self, code: u32) -> &str {
        self.names.cat_to_str(code).unwrap_or_default()
    }
}

fn iterations_in(events: &DataFrame, rows: &[u32]) -> Result<BTreeSet<i64>> {
    let column = IntColumn::of(events, ITERATION)?;
    Ok(cancellable(rows).filter_map(|&row| column.get(row as usize)).collect())
}

/// Returns the events of `rows` that have a stream, with their launches if these are in `seen`.
fn gpu_events(
    events: &DataFrame,
    rows: &[u32],
    seen: &[u32],
    names: &CategoricalMapping,
    compat: Compat,
) -> Result<Vec<GpuEvent>> {
    let int = |name: &str| IntColumn::of(events, name);
    let (ts, dur, stream) = (int(TS)?, int(DUR)?, int(STREAM)?);
    let (index, partner) = (int(INDEX)?, int(INDEX_CORRELATION)?);
    let codes = |name: &str| -> Result<_> {
        let series = events.column(name)?.as_materialized_series().rechunk();
        Ok(series.cat::<Categorical32Type>()?.clone())
    };
    let (name, cat) = (codes(NAME)?, codes(CAT)?);
    let cats = cat.get_mapping();
    let (name, cat) = (name.physical(), cat.physical());
    let (mut kind, mut is_work) = (once_per_text(names, KernelType::of), once_per_text(cats, is_device_work));
    let mut kept = vec![false; events.height()];
    for &row in seen {
        kept[row as usize] = true;
    }
    let mut gpu = Vec::new();
    for &row in cancellable(rows) {
        let row = row as usize;
        let (Some(stream), Some(start)) = (stream.get(row), ts.get(row)) else { continue };
        let code = name.get(row).unwrap_or_default();
        let launch = partner.get(row).and_then(|wanted| index.row_of(wanted)).filter(|&row| kept[row]);
        let cat = cat.get(row).unwrap_or_default();
        gpu.push(GpuEvent {
            name: code,
            kind: kind(code),
            is_work: is_work(cat),
            stream,
            ts: start,
            dur: compat.counted(dur.get(row).unwrap_or(0)),
            launch_ts: launch.and_then(|row| ts.get(row)),
        });
    }
    Ok(gpu)
}

//! One rank as a question sees it.

use crate::domain::{KernelType, is_device_work};
use crate::exec::checkpoint::cancellable;
use crate::filter::TraceFilter;
use crate::frame::columns::*;
use crate::frame::{IntColumn, mtia_rows_in_whole_steps, rows_in_whole_steps};
use crate::interval::{Span, merged};
use crate::{Compat, RankInfo, Result, Trace};
use hashbrown::HashMap;
use polars::prelude::{Categorical32Type, CategoricalMapping, ChunkApply, DataFrame, IdxCa, IntoColumn, IntoSeries};
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

/// One rank as a question sees it: aligned with the other ranks, without the last profiler step unless asked for.
#[derive(Clone)]
pub struct RankView {
    trace: Trace,
    compat: Compat,
    origin: i64,
    rows: Vec<u32>,
    /// The same with the launches of events of the GPU among them, in order; `None` if no filter dropped any.
    with_launches: Option<Vec<u32>>,
    gpu: Vec<GpuEvent>,
    names: Arc<CategoricalMapping>,
}

impl fmt::Debug for RankView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RankView(rank {}, {} events)", self.rank(), self.rows.len())
    }
}

/// What a rank's view needs to know of the whole trace.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Whole {
    pub(crate) compat: Compat,
    /// Where the trace starts.
    pub(crate) origin: i64,
    /// How many steps it has.
    pub(crate) steps: usize,
    /// Whether the last step is looked at, too.
    pub(crate) include_last: bool,
    /// Whether its devices are MTIA.
    pub(crate) mtia: bool,
}

/// An event that has a stream.
#[derive(Debug, Clone, Copy)]
pub(crate) struct GpuEvent {
    /// Code of the name.
    pub(crate) name: u32,
    /// What its name says it does.
    pub(crate) kind: KernelType,
    /// Whether its category is that of a kernel or of memory work, not of a synchronisation.
    pub(crate) is_work: bool,
    pub(crate) stream: i64,
    pub(crate) ts: i64,
    /// How long it counts, see [`Compat::counted`].
    pub(crate) dur: i64,
    /// Start of the runtime call that launched it.
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
    /// What a view takes for each row of the trace, in bytes, while it is made: places of rows, and events of the GPU. 30 was
    /// measured (`examples/ask.rs`).
    pub(crate) const BYTES_PER_ROW: usize = 32;

    /// The view of one rank.
    pub(crate) fn of(trace: &Trace, whole: Whole) -> Result<Self> {
        let Whole { compat, origin, steps, include_last, .. } = whole;
        let mut trace = trace.clone();
        let rows = if whole.mtia && steps > 1 {
            let (events, rows) = mtia_rows_in_whole_steps(&trace.events)?;
            trace.events = events;
            rows
        } else {
            rows_in_whole_steps(&trace.events, steps, include_last, compat)?
        };
        let names =
            trace.events.column(NAME)?.as_materialized_series().cat::<Categorical32Type>()?.get_mapping().clone();
        let gpu = gpu_events(&trace.events, &rows, &rows, &names, compat)?;
        Ok(Self { trace, compat, origin, rows, with_launches: None, gpu, names })
    }

    /// The rank.
    pub fn rank(&self) -> i64 {
        self.trace.rank()
    }

    /// How the trace was loaded.
    pub fn compat(&self) -> Compat {
        self.compat
    }

    /// The same rank with only the rows of these iterations: on the GPU those of the launch.
    pub(crate) fn in_iterations(&self, iterations: &[i64]) -> Result<Self> {
        let column = IntColumn::of(&self.trace.events, ITERATION)?;
        let is_in = |row: &u32| column.get(*row as usize).is_some_and(|number| iterations.contains(&number));
        let only = |rows: &Vec<u32>| cancellable(rows).copied().filter(is_in).collect::<Vec<u32>>();
        let (rows, with_launches) = (only(&self.rows), self.with_launches.as_ref().map(only));
        let seen = with_launches.as_ref().unwrap_or(&rows);
        let gpu = gpu_events(&self.trace.events, &rows, seen, &self.names, self.compat)?;
        Ok(Self { rows, with_launches, gpu, ..self.clone() })
    }

    /// The same rank with only the rows that a filter takes. A kernel knows its launch still, taken or not.
    pub(crate) fn filter(&self, filter: &TraceFilter<'_>) -> Result<Self> {
        let takes = filter.mask(&self.trace)?;
        let takes: Vec<bool> = takes.iter().map(|takes| takes == Some(true)).collect();
        let int = |name: &str| IntColumn::of(&self.trace.events, name);
        let (ts, stream) = (int(TS)?, int(STREAM)?);
        let on_gpu = |row: usize| stream.get(row).is_some() && ts.get(row).is_some();
        // The events of the GPU stand in the order of the rows.
        let on_gpu = cancellable(&self.rows).map(|&row| row as usize).filter(|&row| on_gpu(row));
        let gpu = on_gpu.zip(&self.gpu).filter(|(row, _)| takes[*row]).map(|(_, event)| *event).collect();
        let rows: Vec<u32> = self.rows.iter().copied().filter(|&row| takes[row as usize]).collect();
        let (index, partner) = (int(INDEX)?, int(INDEX_CORRELATION)?);
        let mut wanted = vec![false; takes.len()];
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

    /// The same rank with the launches that filters dropped of kernels that they took; `None` if there are none.
    pub(crate) fn with_launches(&self) -> Option<Self> {
        let rows = self.with_launches.clone().filter(|rows| rows.len() > self.rows.len())?;
        Some(Self { rows, ..self.clone() })
    }

    /// The rank as it was loaded.
    pub(crate) fn trace(&self) -> &Trace {
        &self.trace
    }

    /// The iterations that its rows lie in.
    pub(crate) fn iterations(&self) -> Result<BTreeSet<i64>> {
        let column = IntColumn::of(&self.trace.events, ITERATION)?;
        Ok(cancellable(&self.rows).filter_map(|&row| column.get(row as usize)).collect())
    }

    /// What there is to know of the rank without looking at its events.
    pub(crate) fn info(&self) -> &RankInfo {
        self.trace.info()
    }

    /// Every event of the rank, seen or not; [`RankView::rows`] says which are seen.
    pub(crate) fn all_events(&self) -> &DataFrame {
        &self.trace.events
    }

    /// The rows of [`RankView::all_events`] that are seen, in the order of [`RankView::events`].
    pub(crate) fn rows(&self) -> &[u32] {
        &self.rows
    }

    /// Where the common clock of the ranks starts, on the clock of the trace.
    pub(crate) fn origin(&self) -> i64 {
        self.origin
    }

    /// The events, on a clock that starts with the first event of all ranks: those of the GPU first, then those of the
    /// CPU, if any were left out.
    ///
    /// # Errors
    /// If polars refuses.
    pub fn events(&self) -> Result<DataFrame> {
        let mut events = self.trace.events.take(&IdxCa::from_vec("row".into(), self.rows.clone()))?;
        for name in [TS, END] {
            let shifted = events.column(name)?.i64()?.apply_values(|moment| moment.saturating_sub(self.origin));
            events.with_column(shifted.into_series().into_column())?;
        }
        Ok(events)
    }

    /// The events that have a stream, in the order of [`RankView::events`].
    pub(crate) fn gpu(&self) -> &[GpuEvent] {
        &self.gpu
    }

    /// Where kernels of one type run, merged.
    pub(crate) fn busy(&self, kind: KernelType) -> Vec<Span> {
        merged(cancellable(&self.gpu).filter(|event| event.kind == kind).map(GpuEvent::span).collect())
    }

    /// How many events end before they start.
    pub(crate) fn negative(&self) -> Result<usize> {
        let dur = IntColumn::of(&self.trace.events, DUR)?;
        Ok(self.rows.iter().filter(|row| dur.get(**row as usize).is_some_and(|dur| dur < 0)).count())
    }

    /// The text of a name.
    pub(crate) fn name(&self, code: u32) -> &str {
        self.names.cat_to_str(code).unwrap_or_default()
    }
}

/// The events of `rows` that have a stream; their launches are looked for in `seen`.
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
    let mut kinds: HashMap<u32, KernelType, foldhash::fast::FixedState> = HashMap::default();
    let mut work: HashMap<u32, bool, foldhash::fast::FixedState> = HashMap::default();
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
            kind: *kinds.entry(code).or_insert_with(|| KernelType::of(names.cat_to_str(code).unwrap_or_default())),
            is_work: *work.entry(cat).or_insert_with(|| is_device_work(cats.cat_to_str(cat).unwrap_or_default())),
            stream,
            ts: start,
            dur: compat.counted(dur.get(row).unwrap_or(0)),
            launch_ts: launch.and_then(|row| ts.get(row)),
        });
    }
    Ok(gpu)
}

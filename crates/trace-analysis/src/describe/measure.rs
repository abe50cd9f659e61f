//! Measurements of one rank, made in one pass over its rows.

use super::precedence::{exclusive_times, precedence};
use crate::analysis::{HeadlineSums, Merge, Plan, RankView};
use crate::collective::Collectives;
use crate::domain::{EventKind, KernelType};
use crate::exec::checkpoint::cancellable;
use crate::frame::columns::*;
use crate::frame::{IntColumn, StepName, once_per_text, value_of};
use crate::interval::{Span, merged};
use crate::stats::total;
use crate::{Compat, Result, Trace};
use hashbrown::HashMap;
use polars::prelude::{Categorical32Type, PlSmallStr};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Working memory per row, in bytes: intervals of device work, twice while they are merged.
const BYTES_PER_ROW: usize = 32;

/// The measurements of some of the ranks: what grows with ranks is small, names are counted once for all of them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Measurements {
    pub(super) ranks: BTreeMap<i64, Measured>,
    /// Totals of CPU operators by name.
    pub(super) operators: BTreeMap<String, Total>,
    /// Totals of kernels, copies and fills by name.
    pub(super) kernels: BTreeMap<String, Total>,
    /// Collectives, without those of the last profiler step.
    pub(super) collectives: Collectives,
    /// What analyses say in short.
    pub(super) headlines: HeadlineSums,
}

impl Measurements {
    /// Merges the measurements of other ranks; the order does not matter.
    pub(super) fn merge(&mut self, other: Self) {
        self.ranks.extend(other.ranks);
        self.collectives.merge(other.collectives);
        self.headlines.merge(other.headlines);
        for (mine, totals) in [(&mut self.operators, other.operators), (&mut self.kernels, other.kernels)] {
            for (name, total) in totals {
                mine.entry(name).or_default().merge(total);
            }
        }
    }
}

/// The measurements of one rank, without its names.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Measured {
    pub(super) rank: i64,
    pub(super) device: Option<DeviceTime>,
    /// Number of CPU operators.
    pub(super) operators: u64,
    /// Start and end of every ProfilerStep on the CPU, by number.
    pub(super) steps: BTreeMap<i64, (i64, i64)>,
    /// Number of kernels, copies and fills by the iteration of their launch.
    pub(super) work_in: BTreeMap<i64, u64>,
    /// Number of CPU operators by iteration.
    pub(super) operators_in: BTreeMap<i64, u64>,
    /// Number of kernels, copies and fills.
    pub(super) work: u64,
    /// Number of kernels, copies and fills whose launch is not in the trace.
    pub(super) unlaunched: u64,
    /// Number of events that end before they start.
    pub(super) negative: u64,
}

/// How a device spends the time from the start of its first kernel, copy or fill to the end of its last. Concurrent work
/// on several streams counts once; waiting (category `cuda_sync`) is not work.
///
/// ```text
/// stream 7   |--gemm--|       |--gemm--|         computation
/// stream 20      |---nccl---|                    communication from the end of the gemm
///            |---- busy ----|-|- busy -|         in between: idle
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceTime {
    /// From the first start to the last end.
    pub span_ns: i64,
    /// Time during which anything runs.
    pub busy_ns: i64,
    /// Time during which nothing runs.
    pub idle_ns: i64,
    /// Time during which a computation runs.
    pub computation_ns: i64,
    /// Time during which communication but no computation runs.
    pub communication_ns: i64,
    /// Time during which copies and fills but none of the above run.
    pub memory_ns: i64,
    /// Time during which only other work runs.
    pub other_ns: i64,
}

impl DeviceTime {
    /// Returns the busy share of the span, 0 to 100; `None` if the span is empty.
    pub fn busy_percent(&self) -> Option<f64> {
        (self.span_ns > 0).then(|| 100.0 * self.busy_ns as f64 / self.span_ns as f64)
    }
}

/// The totals of one name.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Total {
    pub(super) count: u64,
    pub(super) total_ns: i64,
    pub(super) longest_ns: i64,
}

impl Total {
    fn add(&mut self, dur: i64) {
        self.merge(Self { count: 1, total_ns: dur, longest_ns: dur });
    }

    pub(super) fn merge(&mut self, other: Self) {
        self.longest_ns = if self.count == 0 { other.longest_ns } else { self.longest_ns.max(other.longest_ns) };
        self.count += other.count;
        self.total_ns = self.total_ns.saturating_add(other.total_ns);
    }
}

/// The properties that a name determines.
#[derive(Clone, Copy)]
struct NameClass {
    kind: KernelType,
    /// The number of the ProfilerStep that it marks.
    step: Option<i64>,
    is_step: bool,
}

impl NameClass {
    fn of(name: &str, compat: Compat) -> Self {
        let step = if let StepName::Number(number) = StepName::of(name) { Some(number) } else { None };
        Self { kind: KernelType::of(name, compat), step, is_step: StepName::is_step(name) }
    }
}

type Map<V> = HashMap<u32, V, foldhash::fast::FixedState>;

impl Measurements {
    /// Returns the names of the columns that are read.
    fn columns() -> [PlSmallStr; 7] {
        [TS, DUR, STREAM, INDEX_CORRELATION, ITERATION, NAME, CAT].map(PlSmallStr::from_static)
    }

    /// Returns the bytes that measuring a rank needs.
    pub(super) fn bytes_needed(trace: &Trace) -> usize {
        let per_row = BYTES_PER_ROW + HeadlineSums::bytes_per_row(trace.info().events);
        trace.bytes_needed_of(&RankView::columns_read(), per_row)
    }

    /// Measures one rank.
    ///
    /// # Errors
    /// If a column is missing.
    pub(super) fn of(trace: &Trace, compat: Compat) -> Result<Self> {
        let events = trace.frame_of(&Self::columns())?;
        let int = |name: &str| IntColumn::of(&events, name);
        let (ts, dur, stream) = (int(TS)?, int(DUR)?, int(STREAM)?);
        let (launch, iteration) = (int(INDEX_CORRELATION)?, int(ITERATION)?);
        let codes = |name: &str| -> Result<_> {
            let series = events.column(name)?.as_materialized_series().rechunk();
            Ok(series.cat::<Categorical32Type>()?.clone())
        };
        let (name, cat) = (codes(NAME)?, codes(CAT)?);
        let (names, cats) = (name.get_mapping(), cat.get_mapping());
        let (name, cat) = (name.physical().downcast_as_array(), cat.physical().downcast_as_array());
        let (mut event, mut class) =
            (once_per_text(cats, EventKind::of_category), once_per_text(names, |name| NameClass::of(name, compat)));
        let (mut operators, mut kernels): (Map<Total>, Map<Total>) = Default::default();
        let mut spans: [Vec<Span>; 4] = Default::default();
        let mut measured = Measured { rank: trace.rank(), ..Measured::default() };
        let mut device_steps: BTreeMap<i64, (i64, i64)> = BTreeMap::new();
        for row in cancellable(0..events.height()) {
            let (Some(start), Some(lasts)) = (ts.get(row), dur.get(row)) else { continue };
            measured.negative += u64::from(lasts < 0);
            let lasts = compat.counted(lasts);
            let event = event(value_of(cat, row).unwrap_or_default());
            let Some(code) = value_of(name, row) else { continue };
            let NameClass { kind, step, is_step } = class(code);
            if let Some(number) = step {
                let steps = if event == EventKind::DeviceAnnotation { &mut device_steps } else { &mut measured.steps };
                let end = start.saturating_add(lasts);
                let span = steps.entry(number).or_insert((start, end));
                *span = (span.0.min(start), span.1.max(end));
            }
            match event {
                // A step is no operator.
                EventKind::Operator if !is_step => {
                    operators.entry(code).or_default().add(lasts);
                    measured.operators += 1;
                    if let Some(number) = iteration.get(row) {
                        *measured.operators_in.entry(number).or_default() += 1;
                    }
                }
                EventKind::Kernel | EventKind::Memory if stream.get(row).is_some() => {
                    kernels.entry(code).or_default().add(lasts);
                    measured.work += 1;
                    measured.unlaunched += u64::from(launch.get(row).is_none());
                    if let Some(number) = iteration.get(row) {
                        *measured.work_in.entry(number).or_default() += 1;
                    }
                    // Work of no duration is not busy but extends the span, as in `temporal_breakdown`.
                    if lasts >= 0 {
                        spans[precedence(kind)].push(Span { start, end: start.saturating_add(lasts) });
                    }
                }
                _ => {}
            }
        }
        // A GPU-only trace has its steps on the streams alone.
        if measured.steps.is_empty() {
            measured.steps = device_steps;
        }
        measured.device = device(spans);
        let named = |totals: Map<Total>| {
            let name = |code: u32| names.cat_to_str(code).unwrap_or_default().to_owned();
            totals.into_iter().map(|(code, total)| (name(code), total)).collect()
        };
        // As analyses see the rank by itself.
        let view = Plan::of("", compat, [trace.info()], false).view(trace)?;
        let (collectives, headlines) = (view.collectives()?, HeadlineSums::of(&view)?);
        let ranks = [(measured.rank, measured)].into();
        Ok(Self { ranks, operators: named(operators), kernels: named(kernels), collectives, headlines })
    }
}

fn device(spans: [Vec<Span>; 4]) -> Option<DeviceTime> {
    let kinds = spans.map(merged);
    let all = || kinds.iter().flatten();
    let first = all().map(|span| span.start).min()?;
    let last = all().map(|span| span.end).max()?;
    let times = exclusive_times(&kinds);
    let [computation_ns, communication_ns, memory_ns, other_ns] = times;
    let (span_ns, busy_ns) = (last.saturating_sub(first), total(times));
    let idle_ns = span_ns.saturating_sub(busy_ns);
    Some(DeviceTime { span_ns, busy_ns, idle_ns, computation_ns, communication_ns, memory_ns, other_ns })
}

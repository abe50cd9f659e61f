//! What one pass over the rows of a rank finds out.

use super::description::DeviceTime;
use crate::domain::{KernelType, is_device_work};
use crate::exec::checkpoint::cancellable;
use crate::frame::columns::*;
use crate::frame::{IntColumn, StepName};
use crate::interval::{Span, merged, overlaps};
use crate::stats::total;
use crate::{Compat, Result, Trace};
use hashbrown::HashMap;
use polars::prelude::Categorical32Type;
use std::collections::BTreeMap;

/// One rank, measured.
pub(super) struct Measured {
    pub(super) rank: i64,
    pub(super) device: Option<DeviceTime>,
    /// By code of the name.
    pub(super) operators: Vec<(u32, Total)>,
    pub(super) kernels: Vec<(u32, Total)>,
    /// Start and end of every ProfilerStep on the CPU, by number.
    pub(super) steps: BTreeMap<i64, (i64, i64)>,
    /// Kernels, copies and fills, by the iteration of their launch.
    pub(super) work_in: BTreeMap<i64, u64>,
    /// CPU operators, by iteration.
    pub(super) operators_in: BTreeMap<i64, u64>,
    /// Kernels, copies and fills.
    pub(super) work: u64,
    /// Those of them whose launch is not in the trace.
    pub(super) unlaunched: u64,
    /// Events that end before they start.
    pub(super) negative: u64,
}

/// Events of one name.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
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

/// What a category says of an event.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Operator,
    Work,
    /// An annotation of the CPU, as the GPU saw it.
    Echo,
    Elsewhere,
}

impl Place {
    fn of(cat: &str) -> Self {
        match cat {
            "cpu_op" | "Operator" => Self::Operator,
            "gpu_user_annotation" => Self::Echo,
            cat if is_device_work(cat) => Self::Work,
            _ => Self::Elsewhere,
        }
    }
}

/// What a name says: the kernel type, and the number of the step it marks.
#[derive(Clone, Copy)]
struct Named {
    kind: KernelType,
    step: Option<i64>,
}

/// Types of kernels in the order in which a moment counts to them.
const KINDS: [KernelType; 4] =
    [KernelType::Computation, KernelType::Communication, KernelType::Memory, KernelType::Other];

type Map<V> = HashMap<u32, V, foldhash::fast::FixedState>;

impl Measured {
    pub(super) fn of(trace: &Trace, compat: Compat) -> Result<Self> {
        let int = |name: &str| IntColumn::of(&trace.events, name);
        let (ts, dur, stream) = (int(TS)?, int(DUR)?, int(STREAM)?);
        let (launch, iteration) = (int(INDEX_CORRELATION)?, int(ITERATION)?);
        let codes = |name: &str| -> Result<_> {
            let series = trace.events.column(name)?.as_materialized_series().rechunk();
            Ok(series.cat::<Categorical32Type>()?.clone())
        };
        let (name, cat) = (codes(NAME)?, codes(CAT)?);
        let (names, cats) = (name.get_mapping(), cat.get_mapping());
        let (name, cat) = (name.physical(), cat.physical());
        let mut places: Map<Place> = HashMap::default();
        let mut known: Map<Named> = HashMap::default();
        let (mut operators, mut kernels): (Map<Total>, Map<Total>) = Default::default();
        let mut spans: [Vec<Span>; 4] = Default::default();
        let mut measured = Self {
            rank: trace.rank(),
            device: None,
            operators: Vec::new(),
            kernels: Vec::new(),
            steps: BTreeMap::new(),
            work_in: BTreeMap::new(),
            operators_in: BTreeMap::new(),
            work: 0,
            unlaunched: 0,
            negative: 0,
        };
        let mut echoes: BTreeMap<i64, (i64, i64)> = BTreeMap::new();
        for row in cancellable(0..trace.events.height()) {
            let (Some(start), Some(lasts)) = (ts.get(row), dur.get(row)) else { continue };
            measured.negative += u64::from(lasts < 0);
            let lasts = compat.counted(lasts);
            let code = cat.get(row).unwrap_or_default();
            let place = *places.entry(code).or_insert_with(|| Place::of(cats.cat_to_str(code).unwrap_or_default()));
            let Some(code) = name.get(row) else { continue };
            let said = *known.entry(code).or_insert_with(|| {
                let name = names.cat_to_str(code).unwrap_or_default();
                let step = if let StepName::Number(number) = StepName::of(name) { Some(number) } else { None };
                Named { kind: KernelType::of(name), step }
            });
            if let Some(number) = said.step {
                let steps = if place == Place::Echo { &mut echoes } else { &mut measured.steps };
                let end = start.saturating_add(lasts);
                let span = steps.entry(number).or_insert((start, end));
                *span = (span.0.min(start), span.1.max(end));
            }
            match place {
                Place::Operator => {
                    operators.entry(code).or_default().add(lasts);
                    if let Some(number) = iteration.get(row) {
                        *measured.operators_in.entry(number).or_default() += 1;
                    }
                }
                Place::Work if stream.get(row).is_some() => {
                    kernels.entry(code).or_default().add(lasts);
                    measured.work += 1;
                    measured.unlaunched += u64::from(launch.get(row).is_none());
                    if let Some(number) = iteration.get(row) {
                        *measured.work_in.entry(number).or_default() += 1;
                    }
                    // What has no length is not busy, but belongs to the span, as in `temporal_breakdown`.
                    if lasts >= 0 {
                        let kind = KINDS.iter().position(|kind| *kind == said.kind).unwrap_or(KINDS.len() - 1);
                        spans[kind].push(Span { start, end: start.saturating_add(lasts) });
                    }
                }
                _ => {}
            }
        }
        // A trace of the GPU alone knows its steps only from there.
        if measured.steps.is_empty() {
            measured.steps = echoes;
        }
        measured.device = device(spans);
        (measured.operators, measured.kernels) = (by_code(operators), by_code(kernels));
        Ok(measured)
    }
}

fn by_code(totals: Map<Total>) -> Vec<(u32, Total)> {
    let mut totals: Vec<(u32, Total)> = totals.into_iter().collect();
    totals.sort_unstable_by_key(|(code, _)| *code);
    totals
}

fn device(spans: [Vec<Span>; 4]) -> Option<DeviceTime> {
    let kinds = spans.map(merged);
    let all = || kinds.iter().flatten();
    let first = all().map(|span| span.start).min()?;
    let last = all().map(|span| span.end).max()?;
    let mut times = [0; 4];
    for (running, time) in overlaps(&kinds, 1) {
        // The lowest bit is the first of the kinds that run.
        let of_kind: &mut i64 = &mut times[running.trailing_zeros() as usize];
        *of_kind = of_kind.saturating_add(time);
    }
    let [computation_ns, communication_ns, memory_ns, other_ns] = times;
    let (span_ns, busy_ns) = (last.saturating_sub(first), total(times));
    let idle_ns = span_ns.saturating_sub(busy_ns);
    Some(DeviceTime { span_ns, busy_ns, idle_ns, computation_ns, communication_ns, memory_ns, other_ns })
}

//! The lanes of a rank: threads, streams, annotations and counters.

use super::lane::{Content, Key, LaneKind, RankLane};
use super::lane_labels::arrange;
use crate::counter::{memory_bandwidth, queue_lengths};
use crate::domain::EventKind;
use crate::exec::checkpoint::{Inherited, cancellable, guarded};
use crate::exec::memory::{Budget, Task};
use crate::filter::{Filter, TraceFilter, Where};
use crate::frame::columns::*;
use crate::frame::{IntColumn, READ_COLUMNS, RankEvents, StepName};
use crate::{Compat, Result, Trace};
use call_tree::nesting::{Call, Closing, Step, nest, sort};
use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashSet};
use polars::prelude::{BooleanChunked, CategoricalMapping, DataFrame, PlSmallStr};
use rayon::prelude::*;
use std::sync::Arc;
use timeline::{Lane, Point, Series, Span, side_by_side};

/// The events that are shown.
pub(super) struct ShownEvents {
    /// The condition, and the moment to which it is relative.
    key: String,
    passes: TraceFilter,
}

impl ShownEvents {
    /// Prepares a condition for the ranks of a trace that begins at `origin`.
    ///
    /// # Errors
    /// If it does not fit the events.
    pub(super) fn of(condition: &Where, traces: &[Trace], origin: i64) -> Result<Self> {
        let passes = Filter::from(condition).of(traces)?;
        Ok(Self { key: format!("lanes from {origin} where {condition}"), passes })
    }
}

/// The lanes of a rank, from above.
pub(super) struct RankLanes {
    pub(super) lanes: Vec<RankLane>,
    /// Whether steps are operators by their category, as Kineto wrote them in 2021.
    pub(super) steps_are_operators: bool,
    /// How many threads are helpers.
    pub(super) helpers: usize,
    pub(super) texts: Arc<CategoricalMapping>,
}

/// What needs memory for lanes, in the message that refuses it.
pub(super) const TASK: Task<'static> = Task::Lanes("timeline");

/// Memory for each event of a rank while its lanes are built, in bytes: its place, its nesting, the lanes themselves, and the queues.
const BYTES_PER_EVENT: usize = 160;

/// Memory for each lane of a rank while they are built, in bytes, besides that for its events: the lane itself, its label, its place in
/// their order, its thread.
const BYTES_PER_LANE: usize = 440;

/// The columns of the events that lanes are built from.
fn columns() -> Vec<PlSmallStr> {
    READ_COLUMNS.into_iter().chain([MEMORY_BANDWIDTH]).map(PlSmallStr::from_static).collect()
}

impl RankLanes {
    /// Returns the lanes of those events of a rank that pass a filter, of all events without one. Timelines of one rank share them.
    ///
    /// # Errors
    /// If there are so many lanes that they do not fit the budget; if the events cannot be read any more; [`Error::Interrupted`](crate::Error::Interrupted).
    pub(super) fn of(trace: &Trace, compat: Compat, filter: Option<&ShownEvents>, budget: Budget) -> Result<Arc<Self>> {
        let key = filter.map_or("lanes", |filter| &filter.key);
        trace.derived(key, Self::bytes, || {
            let passes = filter.map(|filter| filter.passes.mask(trace)).transpose()?;
            Self::build(trace, compat, passes.as_ref(), budget)
        })
    }

    /// Returns an estimate of the memory that building the lanes of a rank takes, in bytes.
    pub(super) fn bytes_needed(trace: &Trace) -> usize {
        trace.bytes_needed_of(&columns(), BYTES_PER_EVENT)
    }

    fn build(trace: &Trace, compat: Compat, passes: Option<&BooleanChunked>, budget: Budget) -> Result<Self> {
        let events = trace.frame_of(&columns())?;
        guarded(|| {
            let rows: Vec<u32> = match passes {
                Some(passes) => {
                    (0..).zip(passes.iter()).filter(|(_, pass)| *pass == Some(true)).map(|(row, _)| row).collect()
                }
                None => (0..events.height() as u32).collect(),
            };
            let texts = trace.rank_events(&events, Compat::Exact)?;
            let here = Inherited::here();
            let (lanes, counters) = rayon::join(
                || here.run(|| event_lanes(&events, &texts, &rows, budget)),
                || here.run(|| counters(&events, &rows, compat)),
            );
            let mut lanes = lanes?;
            lanes.extend(counters?);
            arrange(&mut lanes, &texts, &trace.info().track_names);
            let helpers = lanes.iter().filter(|lane| lane.is_helper && lane.key.kind == LaneKind::Thread).count();
            let is_old = |row: u32| EventKind::of_category(texts.text(texts.cat(row as usize))) == EventKind::Operator;
            let steps_are_operators = first_step(&lanes, &texts).is_some_and(is_old);
            Ok(Self { lanes, steps_are_operators, helpers, texts: texts.mapping() })
        })
    }

    /// Returns the name of a code.
    pub(super) fn text(&self, name: u32) -> &str {
        self.texts.cat_to_str(name).unwrap_or_default()
    }

    /// Returns the lane of an event.
    pub(super) fn lane_of(&self, rows: &RankEvents, row: usize) -> Option<usize> {
        let key = key(rows, row);
        self.lanes.iter().position(|lane| lane.key == key)
    }

    /// Memory, in bytes.
    pub(super) fn bytes(&self) -> usize {
        let bytes = |lane: &RankLane| match &lane.content {
            Content::Events(lane) => lane.bytes(),
            Content::Counter(series, _) => series.bytes(),
        };
        let own = |lane: &RankLane| size_of::<RankLane>() + lane.label.capacity() + bytes(lane);
        self.lanes.iter().map(own).sum()
    }
}

/// Returns the row of a step of the profiler, if there is one.
fn first_step(lanes: &[RankLane], rows: &RankEvents) -> Option<u32> {
    let mut is_step = rows.per_text(StepName::is_step);
    let annotations = lanes.iter().filter(|lane| lane.key.kind == LaneKind::Annotation);
    let events = annotations.filter_map(|lane| match &lane.content {
        Content::Events(events) => Some(events),
        Content::Counter(..) => None,
    });
    events.flat_map(Lane::spans).find(|(_, span)| is_step(span.name)).map(|(_, span)| span.event)
}

fn key(rows: &RankEvents, row: usize) -> Key {
    let event = rows.kind(row);
    let on_device = rows.is_on_device(row);
    let (pid, tid) = if on_device { rows.device_and_stream(row) } else { rows.thread(row) };
    let kind = match event {
        EventKind::Annotation => LaneKind::Annotation,
        EventKind::DeviceAnnotation => LaneKind::GpuAnnotation,
        _ if on_device => LaneKind::Stream,
        _ => LaneKind::Thread,
    };
    Key { pid, tid, kind, is_sync: event == EventKind::Sync }
}

/// Groups events by lane and stacks them; events without a start have no place.
///
/// # Errors
/// If there are so many lanes that they do not fit the budget.
fn event_lanes(events: &DataFrame, rows: &RankEvents, seen: &[u32], budget: Budget) -> Result<Vec<RankLane>> {
    let dur = IntColumn::of(events, DUR)?;
    let kinds = rows.kinds();
    let mut indices: HashMap<Key, usize, FixedState> = HashMap::default();
    let mut groups: Vec<(Key, Vec<u32>)> = Vec::new();
    // For each group: whether it has an event that is no Python function.
    let mut works: Vec<bool> = Vec::new();
    let mut last = usize::MAX;
    for &row in cancellable(seen) {
        if rows.ts(row as usize).is_none() {
            continue;
        }
        let kind = kinds[row as usize];
        let key = key(rows, row as usize);
        if groups.get(last).is_none_or(|group| group.0 != key) {
            last = *indices.entry(key).or_insert(groups.len());
            if last == groups.len() {
                groups.push((key, Vec::new()));
                works.push(false);
            }
        }
        groups[last].1.push(row);
        works[last] |= kind != EventKind::Python;
    }
    drop(indices);
    // A rank may have as many lanes as events, each larger than its events.
    budget.check(TASK, groups.len().saturating_mul(BYTES_PER_LANE))?;
    // Threads with such an event; annotations of a thread are a group of their own.
    let working: HashSet<(Option<i64>, Option<i64>), FixedState> = groups
        .iter()
        .zip(works)
        .filter(|((key, _), works)| *works && key.kind.nests())
        .map(|((key, _), _)| (key.pid, key.tid))
        .collect();
    let span = |row: u32| {
        let at = row as usize;
        Span { start: rows.ts(at).unwrap_or(0), dur: dur.get(at).unwrap_or(0), name: rows.name(at), event: row }
    };
    let lane = |(key, rows): (Key, Vec<u32>)| {
        let lane = if key.kind.nests() {
            let mut calls: Vec<Call> = cancellable(rows)
                .map(span)
                .map(|span| Call { start: span.start, end: span.end(), row: span.event })
                .collect();
            sort(&mut calls);
            let (mut spans, mut levels, mut open) =
                (Vec::with_capacity(calls.len()), Vec::with_capacity(calls.len()), 0);
            nest(&calls, Closing::OwnEnd, |step| match step {
                Step::Begins(call, _) => {
                    spans.push(span(call.row));
                    levels.push(open);
                    open += 1;
                }
                Step::Ends(..) => open -= 1,
            });
            Lane::new(&spans, &levels)
        } else {
            let mut spans: Vec<Span> = cancellable(rows).map(span).collect();
            let levels = side_by_side(&mut spans);
            Lane::new(&spans, &levels)
        };
        let is_helper = key.kind.nests() && !working.is_empty() && !working.contains(&(key.pid, key.tid));
        RankLane { key, label: String::new(), is_helper, content: Content::Events(lane) }
    };
    let here = Inherited::here();
    Ok(groups.into_par_iter().map(|group| here.run(|| lane(group))).collect())
}

/// Queue lengths and bandwidths as lanes.
fn counters(events: &DataFrame, rows: &[u32], compat: Compat) -> Result<Vec<RankLane>> {
    let mut lanes = Vec::new();
    let lane = |pid, tid, label, points: Vec<Point>, unit| RankLane {
        key: Key { pid, tid, kind: LaneKind::Counter, is_sync: false },
        label,
        is_helper: false,
        content: Content::Counter(Series::new(points), unit),
    };
    for (stream, points) in queue_lengths(events, rows, compat)?.streams {
        let pid = points.first().and_then(|point| point.pid);
        let points = points.iter().map(|point| Point { time: point.ts, value: point.length as f64 }).collect();
        lanes.push(lane(pid, Some(stream), format!("queue of stream {stream}"), points, ""));
    }
    for (kind, points) in memory_bandwidth(events, rows, compat)? {
        let points = points.iter().map(|point| Point { time: point.ts, value: point.gbps }).collect();
        lanes.push(lane(None, None, format!("bandwidth of {kind}"), points, "GB/s"));
    }
    Ok(lanes)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::{Error, TraceSet};
    use trace_testkit::TraceBuilder;

    #[test]
    fn lanes_are_refused_by_their_number_before_they_are_built() {
        let trace = (0..50).fold(TraceBuilder::new(), |trace, number| trace.thread(number).operator("a", 0..1));
        let trace = TraceSet::from_bytes(trace.json()).unwrap();
        let build = |budget| RankLanes::build(&trace.traces()[0], Compat::Exact, None, budget);
        let threads = |lanes: &RankLanes| lanes.lanes.iter().filter(|lane| lane.key.kind.nests()).count();
        assert_eq!(build(Budget::of(u64::MAX)).map(|lanes| threads(&lanes)).unwrap(), 50);
        let need = 50 * BYTES_PER_LANE as u64;
        assert!(matches!(build(Budget::of(1)), Err(Error::MemoryBudget { need: found, .. }) if found == need));
    }
}

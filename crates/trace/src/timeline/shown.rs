//! A timeline: the lanes of the shown ranks of one or two traces on one axis of time.

use super::change::Changes;
use super::forward::ForwardOperators;
use super::lane_groups::ordered;
use super::listed::listed;
use super::query::TimelineQuery;
use super::query_side::QuerySide;
use super::rank_lanes::{Content, LaneKind, RankLane, RankLanes, ShownEvents, TASK};
use crate::exec::batches::Batches;
use crate::exec::checkpoint::{cancellable, guarded};
use crate::filter::Where;
use crate::frame::IntColumn;
use crate::frame::columns::{DUR, ITERATION, TS};
use crate::{RankInfo, Result, Trace, TraceSet};
use std::sync::{Arc, OnceLock};
use timeline::Lane;

/// The lanes of the shown ranks of one or two traces. Times are ns; those of a front end are relative to the base of their side.
pub struct Timeline {
    pub(super) sides: Vec<TimelineSide>,
    pub(super) lanes: Vec<Placed>,
    /// The lanes that an output lists, ascending.
    pub(super) listed: Vec<usize>,
    /// All events, relative to the bases.
    pub(super) extent: (i64, i64),
    /// What is shown at first, relative to the bases.
    pub(super) shown: (i64, i64),
    pub(super) filter: Option<Where>,
    /// Sentences behind the summary.
    pub(super) remarks: Vec<String>,
    pub(super) changes: Option<Arc<Changes>>,
}

/// One trace of a timeline.
pub(super) struct TimelineSide {
    pub(super) label: String,
    /// The moment that is 0 for a front end.
    pub(super) base: i64,
    /// The moment that is 0 in filters.
    pub(super) origin: i64,
    pub(super) ranks: Vec<ShownRank>,
    pub(super) has_more_ranks: bool,
    pub(super) iterations: Option<Vec<i64>>,
    /// Moments of the shown iterations.
    window: (i64, i64),
    /// Number of shown iterations, at least 1.
    pub(super) steps: usize,
}

/// A rank of a timeline.
pub(super) struct ShownRank {
    pub(super) info: Arc<RankInfo>,
    /// Its events; `None` while they are released.
    pub(super) trace: Option<Trace>,
    pub(super) lanes: Arc<RankLanes>,
    /// Forward operators, once they are asked for.
    forward: OnceLock<Arc<ForwardOperators>>,
}

impl ShownRank {
    /// Returns the forward operators of the rank, where no column has them.
    ///
    /// # Errors
    /// [`Error::Interrupted`](crate::Error::Interrupted).
    pub(super) fn forward(&self) -> Result<Arc<ForwardOperators>> {
        if let (None, Some(trace)) = (self.forward.get(), &self.trace) {
            let found = ForwardOperators::of(trace)?;
            return Ok(Arc::clone(self.forward.get_or_init(|| found)));
        }
        Ok(self.forward.get().cloned().unwrap_or_default())
    }
}

/// A lane of a timeline: where it is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Placed {
    pub(super) side: usize,
    pub(super) rank: usize,
    pub(super) lane: usize,
}

impl std::fmt::Debug for Timeline {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Timeline({})", self.summary())
    }
}

impl Timeline {
    pub(super) fn build(query: &TimelineQuery) -> Result<Self> {
        guarded(|| {
            let asked = query.sides.each();
            let is_compared = asked.len() > 1;
            let side = |side| TimelineSide::build(side, query.filter.as_ref(), is_compared);
            let sides = asked.iter().map(side).collect::<Result<Vec<_>>>()?;
            let lanes = ordered(&sides);
            let (filter, remarks) = (query.filter.clone(), query.remarks.clone());
            let listed = listed(&lanes, &sides);
            let mut timeline =
                Self { sides, lanes, listed, extent: (0, 1), shown: (0, 1), filter, remarks, changes: None };
            timeline.extent = timeline.whole();
            timeline.shown = timeline.first_window();
            if is_compared {
                timeline.changes = Changes::of(&timeline, query)?;
            }
            Ok(timeline)
        })
    }

    /// Number of events in all lanes.
    pub fn event_count(&self) -> usize {
        self.lanes.iter().filter_map(|&placed| self.events(placed)).map(Lane::len).sum()
    }

    /// Returns the kind and the label of each lane, from above.
    pub fn lanes(&self) -> impl Iterator<Item = (LaneKind, &str)> {
        self.lanes.iter().map(|&placed| {
            let lane = self.lane(placed);
            (lane.key.kind, lane.label.as_str())
        })
    }

    /// Returns the memory of the lanes, in bytes. Timelines of one rank share them.
    pub fn memory_bytes(&self) -> usize {
        self.sides.iter().flat_map(|side| &side.ranks).map(|rank| rank.lanes.bytes()).sum()
    }

    /// Releases the events, which may move to a file while nothing is asked: only the lanes stay in memory.
    pub fn release_events(&mut self) {
        self.sides.iter_mut().flat_map(|side| &mut side.ranks).for_each(|rank| rank.trace = None);
    }

    /// Takes the events again, wherever they are now; `trace` finds loaded traces by label. Those of a trace that is not there stay away.
    pub fn take_events(&mut self, trace: impl Fn(&str) -> Option<TraceSet>) {
        for side in &mut self.sides {
            let found = trace(&side.label);
            let of_rank = |rank: i64| found.as_ref()?.traces().iter().find(|trace| trace.rank() == rank).cloned();
            side.ranks.iter_mut().for_each(|rank| rank.trace = of_rank(rank.info.rank));
        }
    }

    pub(super) fn rank(&self, placed: Placed) -> &ShownRank {
        &self.sides[placed.side].ranks[placed.rank]
    }

    pub(super) fn lane(&self, placed: Placed) -> &RankLane {
        &self.rank(placed).lanes.lanes[placed.lane]
    }

    /// The events of a lane; `None` for a counter.
    pub(super) fn events(&self, placed: Placed) -> Option<&Lane> {
        match &self.lane(placed).content {
            Content::Events(lane) => Some(lane),
            Content::Counter(..) => None,
        }
    }

    /// From the start of the first event to the end of the last one.
    fn whole(&self) -> (i64, i64) {
        let extents = self.lanes.iter().filter_map(|&placed| {
            let (start, end) = self.events(placed)?.extent()?;
            let base = self.sides[placed.side].base;
            Some((start.saturating_sub(base), end.saturating_sub(base)))
        });
        let whole = extents.reduce(|one, other| (one.0.min(other.0), one.1.max(other.1)));
        whole.map_or((0, 1), |(start, end)| (start, end.max(start.saturating_add(1))))
    }

    /// The shown iterations of all sides, inside all events.
    fn first_window(&self) -> (i64, i64) {
        let windows = self.sides.iter().filter(|side| side.iterations.is_some()).map(|side| {
            let (start, end) = side.window;
            (start.saturating_sub(side.base), end.saturating_sub(side.base))
        });
        let window = windows.reduce(|one, other| (one.0.min(other.0), one.1.max(other.1)));
        let (start, end) = window.unwrap_or(self.extent);
        let (first, last) = self.extent;
        let start = start.clamp(first, last.saturating_sub(1));
        (start, end.clamp(start.saturating_add(1), last.max(start.saturating_add(1))))
    }
}

impl TimelineSide {
    fn build(query: &QuerySide, filter: Option<&Where>, is_compared: bool) -> Result<Self> {
        let set = query.trace.trace();
        let label = query.trace.label().to_owned();
        let origin = set.origin();
        let filter = filter.map(|filter| ShownEvents::of(filter, set.traces(), origin)).transpose()?;
        let budget = set.budget()?;
        let batches = Batches::within(budget, TASK);
        let ranks = batches.each(&query.traces()?, RankLanes::bytes_needed, |trace| {
            let lanes = RankLanes::of(trace, set.compat(), filter.as_ref(), budget)?;
            Ok(ShownRank { info: trace.shared_info(), trace: Some(trace.clone()), lanes, forward: OnceLock::new() })
        })?;
        let iterations = query.iterations_of(available(&ranks))?;
        let first = || ranks.iter().map(|rank| rank.info.first_ts).min().unwrap_or(0);
        let window = match &iterations {
            Some(iterations) => window_of(&ranks, |iteration| iterations.contains(&iteration))?,
            // Aligned at the first step that is recorded, if there is one.
            None if is_compared => window_of(&ranks, |_| true)?,
            None => None,
        };
        let base = if is_compared { window.map_or_else(first, |window| window.0) } else { first() };
        let recorded = ranks.iter().map(|rank| rank.info.iterations.len()).max().unwrap_or(0);
        Ok(Self {
            label,
            base,
            origin,
            has_more_ranks: set.traces().len() > ranks.len(),
            steps: iterations.as_ref().map_or(recorded, Vec::len).max(1),
            window: window.unwrap_or((base, base.saturating_add(1))),
            iterations,
            ranks,
        })
    }
}

/// The iterations of ranks, ascending.
fn available(ranks: &[ShownRank]) -> Vec<i64> {
    let mut available: Vec<i64> = ranks.iter().flat_map(|rank| rank.info.iterations.iter().copied()).collect();
    available.sort_unstable();
    available.dedup();
    available
}

/// Returns from when to when events of some iterations run, on the CPU and the GPU.
fn window_of(ranks: &[ShownRank], is_shown: impl Fn(i64) -> bool) -> Result<Option<(i64, i64)>> {
    let mut window: Option<(i64, i64)> = None;
    for trace in ranks.iter().filter_map(|rank| rank.trace.as_ref()) {
        let events = trace.frame_of(&[TS.into(), DUR.into(), ITERATION.into()])?;
        let [ts, dur, iteration] = [TS, DUR, ITERATION].map(|name| IntColumn::of(&events, name));
        let (ts, dur, iteration) = (ts?, dur?, iteration?);
        for row in cancellable(0..events.height()) {
            let Some(start) = iteration.get(row).filter(|&iteration| is_shown(iteration)).and(ts.get(row)) else {
                continue;
            };
            let end = start.saturating_add(dur.get(row).unwrap_or(0).max(0));
            let (first, last) = window.unwrap_or((start, end));
            window = Some((first.min(start), last.max(end)));
        }
    }
    Ok(window)
}

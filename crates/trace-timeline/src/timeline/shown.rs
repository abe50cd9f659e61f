//! A timeline: the lanes of the shown ranks of one or two traces on one axis of time.

use super::change::Changes;
use super::forward::ForwardOperators;
use super::lane::{Content, LaneKind, LaneLocation, RankLane};
use super::lender::Lender;
use super::rank_lanes::RankLanes;
use crate::companion::KernelOperators;
use crate::filter::Where;
use crate::{Compat, RankInfo, Result, Trace, TraceSet};
use std::sync::{Arc, OnceLock};
use timeline::Lane;

/// The lanes of the shown ranks of one or two traces. Times are ns; those of a front end are relative to the base of their side.
pub struct Timeline {
    pub(super) sides: Vec<TimelineSide>,
    pub(super) lanes: Vec<LaneLocation>,
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
    pub(super) lenders: Vec<Lender>,
}

/// One trace of a timeline.
pub(super) struct TimelineSide {
    pub(super) label: String,
    pub(super) compat: Compat,
    /// The moment that is 0 for a front end.
    pub(super) base: i64,
    /// The moment that is 0 in filters.
    pub(super) origin: i64,
    pub(super) ranks: Vec<ShownRank>,
    pub(super) has_more_ranks: bool,
    pub(super) iterations: Option<Vec<i64>>,
    /// Moments of the shown iterations.
    pub(super) window: (i64, i64),
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
    pub(super) forward: OnceLock<Arc<ForwardOperators>>,
    /// Operators above its kernels, once they are asked for.
    pub(super) operators: OnceLock<Arc<KernelOperators>>,
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

impl std::fmt::Debug for Timeline {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Timeline({})", self.summary())
    }
}

impl Timeline {
    /// Number of events in all lanes.
    pub fn event_count(&self) -> usize {
        self.lanes.iter().filter_map(|&location| self.events(location)).map(Lane::len).sum()
    }

    /// Returns the kind and the label of each lane, from above.
    pub fn lanes(&self) -> impl Iterator<Item = (LaneKind, &str)> {
        self.lanes.iter().map(|&location| {
            let lane = self.lane(location);
            (lane.key.kind, lane.label.as_str())
        })
    }

    /// Returns the memory of the lanes, in bytes. Timelines of one rank share them.
    pub fn memory_bytes(&self) -> usize {
        let bytes = |rank: &ShownRank| rank.lanes.bytes() + rank.operators.get().map_or(0, |found| found.bytes());
        self.sides.iter().flat_map(|side| &side.ranks).map(bytes).sum()
    }

    /// Releases the events, which may move to a file while nothing is asked: only the lanes stay in memory.
    pub fn release_events(&mut self) {
        self.sides.iter_mut().flat_map(|side| &mut side.ranks).for_each(|rank| rank.trace = None);
        self.lenders.iter_mut().for_each(Lender::release);
    }

    /// Takes the events again, wherever they are now; `trace` finds loaded traces by label. Those of a trace that is not there stay away.
    pub fn take_events(&mut self, trace: impl Fn(&str) -> Option<TraceSet>) {
        for side in &mut self.sides {
            let found = trace(&side.label);
            let of_rank = |rank: i64| found.as_ref()?.traces().iter().find(|trace| trace.rank() == rank).cloned();
            side.ranks.iter_mut().for_each(|rank| rank.trace = of_rank(rank.info.rank));
        }
        self.lenders.iter_mut().for_each(|lender| lender.take(&trace));
    }

    pub(super) fn rank(&self, location: LaneLocation) -> &ShownRank {
        &self.sides[location.side].ranks[location.rank]
    }

    pub(super) fn lane(&self, location: LaneLocation) -> &RankLane {
        &self.rank(location).lanes.lanes[location.lane]
    }

    /// The events of a lane; `None` for a counter.
    pub(super) fn events(&self, location: LaneLocation) -> Option<&Lane> {
        match &self.lane(location).content {
            Content::Events(lane) => Some(lane),
            Content::Counter(..) => None,
        }
    }
}

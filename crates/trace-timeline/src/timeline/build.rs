//! Building a timeline: the lanes of the shown ranks, their order, and what is shown at first.

use super::change::Changes;
use super::lane_groups::ordered;
use super::lender::Lender;
use super::listed::listed;
use super::query::TimelineQuery;
use super::query_side::QuerySide;
use super::rank_lanes::{RankLanes, ShownEvents, TASK};
use super::shown::{ShownRank, Timeline, TimelineSide};
use crate::error::ParameterReason;
use crate::exec::batches::Batches;
use crate::exec::checkpoint::{cancellable, guarded};
use crate::filter::{Filter, Where};
use crate::frame::IntColumn;
use crate::frame::columns::{DUR, ITERATION, TS};
use crate::{Error, Result, SelectSetting};
use std::sync::OnceLock;

impl TimelineQuery {
    /// Builds the timeline. Timelines of one rank and filter share their lanes; those that were used last are kept until memory is wanted
    /// ([`TraceSet::give_back`](crate::TraceSet::give_back)).
    ///
    /// # Errors
    /// If there is no such rank or iteration, if the filter does not fit the events, if the lanes do not fit the memory budget, or if the
    /// events cannot be read any more;
    /// [`Error::Interrupted`](crate::Error::Interrupted).
    pub fn run(&self) -> Result<Timeline> {
        Timeline::build(self)
    }
}

impl Timeline {
    fn build(query: &TimelineQuery) -> Result<Self> {
        guarded(|| {
            let select = &query.sides.select;
            select.without(
                "timeline",
                &[SelectSetting::Marker, SelectSetting::DeviceType, SelectSetting::Warmup, SelectSetting::Phase],
            )?;
            let filter = select.events_filter().map(condition).transpose()?.cloned();
            let is_compared = query.sides.traces.len() > 1;
            let side = |side| TimelineSide::build(side, filter.as_ref(), is_compared);
            let sides = query.sides.each().map(side).collect::<Result<Vec<_>>>()?;
            let lanes = ordered(&sides);
            let remarks = query.remarks.clone();
            let listed = listed(&lanes, &sides);
            let lenders = query.companions.iter().map(Lender::of).collect();
            let (extent, shown, changes) = ((0, 1), (0, 1), None);
            let mut timeline = Self { sides, lanes, listed, extent, shown, filter, remarks, changes, lenders };
            timeline.extent = timeline.whole();
            timeline.shown = timeline.first_window();
            if is_compared {
                timeline.changes = Changes::of(&timeline, query)?;
            }
            Ok(timeline)
        })
    }

    /// From the start of the first event to the end of the last one.
    fn whole(&self) -> (i64, i64) {
        let extents = self.lanes.iter().filter_map(|&location| {
            let (start, end) = self.events(location)?.extent()?;
            let base = self.sides[location.side].base;
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

/// Returns the text of a filter, which is sent to a front end and back.
fn condition(filter: &Filter) -> Result<&Where> {
    let reason = || ParameterReason::Invalid {
        name: "filter",
        value: "a polars expression".to_owned(),
        expected: "a condition such as \"dur > 100us\".parse::<Where>()?".to_owned(),
    };
    filter.condition().ok_or_else(|| Error::WrongParameter { analysis: "timeline", reason: reason() })
}

impl TimelineSide {
    fn build(query: QuerySide<'_>, filter: Option<&Where>, is_compared: bool) -> Result<Self> {
        let set = query.trace.trace();
        let label = query.trace.label().to_owned();
        let origin = set.origin();
        let filter = filter.map(|filter| ShownEvents::of(filter, set.traces(), origin)).transpose()?;
        let budget = set.budget()?;
        let batches = Batches::within(budget, TASK);
        let ranks = batches.each(&query.traces()?, RankLanes::bytes_needed, |trace| {
            let lanes = RankLanes::of(trace, set.compat(), filter.as_ref(), budget)?;
            let (forward, operators) = (OnceLock::new(), OnceLock::new());
            Ok(ShownRank { info: trace.shared_info(), trace: Some(trace.clone()), lanes, forward, operators })
        })?;
        let iterations = query.iterations()?;
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
            compat: set.compat(),
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

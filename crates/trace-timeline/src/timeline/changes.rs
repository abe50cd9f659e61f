//! Comparison of the shown steps of two timelines, by region of their explanation and by name.

use super::change::{Change, Changes, notable};
use super::query::TimelineQuery;
use super::shown::{Timeline, TimelineSide};
use crate::exec::checkpoint::cancellable;
use crate::{Error, Explain, Result, SelectEvents};
use call_tree::{Grade, RegionChange};
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use std::fmt::Write;
use std::sync::Arc;

/// The most events of both sides that are explained; of more only names are compared.
const MOST_EXPLAINED: usize = 600_000;

impl Changes {
    /// Returns what changed between the shown steps. Timelines of one pair share it; the last one is kept with control's first rank.
    ///
    /// # Errors
    /// [`Error::Interrupted`].
    pub(super) fn of(timeline: &Timeline, query: &TimelineQuery) -> Result<Option<Arc<Self>>> {
        let Some(rank) = timeline.sides.first().and_then(|side| side.ranks.first()) else { return Ok(None) };
        let Some(trace) = &rank.trace else { return Ok(None) };
        trace.derived(&key(timeline), Self::bytes, || Self::compare(timeline, query)).map(Some)
    }

    /// Compares the time of each name in a step of both sides, and explains the difference.
    fn compare(timeline: &Timeline, query: &TimelineQuery) -> Result<Self> {
        let mut times: HashMap<u32, [(u64, i64); 2], FixedState> = HashMap::default();
        let (start, end) = timeline.shown;
        for &location in &timeline.lanes {
            let Some(lane) = timeline.events(location) else { continue };
            let base = timeline.sides[location.side].base;
            for (_, span) in cancellable(lane.spans()) {
                let at = span.start.saturating_sub(base);
                if at >= start && at < end {
                    let (count, time) = &mut times.entry(span.name).or_default()[location.side.min(1)];
                    *count += 1;
                    *time = time.saturating_add(span.dur.max(0));
                }
            }
        }
        let steps =
            |side: usize| timeline.sides.get(side).map_or(1, |side| side.steps * side.ranks.len().max(1)) as f64;
        let change = |[control, test]: [(u64, i64); 2]| match (control.0, test.0) {
            (0, _) => Change::Added,
            (_, 0) => Change::Deleted,
            _ => notable(control.1 as f64 / steps(0), test.1 as f64 / steps(1)),
        };
        // Every entry is mapped by itself, so the order does not matter.
        #[allow(clippy::iter_over_hash_type)]
        let names = times.into_iter().map(|(name, times)| (name, change(times))).collect();
        let ranks = timeline.sides.iter().flat_map(|side| &side.ranks).map(|rank| Arc::clone(&rank.info)).collect();
        Ok(Self { names, regions: regions(timeline, query)?, _ranks: ranks })
    }
}

/// The name of the changes of two sides: their ranks, iterations and filter. A rank is named by the address of its facts, which no other
/// rank has while the changes exist.
fn key(timeline: &Timeline) -> String {
    let mut key = "changes".to_owned();
    for TimelineSide { ranks, iterations, .. } in &timeline.sides {
        let ranks: Vec<_> = ranks.iter().map(|rank| Arc::as_ptr(&rank.info)).collect();
        let _ = write!(key, " of {ranks:?} in {iterations:?}");
    }
    match &timeline.filter {
        Some(filter) => format!("{key} where {filter}"),
        None => key,
    }
}

/// Explains the difference of the shown ranks and iterations; without an explanation no event has a region.
fn regions(timeline: &Timeline, query: &TimelineQuery) -> Result<[Vec<Vec<Option<Change>>>; 2]> {
    let [control, test] = &query.sides.traces[..] else { return Ok(Default::default()) };
    let ranks = |side: usize| timeline.sides[side].ranks.iter().map(|rank| rank.info.rank).collect::<Vec<_>>();
    let rows = |side: usize| timeline.sides[side].ranks.iter().map(|rank| rank.info.events);
    if rows(0).chain(rows(1)).sum::<usize>() > MOST_EXPLAINED {
        return Ok(Default::default());
    }
    let select = query.sides.select.unfiltered().control_rank(ranks(0)).test_rank(ranks(1));
    let explanation = match Explain::new(control, test).select(select).keep_events().run() {
        Ok(explanation) => explanation,
        Err(Error::Interrupted) => return Err(Error::Interrupted),
        // Such as traces without common steps: names are compared.
        Err(_) => return Ok(Default::default()),
    };
    let mut found = [0, 1].map(|side| rows(side).map(|rows| vec![None; rows]).collect::<Vec<_>>());
    let ranks_shown = [ranks(0), ranks(1)];
    explanation.each_event_in_region(|side, rank, row, region| {
        let index = ranks_shown[side].iter().position(|&shown| shown == rank);
        let events = index.and_then(|index| found[side].get_mut(index));
        if let Some(change) = events.and_then(|events| events.get_mut(row as usize)) {
            *change = Some(of_region(region));
        }
    });
    Ok(found)
}

/// Returns what became of a region: of the time of its events in a step.
fn of_region(region: &RegionChange) -> Change {
    match region.region.grade {
        Grade::Added => Change::Added,
        Grade::Deleted => Change::Deleted,
        _ => notable(region.ns.control.value(), region.ns.test.value()),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::TraceSet;
    use trace_testkit::TraceBuilder;

    fn load(length: i64, label: &str) -> TraceSet {
        let steps = TraceBuilder::new().step(1, 0..100).operator("aten::add", 0..length).step(2, 100..200);
        TraceSet::from_bytes(steps.json()).unwrap().with_label(label)
    }

    #[test]
    fn changes_of_a_pair_are_computed_once() {
        let (control, test) = (load(10, "control"), load(50, "test"));
        let changes = |query: &TimelineQuery| query.run().unwrap().changes.unwrap();
        let query = TimelineQuery::compare(&control, &test);
        let first = changes(&query);
        assert!(Arc::ptr_eq(&first, &changes(&query)));
        let cached = Arc::downgrade(&first);
        drop(first);
        assert!(cached.upgrade().is_some(), "kept without a timeline");
        let first = changes(&query);
        // The same facts and times, but another trace.
        let other = load(50, "test");
        for unlike in [
            TimelineQuery::compare(&test, &control),
            TimelineQuery::compare(&control, &other),
            query.clone().iterations(2),
            query.clone().filter("name == aten::add".parse::<crate::filter::Where>().unwrap()),
        ] {
            assert!(!Arc::ptr_eq(&first, &changes(&unlike)), "{unlike:?}");
        }
        drop(first);
        control.give_back();
        assert!(cached.upgrade().is_none());
        let last = Arc::downgrade(&changes(&query));
        drop((query, control));
        assert!(last.upgrade().is_none(), "released with the trace");
    }
}

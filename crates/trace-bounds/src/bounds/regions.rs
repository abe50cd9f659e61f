//! Time on the critical paths of two runs by region of their explanation.

use crate::callstack::RankGraph;
use crate::domain::EventKind;
use crate::exec::checkpoint;
use crate::frame::RankEvents;
use crate::{Compat, CriticalPathAnswer, Explanation, Result, TraceSet};
use causal::BoundBy;
use foldhash::HashMap;
use std::collections::btree_map::{BTreeMap, Entry};

/// Name of the row of time that belongs to no region.
const OUTSIDE: &str = "outside of regions";

/// Time on the critical path that belongs to one region: its kernels, and the host's work that leads to their launches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegionBound {
    /// Number of the region in the explanation; `None`: outside of all regions.
    pub region: Option<usize>,
    /// Calls from the outermost to the kernel; `outside of regions`.
    pub path: String,
    /// How well both sides agree; empty outside of regions.
    pub grade: &'static str,
    /// Control and test, in ns a step.
    pub ns: [i64; 2],
    /// The class that has most of it on each side; `None` without time.
    pub bound_by: [Option<BoundBy>; 2],
}

/// Adds up the time of the paths by region.
pub(super) fn regions(
    traces: [&TraceSet; 2],
    answers: &[CriticalPathAnswer; 2],
    explanation: &Explanation,
) -> Result<Vec<RegionBound>> {
    let windows = answers.each_ref().map(|answer| answer.windows().len());
    let mut sums: BTreeMap<Option<usize>, [HashMap<BoundBy, i64>; 2]> = BTreeMap::new();
    for (side, answer) in answers.iter().enumerate() {
        let mut located: BTreeMap<i64, LocatedEvents> = BTreeMap::new();
        for part in answer.windows().iter().flat_map(|window| &window.intervals) {
            let region = match part.event {
                None => None,
                Some(event) => {
                    let events = match located.entry(part.rank) {
                        Entry::Occupied(known) => known.into_mut(),
                        Entry::Vacant(slot) => {
                            slot.insert(LocatedEvents::of(traces[side], explanation, side, part.rank)?)
                        }
                    };
                    events.region(event)
                }
            };
            *sums.entry(region).or_default()[side].entry(part.bound_by).or_default() += part.duration();
        }
    }
    let rows = explanation.rows();
    let row = |(region, sums): (Option<usize>, [HashMap<BoundBy, i64>; 2])| {
        let of = region.and_then(|region| rows.iter().find(|row| row.id == region));
        let most = |sums: &HashMap<BoundBy, i64>| {
            sums.iter().max_by(|one, other| one.1.cmp(other.1).then(other.0.cmp(one.0))).map(|(class, _)| *class)
        };
        RegionBound {
            region,
            path: of.map_or_else(|| OUTSIDE.to_owned(), |row| row.path.join(" › ")),
            grade: of.map_or("", |row| row.grade),
            ns: [0, 1].map(|side| sums[side].values().sum::<i64>() / windows[side].max(1) as i64),
            bound_by: [0, 1].map(|side| most(&sums[side])),
        }
    };
    let mut found: Vec<RegionBound> = sums.into_iter().map(row).collect();
    found.sort_by_key(|row| (std::cmp::Reverse((row.ns[1] - row.ns[0]).abs()), row.region));
    Ok(found)
}

/// The events of a rank with their regions.
struct LocatedEvents {
    rows: RankEvents,
    graph: RankGraph,
    regions: HashMap<u32, u32>,
}

impl LocatedEvents {
    fn of(traces: &TraceSet, explanation: &Explanation, side: usize, rank: i64) -> Result<Self> {
        checkpoint::check()?;
        let trace = traces.rank(rank)?;
        let columns = crate::frame::READ_COLUMNS.map(polars::prelude::PlSmallStr::from_static);
        let rows = trace.rank_events(&trace.frame_of(&columns)?, traces.compat())?;
        let all: Vec<u32> = (0..rows.len() as u32).collect();
        let graph = RankGraph::of(&rows, &all, Compat::Exact);
        Ok(Self { graph, regions: explanation.regions_by_row(side, rank), rows })
    }

    /// Returns the region of an event: of a kernel its own, of a call that of the first kernel below it, else below the nearest call
    /// around it that launches one.
    fn region(&self, event: i64) -> Option<usize> {
        let mut row = self.rows.row_of(event)?;
        loop {
            if let Some(&region) = self.regions.get(&(row as u32)) {
                return Some(region as usize);
            }
            if self.graph.kernels(row).count > 0 {
                // Down to the first kernel.
                let below = self.graph.forest().children(row);
                row = below.iter().map(|&below| below as usize).find(|&below| self.graph.kernels(below).count > 0)?;
                if self.graph.is_launched(&self.rows, row) {
                    return self.regions.get(&(row as u32)).map(|&region| region as usize);
                }
                continue;
            }
            // An annotation around it, such as the step, launches for other regions.
            row = self.graph.forest().parent(row)?;
            if self.rows.kind(row) != EventKind::Operator {
                return None;
            }
        }
    }
}

//! Regions chosen by a condition on their events.

use super::sides::RecordedRank;
use crate::exec::checkpoint;
use crate::filter::{Filter, TraceFilter};
use crate::{LabeledTrace, Result};
use call_tree::{Explanation, Place, Placed};

/// A condition on events, prepared for the runs of both sides.
pub(super) struct Choice {
    text: String,
    filters: [Vec<TraceFilter>; 2],
}

/// The regions of which an event meets a condition.
#[derive(Debug)]
pub(super) struct Chosen {
    /// The condition: `where dur > 100us`.
    pub(super) text: String,
    /// Whether each region is chosen.
    pub(super) regions: Vec<bool>,
}

impl Choice {
    /// Prepares a filter.
    ///
    /// # Errors
    /// If it names a column that no rank of a run has, or compares one with a value of another type.
    pub(super) fn of(filter: &Filter, sides: [&[LabeledTrace]; 2]) -> Result<Self> {
        let of_run = |run: &LabeledTrace| {
            let filter = filter.of(run.trace().traces())?;
            filter.check()?;
            Ok(filter)
        };
        let [control, test] = sides.map(|runs| runs.iter().map(of_run).collect::<Result<Vec<_>>>());
        Ok(Self { text: filter.to_string(), filters: [control?, test?] })
    }

    /// Returns the regions of which an event passes.
    ///
    /// # Errors
    /// If a polars expression does not fit the events.
    pub(super) fn regions(self, found: &Explanation, ranks: [&[RecordedRank]; 2]) -> Result<Chosen> {
        let mut regions = vec![false; found.regions.len()];
        for (side, ranks) in ranks.into_iter().enumerate() {
            for rank in ranks {
                checkpoint::check()?;
                let events = rank.recording.and_then(|at| found.events[side].get(at));
                let events = events.filter(|events| !events.is_empty());
                let (Some(events), Some(trace)) = (events, &rank.trace) else { continue };
                let passes = self.filters[side][rank.run].mask(trace)?;
                for event in events {
                    if let Placed { row, place: Place::Region { region, .. }, .. } = *event
                        && passes.get(row as usize) == Some(true)
                    {
                        regions[region as usize] = true;
                    }
                }
            }
        }
        Ok(Chosen { text: self.text, regions })
    }
}

//! Changes from control to test: the colours of two stacked timelines.

use super::lane::LaneLocation;
use crate::RankInfo;
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use std::sync::Arc;

/// What became of an event's name, or of its region.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Change {
    Same = 0,
    Added = 1,
    Deleted = 2,
    Slower = 3,
    Faster = 4,
}

/// The share by which the time of a name must differ to be called slower or faster.
const NOTABLE: f64 = 0.05;

/// What changed between the shown steps of two sides.
pub(super) struct Changes {
    pub(super) names: HashMap<u32, Change, FixedState>,
    /// By side and place of the rank; of each event what became of its region, if it is in one.
    pub(super) regions: [Vec<Vec<Option<Change>>>; 2],
    /// The ranks of both sides, by whose addresses the changes are found again.
    pub(super) _ranks: Vec<Arc<RankInfo>>,
}

impl Changes {
    /// Memory, in bytes.
    pub(super) fn bytes(&self) -> usize {
        let events = |of_rank: &Vec<Option<Change>>| of_rank.capacity() * size_of::<Option<Change>>();
        let regions: usize = self.regions.iter().flatten().map(events).sum();
        regions + self.names.capacity() * size_of::<(u32, Change)>()
    }

    /// Returns what became of an event: of its region, else of its name.
    pub(super) fn change(&self, location: LaneLocation, event: u32, name: u32) -> Change {
        let region =
            self.regions[location.side.min(1)].get(location.rank).and_then(|events| events.get(event as usize));
        region.copied().flatten().or_else(|| self.names.get(&name).copied()).unwrap_or(Change::Same)
    }
}

/// Returns what became of a time that both sides have.
pub(super) fn notable(before: f64, after: f64) -> Change {
    if after > before * (1.0 + NOTABLE) {
        Change::Slower
    } else if after * (1.0 + NOTABLE) < before {
        Change::Faster
    } else {
        Change::Same
    }
}

/// Returns what became of a time: that of control and of test, in ns.
pub(crate) fn change_between([control, test]: [i64; 2]) -> Change {
    match (control, test) {
        (0, 0) => Change::Same,
        (0, _) => Change::Added,
        (_, 0) => Change::Deleted,
        _ => notable(control as f64, test as f64),
    }
}

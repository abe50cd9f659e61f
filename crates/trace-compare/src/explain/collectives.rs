//! Collectives of the ranks of a run, numbered for the division of communication into waiting and transfer.

use crate::collective::{Collectives, is_plausible};
use call_tree::{Meeting, Partial};
use std::collections::HashMap;

/// The collectives of a side that several ranks recorded.
#[derive(Debug, Default)]
pub(super) struct Met {
    /// Their number.
    pub(super) matched: usize,
    /// Number of those that do not overlap on all their ranks.
    pub(super) apart: usize,
    /// Number of the next collective.
    next: u32,
}

impl Met {
    /// Tells the ranks of a run which of their events are one collective. Where more than one collective in twenty does not
    /// overlap on all its ranks, the clocks do not agree, and no event is.
    pub(super) fn add(&mut self, collectives: &Collectives, run: &mut [Partial]) {
        let indices: HashMap<i64, usize> =
            run.iter().zip(0..).map(|(partial, index)| (partial.rank(), index)).collect();
        let (mut matched, mut apart, first) = (0, 0, self.next);
        let mut found: Vec<(usize, Meeting)> = Vec::new();
        collectives.matched(run.len(), |collective| {
            matched += 1;
            if collective.is_apart() {
                apart += 1;
                return;
            }
            for member in collective.of {
                if let Some(&index) = indices.get(&member.rank) {
                    found.push((index, Meeting { row: member.row, collective: self.next }));
                }
            }
            self.next += 1;
        });
        self.matched += matched;
        self.apart += apart;
        if is_plausible(matched, apart) {
            found.into_iter().for_each(|(index, meeting)| run[index].meet(meeting));
        } else {
            self.next = first;
        }
    }
}

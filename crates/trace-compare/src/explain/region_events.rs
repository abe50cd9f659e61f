//! The region of each GPU event, for views that draw events.

use super::explanation::Explanation;
use call_tree::{Assignment, RegionChange};

impl Explanation {
    /// Visits the GPU events that are in a region: side (0 for control), rank, row and region. Needs
    /// [`Explain::keep_events`](crate::Explain::keep_events), and one run a side.
    #[doc(hidden)]
    pub fn each_event_in_region(&self, mut visit: impl FnMut(usize, i64, u32, &RegionChange)) {
        for (side, ranks) in self.ranks.iter().enumerate() {
            for rank in ranks {
                let events = rank.recording.and_then(|at| self.found.events[side].get(at));
                for event in events.into_iter().flatten() {
                    if let Assignment::Region { region, .. } = event.assignment
                        && let Some(region) = self.found.regions.get(region as usize)
                    {
                        visit(side, rank.rank, event.row, region);
                    }
                }
            }
        }
    }
}

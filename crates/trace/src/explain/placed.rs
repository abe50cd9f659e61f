//! The region of each GPU event, for views that draw events.

use super::explanation::Explanation;
use call_tree::{Place, RegionChange};

impl Explanation {
    /// Visits the GPU events that are in a region: side (0 for control), rank, row and region. Needs
    /// [`Explain::keep_events`](crate::Explain::keep_events), and one run a side.
    pub(crate) fn each_placed(&self, mut visit: impl FnMut(usize, i64, u32, &RegionChange)) {
        for (side, ranks) in self.ranks.iter().enumerate() {
            for rank in ranks {
                let placed = rank.recording.and_then(|at| self.found.events[side].get(at));
                for event in placed.into_iter().flatten() {
                    if let Place::Region { region, .. } = event.place
                        && let Some(region) = self.found.regions.get(region as usize)
                    {
                        visit(side, rank.rank, event.row, region);
                    }
                }
            }
        }
    }
}

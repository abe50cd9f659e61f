//! Classes of regions.

use super::explanation::{Explanation, word};

impl Explanation {
    /// Returns the class of a region by its number: `compute`, `exposed_communication`, `exposed_copy`, or `host` in recordings without
    /// GPU work; nothing for an unknown region.
    pub fn region_class(&self, id: usize) -> Option<&'static str> {
        Some(word(self.class(self.found.regions.get(id)?)))
    }
}

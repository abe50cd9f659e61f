//! Regions chosen by a condition on their events.

use super::explanation::Explanation;

/// The regions of which an event meets a condition.
#[derive(Debug)]
pub(super) struct Chosen {
    /// The condition: `where dur > 100us`.
    pub(super) text: String,
    /// Whether each region is chosen.
    pub(super) regions: Vec<bool>,
}

impl Explanation {
    /// The condition, if it chooses no region.
    pub(crate) fn chooses_nothing(&self) -> Option<&str> {
        let chosen = self.chosen.as_ref()?;
        (!chosen.regions.contains(&true)).then_some(chosen.text.as_str())
    }
}

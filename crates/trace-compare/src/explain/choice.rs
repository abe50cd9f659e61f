//! Regions chosen by a condition on their events.

/// The regions of which an event meets a condition.
#[derive(Debug)]
pub(super) struct Chosen {
    /// The condition: `where dur > 100us`.
    pub(super) text: String,
    /// Whether each region is chosen.
    pub(super) regions: Vec<bool>,
}

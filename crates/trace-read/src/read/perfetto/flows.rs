//! Arrows between the events of a recording.

/// Arrows between events: those with one id belong together, the first by time begins the arrow.
#[derive(Default)]
pub(super) struct Flows {
    /// Id and number of an event.
    pub(super) ends: Vec<(u64, u32)>,
    /// Ids of render stages and their events, and of stages that wait for them.
    pub(super) stages: Vec<(u64, u32)>,
    pub(super) waits: Vec<(u64, u32)>,
}

impl Flows {
    /// Adds the ids of an event.
    pub(super) fn add(&mut self, ids: &[u64], event: u32) {
        self.ends.extend(ids.iter().map(|id| (*id, event)));
    }

    /// Adds a render stage, and the stages that it waits for.
    pub(super) fn stage(&mut self, id: u64, waits: &[u64], event: u32) {
        self.stages.push((id, event));
        self.waits.extend(waits.iter().map(|id| (*id, event)));
    }
}

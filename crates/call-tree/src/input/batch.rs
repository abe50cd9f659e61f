//! Batches of graphs, and captures.

use super::label::LabelId;
use serde::{Deserialize, Serialize};

/// A batch for which a graph was captured, or which it runs, as an annotation names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Batch {
    /// Number of requests or tokens, padded.
    pub size: u64,
    /// The batch is run by decode steps.
    pub decodes: bool,
    /// The batch is run by prefill steps.
    pub prefills: bool,
}

impl Batch {
    /// Tells whether a launch for the batch `launched` runs the graph that was captured for this batch.
    pub(crate) fn is_of(self, launched: Self) -> bool {
        self.size == launched.size && (self.decodes && launched.decodes || self.prefills && launched.prefills)
    }
}

/// The capture of a graph.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Capture {
    /// The batch that its annotation names.
    pub batch: Option<Batch>,
    /// Places in the events of the launches, in the order of their begins, with the label of the kernel, copy or fill that each stands for. A
    /// label without a text is of a kernel whose name was not recorded.
    pub launches: Vec<(u32, LabelId)>,
}

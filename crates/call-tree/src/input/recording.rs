//! Events of one rank of one run, and which of its iterations count.

use super::batch::{Batch, Capture};
use super::borrowed::Borrowed;
use super::event::Event;
use super::meeting::Meeting;
use super::reason::Reason;
use super::window::Window;

/// The selected events and iterations of one rank of one run.
#[derive(Debug, Clone, Default)]
pub struct Recording {
    /// Number of the rank.
    pub rank: i64,
    /// Events in the order of the file.
    pub events: Vec<Event>,
    /// Iterations to compare, by their begins, none inside another. Without these and `others`, the whole recording is one.
    pub windows: Vec<Window>,
    /// Iterations that are left out, by their begins, and why: [`Reason::AnotherIteration`] or [`Reason::WarmUp`].
    pub others: Vec<(Window, Reason)>,
    /// Its part in collectives that other recordings of its side have, too.
    pub meetings: Vec<Meeting>,
    /// Rows of GPU events that a graph launched, ascending, each with the number of its node in the graph.
    pub graph_nodes: Vec<(u32, i64)>,
    /// Places of backward operators in `events`, ascending, each with the place of its forward operator.
    pub forward: Vec<(u32, u32)>,
    /// Captures of graphs, by their begins.
    pub captures: Vec<Capture>,
    /// Rows of launches of graphs, ascending, with the batches that annotations around them name.
    pub batches: Vec<(u32, Batch)>,
    /// Calls that a companion lends to the kernels of graphs.
    pub borrowed: Borrowed,
}

impl Recording {
    /// Returns the recorded number of the node that a GPU event ran as; profilers write 0 for events of no graph.
    pub(crate) fn graph_node(&self, row: u32) -> Option<i64> {
        let at = self.graph_nodes.binary_search_by_key(&row, |&(row, _)| row).ok()?;
        Some(self.graph_nodes[at].1)
    }
}

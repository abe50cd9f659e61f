//! Nodes: the start and the end of an event.

use super::Frame;
use super::names::{Meaning, Names};

/// The number of a node that does not exist.
pub(super) const NO_NODE: u32 = u32::MAX;

/// The start or the end of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Node {
    /// Number of the event among those of the window.
    pub(super) event: u32,
    /// The moment, in ns.
    pub ts: i64,
    /// Whether it is the start.
    pub is_start: bool,
}

/// The nodes of a graph, in order of time, and which of them are those of an event.
#[derive(Debug, Default)]
pub(super) struct Nodes {
    pub(super) list: Vec<Node>,
    /// The first and the last node of each event of the window.
    of_event: Vec<[u32; 2]>,
}

impl Nodes {
    /// Makes the nodes of operators, runtime calls, calls that load data, and GPU events with a launch, sorted by time, then by
    /// index. `events` are the positions of the events in the frame, by index.
    pub(super) fn of<F: Frame>(frame: &F, names: &Names<'_, F>, events: &[u32]) -> Self {
        let mut list = Vec::new();
        for (event, &position) in events.iter().enumerate() {
            let row = frame.row(position as usize);
            let has_nodes = names.of_code(row.cat).is(Meaning::NODES)
                || names.of_code(row.name).is(Meaning::LOADING)
                || (row.is_on_gpu() && row.partner >= 0);
            if has_nodes {
                let event = event as u32;
                list.push(Node { event, ts: row.ts, is_start: true });
                list.push(Node { event, ts: row.end(), is_start: false });
            }
        }
        list.sort_unstable_by_key(|node| (node.ts, node.event, !node.is_start));
        let mut of_event = vec![[NO_NODE; 2]; events.len()];
        for (number, node) in list.iter().enumerate() {
            of_event[node.event as usize][usize::from(!node.is_start)] = number as u32;
        }
        Self { list, of_event }
    }

    /// Returns the node at which an event starts.
    #[inline]
    pub(super) fn start(&self, event: u32) -> Option<u32> {
        Some(self.of_event[event as usize][0]).filter(|&node| node != NO_NODE)
    }

    /// Returns the node at which an event ends.
    #[inline]
    pub(super) fn end(&self, event: u32) -> Option<u32> {
        Some(self.of_event[event as usize][1]).filter(|&node| node != NO_NODE)
    }

    #[inline]
    pub(super) fn node(&self, number: u32) -> Node {
        self.list[number as usize]
    }
}

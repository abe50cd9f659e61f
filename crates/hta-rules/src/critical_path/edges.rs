//! Edges between nodes: at most one per ordered pair, in the order of their first insertion.

use super::nodes::Nodes;

/// What an edge stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EdgeKind {
    /// Time of an operator, a call or a kernel.
    Operator,
    /// Order without time.
    Dependency,
    /// From the start of a launch to the start of its kernel.
    KernelLaunchDelay,
    /// From the end of a kernel to the start of the next.
    KernelKernelDelay,
    /// A synchronisation.
    SyncDependency,
}

impl EdgeKind {
    /// All kinds.
    pub const ALL: [Self; 5] =
        [Self::Operator, Self::Dependency, Self::KernelLaunchDelay, Self::KernelKernelDelay, Self::SyncDependency];

    /// Returns HTA's word, without its prefix `critical_path_`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Operator => "operator",
            Self::Dependency => "dependency",
            Self::KernelLaunchDelay => "kernel_launch_delay",
            Self::KernelKernelDelay => "kernel_kernel_delay",
            Self::SyncDependency => "sync_dependency",
        }
    }
}

/// An edge of the graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edge {
    /// Number of the node at which it begins.
    pub begin: u32,
    /// Number of the node at which it ends.
    pub end: u32,
    /// The kind of dependency between its nodes.
    pub kind: EdgeKind,
    /// Its length in the tables, in ns; negative where clocks disagree.
    pub weight: i64,
    /// Its length in the search, in ns.
    pub search_weight: i64,
    /// Index of the event that its time is attributed to.
    pub event: Option<i64>,
}

const NONE: u32 = u32::MAX;

/// Edges that are being collected.
pub(super) struct Edges {
    pub(super) list: Vec<Edge>,
    /// The edge before each one with the same begin, and with the same end.
    older: Vec<[u32; 2]>,
    /// The newest edge from each node, and to it, and their numbers.
    newest: Vec<[u32; 2]>,
    degrees: Vec<[u32; 2]>,
    /// Number of edges from a node to itself, which are left out.
    pub(super) own: usize,
}

impl Edges {
    pub(super) fn between(nodes: usize) -> Self {
        Self {
            list: Vec::with_capacity(nodes),
            older: Vec::with_capacity(nodes),
            newest: vec![[NONE; 2]; nodes],
            degrees: vec![[0; 2]; nodes],
            own: 0,
        }
    }

    /// Adds an edge, or replaces the kind and the weight of the one between these nodes, which keeps its place. Its time is
    /// attributed to `event`; a replaced edge without one keeps that of before, as in HTA.
    pub(super) fn add(&mut self, nodes: &Nodes, ends: [u32; 2], kind: EdgeKind, is_free: bool, event: Option<i64>) {
        let [begin, end] = ends;
        if begin == end {
            self.own += 1;
            return;
        }
        let weighs = !is_free && !matches!(kind, EdgeKind::Dependency | EdgeKind::SyncDependency);
        let length = || nodes.node(end).ts.saturating_sub(nodes.node(begin).ts);
        let weight = if weighs { length() } else { 0 };
        if let Some(found) = self.find(begin, end) {
            let edge = &mut self.list[found as usize];
            *edge = Edge { kind, weight, search_weight: weight, event: event.or(edge.event), ..*edge };
            return;
        }
        let number = self.list.len() as u32;
        self.list.push(Edge { begin, end, kind, weight, search_weight: weight, event });
        let mut older = [NONE; 2];
        for (side, node) in [begin as usize, end as usize].into_iter().enumerate() {
            older[side] = std::mem::replace(&mut self.newest[node][side], number);
            self.degrees[node][side] += 1;
        }
        self.older.push(older);
    }

    /// Finds the edge between two nodes, on the side with fewer edges.
    fn find(&self, begin: u32, end: u32) -> Option<u32> {
        let (begins, ends) = (begin as usize, end as usize);
        let side = usize::from(self.degrees[begins][0] > self.degrees[ends][1]);
        let mut at = self.newest[[begins, ends][side]][side];
        while at != NONE {
            let edge = &self.list[at as usize];
            if (edge.begin, edge.end) == (begin, end) {
                return Some(at);
            }
            at = self.older[at as usize][side];
        }
        None
    }
}

//! Kernels of graphs: their order by node, and the calls that a companion lends them.

use super::modules::Path;
use super::node::{NONE, NodeId, Role, Tree};
use crate::input::kind::Kind;
use crate::input::label::{LabelId, Labels, Symbol};
use crate::input::recording::Recording;
use foldhash::HashMap;
use smallvec::smallvec;
use std::sync::Arc;

/// Number of a node within its graph, from 1. The upper half of the recorded number is that of the graph, which another process
/// counts anew.
pub(super) fn number_in_graph(node: i64) -> u32 {
    (node as u32).wrapping_add(1)
}

/// The GPU events of a launch: those of a graph in the order of its nodes, if each has one, since branches of a graph run
/// in any order; else in the order of their begins.
pub(super) fn in_order_of_graph(recording: &Recording, launch: Kind, gpu: &[u32]) -> Vec<u32> {
    let node = |&at: &u32| Some((recording.graph_node(recording.events[at as usize].row)?, at));
    let by_node = || -> Option<Vec<(i64, u32)>> { gpu.iter().map(node).collect() };
    if launch == Kind::GraphLaunch
        && !recording.graph_nodes.is_empty()
        && let Some(mut nodes) = by_node()
    {
        nodes.sort_by_key(|&(node, _)| node);
        return nodes.into_iter().map(|(_, at)| at).collect();
    }
    gpu.to_vec()
}

/// Tells whether a companion lends calls to one of these GPU events.
pub(super) fn lends(recording: &Recording, gpu: &[u32]) -> bool {
    gpu.iter().any(|&at| recording.borrowed.innermost(recording.events[at as usize].row).is_some())
}

/// Calls lent to the GPU events of one launch, as nodes.
pub(super) struct Lending<'r> {
    recording: &'r Recording,
    labels: &'r Labels,
    without_stacks: bool,
    /// Kinds and names of the calls around the launch, which are not lent again.
    around: Vec<(Kind, Symbol)>,
    nodes: HashMap<u32, NodeId>,
}

impl<'r> Lending<'r> {
    pub(super) fn of(
        recording: &'r Recording,
        parent: &[u32],
        launch: u32,
        labels: &'r Labels,
        without_stacks: bool,
    ) -> Self {
        let mut around = Vec::new();
        if recording.borrowed.has_calls() && recording.events[launch as usize].kind == Kind::GraphLaunch {
            let mut up = parent[launch as usize];
            while up != NONE {
                around.push(name(labels, recording.events[up as usize].label));
                up = parent[up as usize];
            }
        }
        Self { recording, labels, without_stacks, around, nodes: HashMap::default() }
    }

    /// Returns the node below which a GPU event hangs, and modules lent to it that the tree leaves out.
    pub(super) fn below(&mut self, tree: &mut Tree, launch: NodeId, row: u32) -> (NodeId, Vec<LabelId>) {
        let borrowed = &self.recording.borrowed;
        let (mut way, mut modules) = (Vec::new(), Vec::new());
        for (call, label) in borrowed.innermost(row).into_iter().flat_map(|call| borrowed.around(call)) {
            let kind = self.labels.kind(label);
            if self.around.contains(&name(self.labels, label)) {
                continue;
            }
            if self.without_stacks && kind.is_stack() {
                modules.extend((kind == Kind::Module).then_some(label));
            } else {
                way.push((call, label));
            }
        }
        modules.reverse();
        let mut below = launch;
        for &(call, label) in way.iter().rev() {
            below = *self.nodes.entry(call).or_insert_with(|| tree.add(Role::Host, below, smallvec![label]));
        }
        (below, modules)
    }
}

/// Returns the kind and name of a call. A call of the capture with those of a call around the launch of the graph is the same call.
fn name(labels: &Labels, label: LabelId) -> (Kind, Symbol) {
    (labels.kind(label), labels.symbol_of(label))
}

/// Joins the modules of a launch and those that are lent.
pub(super) fn joined(of_launch: Option<&Path>, borrowed: Vec<LabelId>) -> Option<Path> {
    if borrowed.is_empty() {
        return of_launch.cloned();
    }
    let outer = of_launch.into_iter().flat_map(|path| path.iter().copied());
    Some(Arc::new(outer.filter(|label| !borrowed.contains(label)).chain(borrowed.iter().copied()).collect()))
}

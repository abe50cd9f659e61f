//! Kernels of graphs: their order by node, and the calls that a companion lends them.

use super::modules::Path;
use super::node::{NONE, NodeId, Role, Tree};
use crate::input::below_launch::BelowLaunch;
use crate::input::kind::Kind;
use crate::input::label::{LabelId, Labels, Symbol};
use crate::input::recording::Recording;
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

/// Calls lent to the GPU events of launches, as nodes.
pub(super) struct Lending<'r> {
    recording: &'r Recording,
    labels: &'r Labels,
    without_stacks: bool,
    /// Kinds and names of the calls around the launch, which are not lent again.
    around: Vec<(Kind, Symbol)>,
    nodes: BelowLaunch<BorrowedNode>,
}

/// A borrowed call below a launch.
#[derive(Clone, Copy)]
struct BorrowedNode {
    /// Its node; of a call that the tree leaves out the node around it.
    node: NodeId,
    /// The innermost module at or around the call that the tree leaves out, or [`NONE`].
    module: u32,
}

impl<'r> Lending<'r> {
    pub(super) fn of(recording: &'r Recording, labels: &'r Labels, without_stacks: bool) -> Self {
        let nodes = BelowLaunch::new(recording.borrowed.calls().len(), BorrowedNode { node: NONE, module: NONE });
        Self { recording, labels, without_stacks, around: Vec::new(), nodes }
    }

    /// Begins a launch, whose calls around it are found by the parents of all events.
    pub(super) fn begin(&mut self, launch: u32, parent: &[u32]) {
        self.nodes.begin();
        self.around.clear();
        if !self.recording.borrowed.calls().is_empty()
            && self.recording.events[launch as usize].kind == Kind::GraphLaunch
        {
            let mut up = parent[launch as usize];
            while up != NONE {
                self.around.push(name(self.labels, self.recording.events[up as usize].label));
                up = parent[up as usize];
            }
        }
    }

    /// Returns the node below which a GPU event of the launch hangs, and modules lent to it that the tree leaves out.
    pub(super) fn below(&mut self, tree: &mut Tree, launch: NodeId, row: u32) -> (NodeId, Vec<LabelId>) {
        let Self { recording, labels, without_stacks, around, nodes } = self;
        let calls = recording.borrowed.calls();
        let above = recording.borrowed.above(row);
        let at = nodes.innermost(above, BorrowedNode { node: launch, module: NONE }, |call, mut at| {
            let label = calls[call as usize].label;
            let kind = labels.kind(label);
            if around.contains(&name(labels, label)) {
                // The same call as one around the launch.
            } else if !(*without_stacks && kind.is_stack()) {
                at.node = tree.add(Role::Host, at.node, smallvec![label]);
            } else if kind == Kind::Module {
                at.module = call;
            }
            at
        });
        (at.node, self.modules(at.module))
    }

    /// Returns a module and those around it that the tree leaves out, the outermost first.
    fn modules(&self, innermost: u32) -> Vec<LabelId> {
        let calls = self.recording.borrowed.calls();
        let (mut modules, mut module) = (Vec::new(), innermost);
        while module != NONE {
            let call = &calls[module as usize];
            modules.push(call.label);
            module = if call.around == NONE { NONE } else { self.nodes.last(call.around).module };
        }
        modules.reverse();
        modules
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

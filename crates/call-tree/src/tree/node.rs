//! A call tree: an arena of nodes whose leaves are work.

use super::hash::Hashes;
use crate::input::family::{FAMILIES, Family};
use crate::input::kind::Kind;
use crate::input::label::{LabelId, Labels, Symbol};
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;
use std::sync::Arc;

/// Index of a node in its tree.
pub type NodeId = u32;
/// No node.
pub const NONE: NodeId = u32::MAX;

/// Nodes below a node: few have more than four, and those take no memory of their own.
pub(crate) type Children = SmallVec<[NodeId; 4]>;
/// Labels of a node.
pub(crate) type Chain = SmallVec<[LabelId; 4]>;
/// Costs of a node.
pub(crate) type Costs = SmallVec<[Cost; 1]>;

/// Role of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Role {
    /// The virtual root.
    Root,
    /// A thread other than the one with the steps.
    Thread,
    /// GPU events whose launch lies before the recording.
    LaunchedBefore,
    /// Host events: one, or a chain of single children.
    Host,
    /// Launch of a graph.
    Graph,
    /// Work: a GPU event; of a recording without GPU work, the time of a host event without its children.
    Leaf,
}

/// Cost of the events of a leaf in one sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cost {
    /// Number of the sample: an iteration of a rank of a run.
    pub sample: u32,
    /// Number of events.
    pub count: u32,
    /// Sum of their durations in ns.
    pub ns: i64,
    /// Share of the step of this sample in ns, also of events that another sample launched.
    pub attributed_ns: i64,
}

/// One node.
#[derive(Debug, Clone)]
pub struct Node {
    /// The node above; [`NONE`] for the root.
    pub parent: NodeId,
    /// The nodes below, in the order of their begins on the host.
    pub children: Children,
    /// Its role.
    pub role: Role,
    /// Labels, outermost first: a chain of single children is one node. Empty for nodes that stand for no event.
    pub chain: Chain,
    /// Samples of a leaf, ascending: what its GPU events cost in each iteration of each rank.
    pub costs: Costs,
    /// Modules of a leaf that has none above it, the outermost first: of a backward operator those of its forward operator; of
    /// a tree without stacks those of the launch.
    pub modules: Option<Arc<Vec<LabelId>>>,
    /// Number of a leaf's node in its graph; 0 if it has none.
    pub(crate) graph_node: u32,
    pub(crate) family: Family,
}

/// Leaves by family and hashes of the subtree of a node.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Summary {
    /// Number of leaves, by family.
    pub(crate) families: [u32; FAMILIES],
    pub(crate) hashes: Hashes,
}

impl Summary {
    /// Number of leaves.
    pub(crate) fn leaves(&self) -> u32 {
        self.families.iter().sum()
    }
}

impl Node {
    pub(crate) fn new(role: Role, parent: NodeId, chain: Chain) -> Self {
        Self {
            parent,
            children: Children::new(),
            role,
            chain,
            costs: Costs::new(),
            modules: None,
            graph_node: 0,
            family: Family::Other,
        }
    }

    /// Tells whether it stands for work of its own.
    pub fn is_leaf(&self) -> bool {
        self.role == Role::Leaf
    }

    /// Time of the node's own events over all samples, in ns.
    pub fn ns(&self) -> i64 {
        self.costs.iter().map(|cost| cost.ns).sum()
    }

    /// Share of the steps of all samples, in ns.
    pub fn attributed_ns(&self) -> i64 {
        self.costs.iter().map(|cost| cost.attributed_ns).sum()
    }

    /// Input shapes of the innermost operator of the chain that has some.
    pub(crate) fn shapes(&self, labels: &Labels) -> Option<Symbol> {
        self.chain.iter().rev().find_map(|&id| labels.get(id).shapes)
    }

    /// Counter of the innermost module of the chain.
    pub(crate) fn counter(&self, labels: &Labels) -> Option<(Symbol, u32)> {
        self.chain.iter().rev().find_map(|&id| {
            let label = labels.get(id);
            label.counter.map(|counter| (label.shape, counter))
        })
    }

    /// Tells whether the chain holds an operator.
    pub(crate) fn is_operator(&self, labels: &Labels) -> bool {
        self.chain.iter().any(|&id| labels.get(id).kind == Kind::Operator)
    }
}

/// A call tree. Node 0 is the root; parents stand before their children.
#[derive(Debug, Clone)]
pub struct Tree {
    pub(crate) nodes: Vec<Node>,
    /// Summaries by node; only that of the root until [`Tree::summarise`] computes them.
    pub(crate) summaries: Vec<Summary>,
}

impl Tree {
    pub(crate) const ROOT: NodeId = 0;

    pub(crate) fn new() -> Self {
        Self::with_capacity(1)
    }

    /// A tree of a root, with room for so many nodes.
    pub(crate) fn with_capacity(nodes: usize) -> Self {
        let mut tree = Self { nodes: Vec::with_capacity(nodes), summaries: vec![Summary::default()] };
        tree.nodes.push(Node::new(Role::Root, NONE, Chain::new()));
        tree
    }

    /// Appends a node to the children of `parent`.
    pub(crate) fn add(&mut self, role: Role, parent: NodeId, chain: Chain) -> NodeId {
        let id = self.nodes.len() as NodeId;
        self.nodes.push(Node::new(role, parent, chain));
        self.nodes[parent as usize].children.push(id);
        id
    }

    /// All nodes; the root is the first.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// One node.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id as usize]
    }

    pub(crate) fn node_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes[id as usize]
    }

    /// Returns the leaves by family and the hashes of the subtree of a node.
    pub(crate) fn summary(&self, id: NodeId) -> &Summary {
        &self.summaries[id as usize]
    }

    /// The labels from the root to the node, each as it was recorded; of a chain only the innermost label.
    pub fn path<'l>(&self, id: NodeId, labels: &'l Labels) -> Vec<&'l str> {
        let mut path = Vec::new();
        let mut at = id;
        while at != NONE {
            let node = self.node(at);
            match node.role {
                Role::Root => {}
                Role::Thread => path.push("other thread"),
                Role::LaunchedBefore => path.push("launched before the recording"),
                _ => path.extend(node.chain.last().map(|&label| labels.text(label))),
            }
            at = node.parent;
        }
        path.reverse();
        path
    }

    /// The leaves at or below a node, in order.
    pub fn leaves(&self, id: NodeId) -> Vec<NodeId> {
        let (mut found, mut open) = (Vec::new(), vec![id]);
        while let Some(id) = open.pop() {
            let node = self.node(id);
            if node.is_leaf() {
                found.push(id);
            }
            open.extend(node.children.iter().rev());
        }
        found
    }

    /// Computes the summary of every node anew; nodes may be in any order.
    pub(crate) fn summarise(&mut self, labels: &Labels) {
        self.summaries.clear();
        self.summaries.resize(self.nodes.len(), Summary::default());
        for id in self.bottom_up() {
            let mut families = [0; FAMILIES];
            let node = self.node(id);
            if node.is_leaf() {
                families[node.family as usize] = 1;
            }
            for &child in &node.children {
                for (sum, number) in families.iter_mut().zip(&self.summary(child).families) {
                    *sum += number;
                }
            }
            let hashes = self.hashes(node, labels);
            self.summaries[id as usize] = Summary { families, hashes };
        }
    }

    /// Hashes of a node by those of its children.
    pub(crate) fn hashes(&self, node: &Node, labels: &Labels) -> Hashes {
        let children: Vec<Hashes> = node.children.iter().map(|&child| self.summary(child).hashes).collect();
        Hashes::of(node.role as u64, &node.chain, &children, labels)
    }

    /// All nodes below the root and the root, children before their parents.
    pub(crate) fn bottom_up(&self) -> Vec<NodeId> {
        let (mut order, mut open) = (Vec::with_capacity(self.nodes.len()), vec![Self::ROOT]);
        while let Some(id) = open.pop() {
            order.push(id);
            open.extend(&self.node(id).children);
        }
        order.reverse();
        order
    }
}

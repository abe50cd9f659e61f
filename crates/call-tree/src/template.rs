//! Folding of a run into one tree, whose nodes keep the samples of all iterations and ranks.

use crate::align::{Mapping, Trees, map};
use crate::input::label::Labels;
use crate::tree::node::{Cost, NONE, Node, NodeId, Tree};

/// A run folded into one tree.
#[derive(Debug)]
pub struct Template {
    tree: Tree,
    samples: u32,
    /// How many samples are expected: costs of a leaf take no more memory than these.
    expected: u32,
    /// The last fold added no node and divided none: the same tree would be mapped alike again.
    is_settled: bool,
}

impl Template {
    /// Folds the first tree: its leaves are those of sample 0.
    pub fn new(tree: Tree) -> Self {
        Self { tree, samples: 1, expected: 1, is_settled: false }
    }

    /// Expects so many samples.
    #[must_use]
    pub fn expecting(self, samples: usize) -> Self {
        Self { expected: samples as u32, ..self }
    }

    /// The folded tree. A leaf has a cost for each sample in which it has events.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The folded tree, without its template.
    pub(crate) fn into_tree(self) -> Tree {
        self.tree
    }

    /// Number of samples.
    pub fn samples(&self) -> u32 {
        self.samples
    }

    /// Folds in one more tree, as the next sample. Returns the template's node for each node of the tree; [`NONE`] for wrappers
    /// that the template does not have.
    pub fn fold(&mut self, tree: Tree, labels: &Labels) -> Vec<NodeId> {
        let sample = self.samples;
        self.samples += 1;
        let nodes = self.tree.nodes.len();
        let Mapping { control: ours, test: theirs, mut to_control, .. } =
            map(Trees::Iterations, std::mem::replace(&mut self.tree, Tree::new()), tree, labels);
        self.tree = ours;
        let mut inserted = false;
        // Parents stand before children, but for nodes that the alignment split off: those have an entry already.
        let mut open = vec![Tree::ROOT];
        while let Some(id) = open.pop() {
            let node = theirs.node(id);
            let mut before = NONE;
            for &child in &node.children {
                if to_control[child as usize] == NONE {
                    let parent = nearest(&theirs, &to_control, id);
                    if dissolves(&theirs, &to_control, child) {
                        // A wrapper whose content is in the template already.
                        continue;
                    }
                    to_control[child as usize] = self.insert(theirs.node(child), parent, before);
                    inserted = true;
                }
                before = to_control[child as usize];
            }
            open.extend(node.children.iter().rev());
        }
        for (id, node) in theirs.nodes.iter().enumerate() {
            let to = to_control[id];
            if to == NONE {
                continue;
            }
            let ours = self.tree.node_mut(to);
            if ours.modules.is_none() {
                ours.modules.clone_from(&node.modules);
            }
            self.add_costs(to, sample, &node.costs);
        }
        self.is_settled = self.tree.nodes.len() == nodes;
        if inserted {
            self.tree.summarise(labels);
        }
        to_control
    }

    /// Folds in one more tree that differs from the one before in times only, as the next sample: `leaves` are the template's nodes of its
    /// leaves. Returns false, and folds nothing, where the template changed since: [`Self::fold`] maps such a tree anew.
    pub(crate) fn fold_again(&mut self, leaves: &[NodeId], ns: impl Iterator<Item = i64>) -> bool {
        if !self.is_settled {
            return false;
        }
        let sample = self.samples;
        self.samples += 1;
        for (&leaf, ns) in leaves.iter().zip(ns).filter(|(leaf, _)| **leaf != NONE) {
            self.add_costs(leaf, sample, &[Cost { sample, count: 1, ns, attributed_ns: 0 }]);
        }
        true
    }

    /// Adds costs to a node, as those of a sample.
    fn add_costs(&mut self, node: NodeId, sample: u32, costs: &[Cost]) {
        // This sample and those to come.
        let room = self.expected.max(self.samples) - sample;
        let ours = &mut self.tree.node_mut(node).costs;
        if ours.len() + costs.len() > ours.capacity() {
            ours.reserve_exact(costs.len().max(room as usize));
        }
        ours.extend(costs.iter().map(|cost| Cost { sample, ..*cost }));
    }

    /// Adds attributed time to a leaf, in a sample. A leaf without events in that sample gets a cost without events.
    pub fn attribute(&mut self, leaf: NodeId, sample: u32, ns: i64) {
        let costs = &mut self.tree.node_mut(leaf).costs;
        match costs.binary_search_by_key(&sample, |cost| cost.sample) {
            Ok(at) => costs[at].attributed_ns += ns,
            Err(at) => costs.insert(at, Cost { sample, count: 0, ns: 0, attributed_ns: ns }),
        }
    }

    fn insert(&mut self, node: &Node, parent: NodeId, before: NodeId) -> NodeId {
        let id = self.tree.nodes.len() as NodeId;
        let mut made = node.clone();
        made.parent = parent;
        made.children.clear();
        made.costs.clear();
        self.tree.nodes.push(made);
        let children = &mut self.tree.node_mut(parent).children;
        let index = children.iter().position(|&child| child == before).map_or(0, |at| at + 1);
        children.insert(index, id);
        id
    }
}

/// Returns the template's node for the nearest mapped node at or above `id`.
fn nearest(tree: &Tree, to: &[NodeId], mut id: NodeId) -> NodeId {
    while to[id as usize] == NONE {
        id = tree.node(id).parent;
    }
    to[id as usize]
}

/// Tells whether an unmapped node has mapped nodes below it; then it is a wrapper.
fn dissolves(tree: &Tree, to: &[NodeId], id: NodeId) -> bool {
    let mut open = tree.node(id).children.to_vec();
    while let Some(id) = open.pop() {
        if to[id as usize] != NONE {
            return true;
        }
        open.extend(&tree.node(id).children);
    }
    false
}

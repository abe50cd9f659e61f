//! A call tree in little memory, until it is folded into the template of its side.

use crate::input::family::Family;
use crate::input::label::{LabelId, Labels};
use crate::tree::node::{Cost, NodeId, Role, Tree};
use std::collections::HashMap;
use std::sync::Arc;

/// A call tree of one sample. Its root is no node.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct PackedTree {
    /// Parents before children; the first one is node 1 of the tree.
    pub(super) nodes: Vec<PackedNode>,
    /// The chains of all nodes, one after the other.
    pub(super) labels: Vec<LabelId>,
    /// The leaves, in the order of their nodes.
    pub(super) leaves: Vec<PackedLeaf>,
    /// Modules of leaves that the nodes above do not tell, each path once.
    pub(super) paths: Vec<Vec<LabelId>>,
    /// The leaves that have such modules, or a node of a graph: ascending.
    pub(super) marks: Vec<PackedMark>,
}

/// Modules and graph node of a leaf; few leaves have them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PackedMark {
    /// Number of the leaf.
    pub(super) leaf: u32,
    /// Number of its path of modules, from 1; 0 for none.
    pub(super) path: u32,
    /// Number of its node in its graph; 0 for none.
    pub(super) graph_node: u32,
}

/// One node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PackedNode {
    pub(super) parent: NodeId,
    /// Where its chain ends among all labels; it begins where the one before ends.
    pub(super) labels_end: u32,
    pub(super) role: Role,
    pub(super) family: Family,
}

/// Cost of a leaf, which is one event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PackedLeaf {
    pub(super) ns: i64,
    /// Its share of the step that launched it.
    pub(super) attributed_ns: i64,
    /// Row of its event, if events are kept; else 0.
    pub(super) row: u32,
    /// A condition on events holds.
    pub(super) is_chosen: bool,
}

impl PackedTree {
    /// Packs a tree, of which each leaf has one event; `rows` are those of its leaves.
    pub(super) fn of(tree: &Tree, rows: &[(NodeId, u32)], keep_rows: bool, is_chosen: impl Fn(u32) -> bool) -> Self {
        let mut packed = Self { leaves: Vec::with_capacity(rows.len()), ..Self::default() };
        packed.nodes.reserve_exact(tree.nodes().len().saturating_sub(1));
        let mut rows = rows.iter();
        let mut known: HashMap<&Arc<Vec<LabelId>>, u32> = HashMap::new();
        for node in tree.nodes().iter().skip(1) {
            packed.labels.extend(&node.chain);
            let labels_end = packed.labels.len() as u32;
            packed.nodes.push(PackedNode { parent: node.parent, labels_end, role: node.role, family: node.family });
            if node.is_leaf() {
                if node.modules.is_some() || node.graph_node != 0 {
                    let path = node.modules.as_ref().map_or(0, |modules| {
                        *known.entry(modules).or_insert_with(|| {
                            packed.paths.push(modules.to_vec());
                            packed.paths.len() as u32
                        })
                    });
                    let leaf = packed.leaves.len() as u32;
                    packed.marks.push(PackedMark { leaf, path, graph_node: node.graph_node });
                }
                let row = rows.next().map_or(0, |&(_, row)| row);
                let (stored_row, is_chosen) = (if keep_rows { row } else { 0 }, is_chosen(row));
                packed.leaves.push(PackedLeaf { ns: node.ns(), attributed_ns: 0, row: stored_row, is_chosen });
            }
        }
        packed.labels.shrink_to_fit();
        packed
    }

    /// Makes the tree, and gives up its nodes; the leaves stay. Returns the node of each leaf, too.
    pub(super) fn tree(&mut self, labels: &Labels) -> (Tree, Vec<NodeId>) {
        let (nodes, chains) = (std::mem::take(&mut self.nodes), std::mem::take(&mut self.labels));
        let (mut tree, mut leaf_nodes, mut from) = (Tree::new(), Vec::with_capacity(self.leaves.len()), 0);
        for node in nodes {
            let to = node.labels_end as usize;
            let id = tree.add(node.role, node.parent, chains[from..to].to_vec());
            from = to;
            let made = tree.node_mut(id);
            made.family = node.family;
            if made.is_leaf() {
                let ns = self.leaves.get(leaf_nodes.len()).map_or(0, |leaf| leaf.ns);
                made.costs = vec![Cost { sample: 0, count: 1, ns, attributed_ns: 0 }];
                leaf_nodes.push(id);
            }
        }
        let paths: Vec<Arc<Vec<LabelId>>> = std::mem::take(&mut self.paths).into_iter().map(Arc::new).collect();
        for mark in std::mem::take(&mut self.marks) {
            if let Some(&id) = leaf_nodes.get(mark.leaf as usize) {
                let leaf = tree.node_mut(id);
                leaf.graph_node = mark.graph_node;
                leaf.modules = (mark.path as usize).checked_sub(1).and_then(|path| paths.get(path).cloned());
            }
        }
        tree.summarise(labels);
        (tree, leaf_nodes)
    }
}

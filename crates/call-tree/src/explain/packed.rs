//! A call tree in little memory, until it is folded into the template of its side.

use crate::input::family::Family;
use crate::input::label::{LabelId, Labels, Symbol};
use crate::portable::Damaged;
use crate::tree::node::{Chain, Cost, NodeId, Role, Tree};
use foldhash::HashMap;
use serde::{Deserialize, Serialize};
use smallvec::smallvec;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A call tree of one sample.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct PackedTree {
    /// The tree without the costs of its leaves.
    pub(super) form: PackedForm,
    /// The leaves, in the order of their nodes.
    pub(super) leaves: Vec<PackedLeaf>,
}

/// Calls and kernels of a sample without times: equal for iterations that run the same code. The root of the tree is left out.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct PackedForm {
    /// Parents before children; the first one is node 1 of the tree.
    pub(super) nodes: Vec<PackedNode>,
    /// The chains of all nodes, one after the other.
    pub(super) labels: Vec<LabelId>,
    /// Modules of leaves that the nodes above do not tell, each path once.
    pub(super) paths: Vec<Vec<LabelId>>,
    /// The leaves that have such modules, or a node of a graph: ascending.
    pub(super) marks: Vec<PackedMark>,
}

/// Modules and graph node of a leaf; few leaves have them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct PackedMark {
    /// Number of the leaf.
    pub(super) leaf: u32,
    /// Number of its path of modules, from 1; 0 for none.
    pub(super) path: u32,
    /// Number of its node in its graph; 0 for none.
    pub(super) graph_node: u32,
}

/// One node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct PackedNode {
    /// Distance of its number from that of its parent.
    pub(super) above: NodeId,
    /// Number of labels of its chain, which follow those of the node before.
    pub(super) chain: u32,
    pub(super) role: Role,
    pub(super) family: Family,
}

/// Cost of a leaf, which is one event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct PackedLeaf {
    pub(super) ns: i64,
    /// Time that is no share of the step that launched it: mostly none.
    pub(super) hidden_ns: i64,
    /// Row of its event, if events are kept; else 0.
    pub(super) row: u32,
    /// A condition on events holds.
    pub(super) is_chosen: bool,
}

impl PackedTree {
    /// Packs a tree, of which each leaf has one event; `rows` are those of its leaves.
    pub(super) fn of(tree: &Tree, rows: &[(NodeId, u32)], keep_rows: bool, is_chosen: impl Fn(u32) -> bool) -> Self {
        let (mut packed, mut leaves) = (PackedForm::default(), Vec::with_capacity(rows.len()));
        packed.nodes.reserve_exact(tree.nodes().len().saturating_sub(1));
        let mut rows = rows.iter();
        let mut known: HashMap<&Arc<Vec<LabelId>>, u32> = HashMap::default();
        for node in tree.nodes().iter().skip(1) {
            packed.labels.extend(&node.chain);
            let (above, chain) = (packed.nodes.len() as NodeId + 1 - node.parent, node.chain.len() as u32);
            packed.nodes.push(PackedNode { above, chain, role: node.role, family: node.family });
            if node.is_leaf() {
                if node.modules.is_some() || node.graph_node != 0 {
                    let path = node.modules.as_ref().map_or(0, |modules| {
                        *known.entry(modules).or_insert_with(|| {
                            packed.paths.push(modules.to_vec());
                            packed.paths.len() as u32
                        })
                    });
                    let leaf = leaves.len() as u32;
                    packed.marks.push(PackedMark { leaf, path, graph_node: node.graph_node });
                }
                let row = rows.next().map_or(0, |&(_, row)| row);
                let (stored_row, is_chosen) = (if keep_rows { row } else { 0 }, is_chosen(row));
                leaves.push(PackedLeaf { ns: node.ns(), hidden_ns: node.ns(), row: stored_row, is_chosen });
            }
        }
        packed.labels.shrink_to_fit();
        Self { form: packed, leaves }
    }

    /// Returns the time of the leaves in ns, by name.
    pub(super) fn work(&self, labels: &Labels) -> BTreeMap<Symbol, i64> {
        let (mut work, mut leaves, mut end) = (BTreeMap::new(), self.leaves.iter(), 0);
        for node in &self.form.nodes {
            end += node.chain as usize;
            if node.role == Role::Leaf
                && let (Some(leaf), Some(&label)) = (leaves.next(), self.form.labels[..end].last())
            {
                *work.entry(labels.get(label).name).or_default() += leaf.ns.max(0);
            }
        }
        work
    }

    /// Checks that parents stand before children, chains are those of roles, and every leaf has its cost.
    ///
    /// # Errors
    /// If the tree was not packed by [`Self::of`].
    pub(super) fn check(&self) -> Result<(), Damaged> {
        let mut leaves = 0;
        for (number, node) in (1_u32..).zip(&self.form.nodes) {
            let parent = number.checked_sub(node.above).filter(|&parent| parent < number);
            let parent = parent.ok_or(Damaged("a node has no parent"))?;
            let has_chain = matches!(node.role, Role::Host | Role::Graph | Role::Leaf);
            let is_below_leaf = parent > 0 && self.form.nodes[parent as usize - 1].role == Role::Leaf;
            if node.role == Role::Root || has_chain != (node.chain > 0) || is_below_leaf {
                return Err(Damaged("a node is at the wrong place"));
            }
            leaves += usize::from(node.role == Role::Leaf);
        }
        let chains: u64 = self.form.nodes.iter().map(|node| u64::from(node.chain)).sum();
        let is_whole = chains == self.form.labels.len() as u64 && leaves == self.leaves.len();
        if is_whole { Ok(()) } else { Err(Damaged("a tree lacks labels or leaves")) }
    }

    /// Visits the labels of the chains of nodes, then those of modules.
    pub(super) fn visit_labels(&mut self, visit: &mut dyn FnMut(&mut LabelId)) {
        self.form.labels.iter_mut().chain(self.form.paths.iter_mut().flatten()).for_each(visit);
    }

    /// Bytes of its vectors.
    pub(super) fn bytes(&self) -> usize {
        let PackedForm { nodes, labels, paths, marks } = &self.form;
        let paths: usize = paths.iter().map(|path| size_of_val(&path[..]) + size_of::<Vec<LabelId>>()).sum();
        size_of_val(&nodes[..])
            + size_of_val(&labels[..])
            + size_of_val(&self.leaves[..])
            + size_of_val(&marks[..])
            + paths
    }
}

impl PackedForm {
    /// Makes the tree of these leaves. Returns the node of each leaf, too.
    pub(super) fn tree(&self, leaves: &[PackedLeaf], labels: &Labels) -> (Tree, Vec<NodeId>) {
        let Self { nodes, labels: chains, paths, marks } = self;
        let (mut tree, mut leaf_nodes, mut from) = (Tree::new(), Vec::with_capacity(leaves.len()), 0);
        for (number, node) in (1..).zip(nodes) {
            let to = from + node.chain as usize;
            let id = tree.add(node.role, number - node.above, Chain::from_slice(&chains[from..to]));
            from = to;
            let made = tree.node_mut(id);
            made.family = node.family;
            if made.is_leaf() {
                let ns = leaves.get(leaf_nodes.len()).map_or(0, |leaf| leaf.ns);
                made.costs = smallvec![Cost { sample: 0, count: 1, ns, attributed_ns: 0 }];
                leaf_nodes.push(id);
            }
        }
        let paths: Vec<Arc<Vec<LabelId>>> = paths.iter().cloned().map(Arc::new).collect();
        for mark in marks {
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

impl PackedLeaf {
    /// Returns its share of the step that launched it, in ns.
    pub(super) fn attributed_ns(&self) -> i64 {
        self.ns.wrapping_sub(self.hidden_ns)
    }
}

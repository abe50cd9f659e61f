//! Top-down mapping of the nodes of control to nodes of test.

use super::period::settle;
use super::score::{Scores, Trees};
use super::sequence::{By, Pairs, Sequences, sequences, worth};
use crate::input::label::{Labels, Level, Symbol};
use crate::tree::hash::Hashes;
use crate::tree::node::{NONE, Node, NodeId, Role, Summary, Tree};
use foldhash::HashMap;
use smallvec::smallvec;

/// Reason why two nodes were paired.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum How {
    /// Part of a subtree with an equal exact or shape hash.
    Subtree(Level),
    /// Equal name hash, unique among its siblings.
    Anchor,
    /// Best score among its siblings.
    Score(f64),
    /// Same content at another position of the tree.
    Moved,
    /// Kernels of one operator, equal in number and families.
    InOrder,
}

/// Unpaired siblings of both sides between two neighbouring pairs.
#[derive(Debug, Clone)]
pub(crate) struct Block {
    pub(crate) control: Vec<NodeId>,
    pub(crate) test: Vec<NodeId>,
    /// The segment was too large to be aligned.
    pub(crate) too_large: bool,
    /// The pairs before and behind the block, if there are any.
    pub(crate) neighbours: [Option<(NodeId, NodeId)>; 2],
    /// Pair of nodes below which the block was found; moves under the same parent come first.
    pub(super) parent: (NodeId, NodeId),
    /// Number of pairs of siblings before the block.
    pub(super) position: usize,
}

/// Partners of nodes, and the nodes without one.
#[derive(Debug)]
pub(crate) struct Mapping {
    /// The trees. A few chains are split where the other side has two nodes.
    pub(crate) control: Tree,
    pub(crate) test: Tree,
    /// Partner of each node, or [`NONE`].
    pub(crate) to_test: Vec<NodeId>,
    pub(crate) to_control: Vec<NodeId>,
    /// Why each node of control has its partner.
    pub(crate) how: Vec<Option<How>>,
    /// Nodes without partners.
    pub(crate) blocks: Vec<Block>,
}

/// Least score of a partner for which a chain is split.
const LEAST_SPLIT: f64 = 0.5;

/// Maps the nodes of two trees.
pub(crate) fn map(trees: Trees, control: Tree, test: Tree, labels: &Labels) -> Mapping {
    let scores = Scores::of(trees, &control, &test, labels);
    let mut aligner = Aligner {
        mapping: Mapping {
            to_test: vec![NONE; control.nodes().len()],
            to_control: vec![NONE; test.nodes().len()],
            how: vec![None; control.nodes().len()],
            control,
            test,
            blocks: Vec::new(),
        },
        scores,
        open: Vec::new(),
    };
    aligner.pair(Tree::ROOT, Tree::ROOT, How::Score(1.0));
    while let Some((a, b)) = aligner.open.pop() {
        aligner.children(a, b);
    }
    aligner.moves();
    aligner.mapping
}

pub(super) struct Aligner<'l> {
    pub(super) mapping: Mapping,
    pub(super) scores: Scores<'l>,
    /// Pairs whose children have not been aligned yet.
    open: Vec<(NodeId, NodeId)>,
}

impl Aligner<'_> {
    /// Pairs two nodes. With equal hashes their subtrees are paired too, otherwise their children are aligned later.
    fn pair(&mut self, a: NodeId, b: NodeId, how: How) {
        let (one, other) = (self.mapping.control.summary(a).hashes, self.mapping.test.summary(b).hashes);
        let level = [Level::Exact, Level::Shape].into_iter().find(|&level| one.at(level) == other.at(level));
        match level {
            Some(level) if self.have_same_form(a, b) => self.pair_subtrees(a, b, How::Subtree(level)),
            _ => {
                self.split(a, b);
                self.link(a, b, how);
                self.open.push((a, b));
            }
        }
    }

    fn link(&mut self, a: NodeId, b: NodeId, how: How) {
        self.mapping.to_test[a as usize] = b;
        self.mapping.to_control[b as usize] = a;
        self.mapping.how[a as usize] = Some(how);
    }

    /// Tells whether two subtrees have the same form, so that their nodes pair in order. Equal hashes can collide.
    pub(super) fn have_same_form(&self, a: NodeId, b: NodeId) -> bool {
        let mut open = vec![(a, b)];
        while let Some((a, b)) = open.pop() {
            let (one, other) = (self.mapping.control.node(a), self.mapping.test.node(b));
            if one.role != other.role || one.children.len() != other.children.len() {
                return false;
            }
            open.extend(one.children.iter().copied().zip(other.children.iter().copied()));
        }
        true
    }

    pub(super) fn pair_subtrees(&mut self, a: NodeId, b: NodeId, how: How) {
        let mut open = vec![(a, b)];
        while let Some((a, b)) = open.pop() {
            self.link(a, b, how);
            let (one, other) = (self.mapping.control.node(a), self.mapping.test.node(b));
            open.extend(one.children.iter().copied().zip(other.children.iter().copied()));
        }
    }

    /// Splits the longer of two chains if it begins with the shorter one and its rest has a partner among the children of the
    /// other node: where a sibling was removed, the only call that is left was joined with its parent to a longer chain.
    fn split(&mut self, a: NodeId, b: NodeId) {
        let (one, other) = (self.mapping.control.node(a), self.mapping.test.node(b));
        let (n, m) = (one.chain.len(), other.chain.len());
        if n == m
            || n.min(m) == 0
            || one.role != Role::Host
            || !self.scores.labels.is_prefix(Level::Name, &one.chain, &other.chain)
        {
            return;
        }
        let longer_is_test = m > n;
        let rest = if longer_is_test {
            split_off(&mut self.mapping.test, b, n, self.scores.labels)
        } else {
            split_off(&mut self.mapping.control, a, m, self.scores.labels)
        };
        let (control, test) = (&self.mapping.control, &self.mapping.test);
        let has_partner = if longer_is_test {
            control.node(a).children.iter().any(|&child| self.is_partner((control, child), (test, rest)))
        } else {
            test.node(b).children.iter().any(|&child| self.is_partner((control, rest), (test, child)))
        };
        match (longer_is_test, has_partner) {
            (true, true) => self.mapping.to_control.push(NONE),
            (false, true) => {
                self.mapping.to_test.push(NONE);
                self.mapping.how.push(None);
            }
            (true, false) => join(&mut self.mapping.test, b),
            (false, false) => join(&mut self.mapping.control, a),
        }
    }

    fn is_partner(&self, control: (&Tree, NodeId), test: (&Tree, NodeId)) -> bool {
        self.scores.share_a_label(control.0.node(control.1), test.0.node(test.1))
            && self.scores.score(control, test).is_some_and(|score| score >= LEAST_SPLIT)
    }

    /// Aligns the children of a pair.
    fn children(&mut self, a: NodeId, b: NodeId) {
        let (control, test) = self.without_wrappers(a, b);
        if let Some(pairs) = self.kernels_in_order(a, b, &control, &test) {
            for (one, other) in pairs {
                self.link(one, other, How::InOrder);
            }
            return;
        }
        let mut found = self.align(&control, &test);
        // A call that seems renamed may be a wrapper instead: the alignment that is worth more is taken.
        let (control, test) =
            match self.without_unknown(a, b).filter(|(ours, theirs)| *ours != control || *theirs != test) {
                Some((ours, theirs)) => {
                    let other = self.align(&ours, &theirs);
                    if other.worth > self.worth_with_children((&control, &test), &found) {
                        found = other;
                        (ours, theirs)
                    } else {
                        (control, test)
                    }
                }
                None => (control, test),
            };
        let Pairs { pairs, too_large, .. } = found;
        let (mut i, mut j, mut before) = (0, 0, None);
        for (position, pair) in pairs.iter().map(Some).chain([None]).enumerate() {
            let (at, beside) = pair.map_or((control.len(), test.len()), |&(at, beside, _)| (at, beside));
            let after = pair.map(|_| (control[at], test[beside]));
            if i < at || j < beside {
                self.mapping.blocks.push(Block {
                    control: control[i..at].to_vec(),
                    test: test[j..beside].to_vec(),
                    too_large,
                    neighbours: [before, after],
                    parent: (a, b),
                    position,
                });
            }
            (i, j, before) = (at + 1, beside + 1, after);
        }
        for (at, beside, by) in pairs {
            let how = match by {
                By::Hash(_) => How::Anchor,
                By::Score(score) => How::Score(score),
            };
            self.pair(control[at], test[beside], how);
        }
    }

    /// Aligns two sequences of siblings.
    pub(super) fn align(&self, control: &[NodeId], test: &[NodeId]) -> Pairs {
        let of = Siblings::new(&self.mapping, &self.scores, control, test);
        let mut found = sequences(&of);
        found.worth = worth(&of, &found.pairs);
        settle(&mut found.pairs, &of.hashes.0, &of.hashes.1);
        found
    }

    /// Pairs the kernels of two operators in order, if both have only kernels, as many, of the same families in order.
    fn kernels_in_order(
        &self,
        a: NodeId,
        b: NodeId,
        control: &[NodeId],
        test: &[NodeId],
    ) -> Option<Vec<(NodeId, NodeId)>> {
        let (one, other) = (&self.mapping.control, &self.mapping.test);
        let labels = self.scores.labels;
        let pairs = || control.iter().copied().zip(test.iter().copied());
        let same = |(x, y): (NodeId, NodeId)| {
            let (x, y) = (one.node(x), other.node(y));
            x.is_leaf() && y.is_leaf() && x.family == y.family
        };
        let fits = control.len() == test.len()
            && one.node(a).is_operator(labels)
            && other.node(b).is_operator(labels)
            && pairs().all(same);
        fits.then(|| pairs().collect())
    }
}

/// Cuts the chain of a node after `at` labels; the rest becomes its only child.
fn split_off(tree: &mut Tree, id: NodeId, at: usize, labels: &Labels) -> NodeId {
    let rest = tree.nodes.len() as NodeId;
    let node = tree.node_mut(id);
    let tail = node.chain.drain(at..).collect();
    let mut below = Node::new(node.role, id, tail);
    below.children = std::mem::replace(&mut node.children, smallvec![rest]);
    for &child in &below.children {
        tree.node_mut(child).parent = rest;
    }
    let summary = Summary { families: tree.summary(id).families, hashes: tree.hashes(&below, labels) };
    tree.nodes.push(below);
    tree.summaries.push(summary);
    rest
}

/// Undoes [`split_off`], whose child is the last node of the tree.
fn join(tree: &mut Tree, id: NodeId) {
    tree.summaries.pop();
    if let Some(mut below) = tree.nodes.pop() {
        for &child in &below.children {
            tree.node_mut(child).parent = id;
        }
        let node = tree.node_mut(id);
        node.chain.append(&mut below.chain);
        node.children = below.children;
    }
}

/// Two sequences of siblings.
struct Siblings<'m, 'l> {
    mapping: &'m Mapping,
    scores: &'m Scores<'l>,
    nodes: (&'m [NodeId], &'m [NodeId]),
    hashes: (Vec<Hashes>, Vec<Hashes>),
    weights: (Vec<f64>, Vec<f64>),
}

impl<'m, 'l> Siblings<'m, 'l> {
    fn new(mapping: &'m Mapping, scores: &'m Scores<'l>, control: &'m [NodeId], test: &'m [NodeId]) -> Self {
        let is_same_graph = is_same_graph((&mapping.control, control), (&mapping.test, test), scores.labels);
        let hashes = |tree: &Tree, nodes: &[NodeId]| {
            let of = |id: NodeId| match (tree.node(id).graph_node, tree.summary(id).hashes) {
                (node, hashes) if is_same_graph && node != 0 => hashes.of_graph_node(node),
                (_, hashes) => hashes,
            };
            nodes.iter().map(|&id| of(id)).collect()
        };
        let weights = |tree: &Tree, nodes: &[NodeId]| {
            nodes.iter().map(|&id| 1.0 + f64::from(tree.summary(id).leaves().max(1)).log2()).collect()
        };
        Self {
            mapping,
            scores,
            nodes: (control, test),
            hashes: (hashes(&mapping.control, control), hashes(&mapping.test, test)),
            weights: (weights(&mapping.control, control), weights(&mapping.test, test)),
        }
    }
}

/// Tells whether two sequences are kernels of the same graph: those of the same node have the same name.
fn is_same_graph((control, ours): (&Tree, &[NodeId]), (test, theirs): (&Tree, &[NodeId]), labels: &Labels) -> bool {
    let names = |tree: &Tree, nodes: &[NodeId]| -> Option<HashMap<u32, Symbol>> {
        let mut names = HashMap::default();
        for node in nodes.iter().map(|&id| tree.node(id)).filter(|node| node.graph_node != 0) {
            let &label = node.chain.last()?;
            if names.insert(node.graph_node, labels.get(label).name).is_some() {
                return None;
            }
        }
        Some(names)
    };
    let (Some(ours), Some(theirs)) = (names(control, ours), names(test, theirs)) else { return false };
    let mut common = ours.iter().filter_map(|(node, name)| Some((name, theirs.get(node)?))).peekable();
    common.peek().is_some() && common.all(|(one, other)| one == other)
}

impl Sequences for Siblings<'_, '_> {
    fn lengths(&self) -> (usize, usize) {
        (self.nodes.0.len(), self.nodes.1.len())
    }

    fn control(&self, at: usize) -> Hashes {
        self.hashes.0[at]
    }

    fn test(&self, at: usize) -> Hashes {
        self.hashes.1[at]
    }

    fn weights(&self) -> (&[f64], &[f64]) {
        (&self.weights.0, &self.weights.1)
    }

    fn score(&self, control: usize, test: usize) -> Option<f64> {
        let (a, b) = (self.nodes.0[control], self.nodes.1[test]);
        self.scores.score((&self.mapping.control, a), (&self.mapping.test, b))
    }
}

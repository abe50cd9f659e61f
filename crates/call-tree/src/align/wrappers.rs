//! Calls around operators that only one side has.

use super::mapping::Aligner;
use super::score::overlap;
use super::sequence::Pairs;
use crate::input::label::Symbol;
use crate::tree::node::{Node, NodeId, Role, Tree};
use std::collections::{BTreeSet, HashSet};

/// An unknown call counts as renamed, not as a wrapper, if a sibling of the other side has as many GPU events ± this share ...
const RENAMED_COUNT: f64 = 0.25;
/// ... and at least this overlap of families.
const RENAMED_OVERLAP: f64 = 0.8;

impl Aligner<'_> {
    /// Returns the children of both nodes, with wrappers replaced by their children. A wrapper is a call around several operators
    /// that only one side has.
    pub(super) fn without_wrappers(&self, a: NodeId, b: NodeId) -> (Vec<NodeId>, Vec<NodeId>) {
        let (control, test) = (&self.mapping.control, &self.mapping.test);
        let (ours, theirs) = (&control.node(a).children, &test.node(b).children);
        let one = expand((control, ours), |id| self.is_wrapper((control, id), &self.names.1, (test, theirs)));
        let other = expand((test, theirs), |id| self.is_wrapper((test, id), &self.names.0, (control, ours)));
        (one, other)
    }

    /// Returns the children of both nodes, with all unknown calls around operators replaced by their children; `None` if only one side has
    /// such a call, or neither.
    pub(super) fn without_unknown(&self, a: NodeId, b: NodeId) -> Option<(Vec<NodeId>, Vec<NodeId>)> {
        let (control, test) = (&self.mapping.control, &self.mapping.test);
        let (ours, theirs) = (&control.node(a).children, &test.node(b).children);
        let has_some = |tree: &Tree, children: &[NodeId], known: &HashSet<Symbol>| {
            children.iter().any(|&child| self.is_unknown((tree, child), known))
        };
        let both = has_some(control, ours, &self.names.1) && has_some(test, theirs, &self.names.0);
        both.then(|| {
            let one = expand((control, ours), |id| self.is_unknown((control, id), &self.names.1));
            (one, expand((test, theirs), |id| self.is_unknown((test, id), &self.names.0)))
        })
    }

    /// Returns what an alignment is worth with that of the children of all calls that the other side does not know.
    pub(super) fn worth_with_children(&self, (control, test): (&[NodeId], &[NodeId]), found: &Pairs) -> f64 {
        let trees = (&self.mapping.control, &self.mapping.test);
        let is_unknown = |side: usize, id: NodeId| {
            if side == 0 {
                self.is_unknown((trees.0, id), &self.names.1)
            } else {
                self.is_unknown((trees.1, id), &self.names.0)
            }
        };
        let mut worth = found.worth;
        let mut alone: [BTreeSet<NodeId>; 2] = [control, test].map(|nodes| nodes.iter().copied().collect());
        for &(at, beside, _) in &found.pairs {
            let (one, other) = (control[at], test[beside]);
            alone[0].remove(&one);
            alone[1].remove(&other);
            if is_unknown(0, one) || is_unknown(1, other) {
                worth += self.align(&trees.0.node(one).children, &trees.1.node(other).children).worth;
            }
        }
        for (side, alone) in alone.into_iter().enumerate() {
            for id in alone.into_iter().filter(|&id| is_unknown(side, id)) {
                let children = if side == 0 { &trees.0.node(id).children } else { &trees.1.node(id).children };
                let (ours, theirs) = if side == 0 { (&children[..], &[][..]) } else { (&[][..], &children[..]) };
                worth += self.align(ours, theirs).worth;
            }
        }
        worth
    }

    /// Tells whether a call around operators has names that the other side does not know.
    fn is_unknown(&self, (tree, id): (&Tree, NodeId), known: &HashSet<Symbol>) -> bool {
        let node = tree.node(id);
        node.role == Role::Host
            && node.children.iter().any(|&child| tree.node(child).role == Role::Host)
            && node.chain.iter().all(|&id| !known.contains(&self.scores.labels.get(id).name))
    }

    fn is_wrapper(
        &self,
        (tree, id): (&Tree, NodeId),
        known: &HashSet<Symbol>,
        (other, siblings): (&Tree, &[NodeId]),
    ) -> bool {
        let node = tree.node(id);
        // A sibling that looks like a child is that child's partner, not the wrapper's.
        let has_child_like =
            |sibling: &Node| node.children.iter().any(|&child| self.scores.share_a_label(tree.node(child), sibling));
        let renamed = |sibling: &Node| {
            let (n, m) = (f64::from(node.leaves()), f64::from(sibling.leaves()));
            sibling.role == Role::Host
                && (n - m).abs() <= RENAMED_COUNT * n.max(m)
                && overlap(&node.families, &sibling.families) >= RENAMED_OVERLAP
                && !has_child_like(sibling)
        };
        self.is_unknown((tree, id), known) && !siblings.iter().any(|&sibling| renamed(other.node(sibling)))
    }
}

/// Returns children, those that are wrappers replaced by their own.
fn expand((tree, children): (&Tree, &[NodeId]), is_wrapper: impl Fn(NodeId) -> bool) -> Vec<NodeId> {
    let mut expanded = Vec::with_capacity(children.len());
    let mut open: Vec<NodeId> = children.iter().rev().copied().collect();
    while let Some(id) = open.pop() {
        if is_wrapper(id) {
            open.extend(tree.node(id).children.iter().rev());
        } else {
            expanded.push(id);
        }
    }
    expanded
}

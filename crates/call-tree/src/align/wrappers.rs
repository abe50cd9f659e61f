//! Calls around operators that only one side has.

use super::mapping::Aligner;
use super::score::overlap;
use super::sequence::Pairs;
use crate::tree::node::{Node, NodeId, Role, Tree};
use std::collections::BTreeSet;

/// An unknown call counts as renamed, not as a wrapper, if a sibling of the other side has as many GPU events ± this share ...
const RENAMED_COUNT: f64 = 0.25;
/// ... and at least this overlap of families.
const RENAMED_OVERLAP: f64 = 0.8;

impl Aligner<'_> {
    /// Returns the children of both nodes, with wrappers replaced by their children. A wrapper is a call around several operators
    /// that only one side has.
    pub(super) fn without_wrappers(&self, a: NodeId, b: NodeId) -> (Vec<NodeId>, Vec<NodeId>) {
        let (ours, theirs) = (&self.tree(0).node(a).children, &self.tree(1).node(b).children);
        let one = expand((self.tree(0), ours), |id| self.is_wrapper(0, id, theirs));
        (one, expand((self.tree(1), theirs), |id| self.is_wrapper(1, id, ours)))
    }

    /// Returns the children of both nodes, with all unknown calls around operators replaced by their children; `None` if only one side has
    /// such a call, or neither.
    pub(super) fn without_unknown(&self, a: NodeId, b: NodeId) -> Option<(Vec<NodeId>, Vec<NodeId>)> {
        let (ours, theirs) = (&self.tree(0).node(a).children, &self.tree(1).node(b).children);
        let has_some = |side, children: &[NodeId]| children.iter().any(|&child| self.is_unknown(side, child));
        (has_some(0, ours) && has_some(1, theirs)).then(|| {
            let expanded = |side, children| expand((self.tree(side), children), |id| self.is_unknown(side, id));
            (expanded(0, ours), expanded(1, theirs))
        })
    }

    /// Returns the worth of an alignment with that of the children of all calls that the other side does not know.
    pub(super) fn worth_with_children(&self, (control, test): (&[NodeId], &[NodeId]), found: &Pairs) -> f64 {
        let children = |side, id| &self.tree(side).node(id).children[..];
        let mut worth = found.worth;
        let mut alone: [BTreeSet<NodeId>; 2] = [control, test].map(|nodes| nodes.iter().copied().collect());
        for &(at, beside, _) in &found.pairs {
            let (one, other) = (control[at], test[beside]);
            alone[0].remove(&one);
            alone[1].remove(&other);
            if self.is_unknown(0, one) || self.is_unknown(1, other) {
                worth += self.align(children(0, one), children(1, other)).worth;
            }
        }
        let [control, test] = alone;
        let unknown = |side, alone: BTreeSet<NodeId>| alone.into_iter().filter(move |&id| self.is_unknown(side, id));
        worth += unknown(0, control).map(|id| self.align(children(0, id), &[]).worth).sum::<f64>();
        worth + unknown(1, test).map(|id| self.align(&[], children(1, id)).worth).sum::<f64>()
    }

    /// The tree of control (0) or test (1).
    fn tree(&self, side: usize) -> &Tree {
        if side == 0 { &self.mapping.control } else { &self.mapping.test }
    }

    /// Tells whether a call around operators has names that the other side does not know.
    fn is_unknown(&self, side: usize, id: NodeId) -> bool {
        let (tree, node) = (self.tree(side), self.tree(side).node(id));
        node.role == Role::Host
            && node.children.iter().any(|&child| tree.node(child).role == Role::Host)
            && !node.chain.iter().any(|&id| self.scores.is_on_side(id, 1 - side))
    }

    /// Tells whether an unknown call is a wrapper: no sibling of the other side is the same call under another name.
    fn is_wrapper(&self, side: usize, id: NodeId, siblings: &[NodeId]) -> bool {
        let (tree, node) = (self.tree(side), self.tree(side).node(id));
        // A sibling that looks like a child is that child's partner, not the wrapper's.
        let has_child_like =
            |sibling: &Node| node.children.iter().any(|&child| self.scores.share_a_label(tree.node(child), sibling));
        let (own, other) = (tree.summary(id), self.tree(1 - side));
        let renamed = |sibling: NodeId| {
            let (sibling, its) = (other.node(sibling), other.summary(sibling));
            let (n, m) = (f64::from(own.leaves()), f64::from(its.leaves()));
            sibling.role == Role::Host
                && (n - m).abs() <= RENAMED_COUNT * n.max(m)
                && overlap(&own.families, &its.families) >= RENAMED_OVERLAP
                && !has_child_like(sibling)
        };
        self.is_unknown(side, id) && !siblings.iter().any(|&sibling| renamed(sibling))
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

//! Fused and split kernels: a kernel that changed where a neighbour is gone, or new.

use super::mapping::Mapping;
use crate::input::label::{Labels, Level};
use crate::tree::node::{NONE, NodeId, Tree};

/// Least share of the paired kernels with equal names. Below it the sides use other libraries: a changed kernel tells nothing.
const SAME_LIBRARY: f64 = 0.8;
/// Most kernels that one takes over.
const MOST_FUSED: usize = 4;

/// Finds fused and split kernels: leaves of control and of test that are one region each.
///
/// A call that only one side has belongs to the call before or behind it if that one has the same number of kernels left, but
/// with another name: it does the work of both. Kernels of an operator itself are compared as a set anyway.
pub(super) fn fusions(mapping: &Mapping, labels: &Labels) -> Vec<(Vec<NodeId>, Vec<NodeId>)> {
    let (control, test) = (&mapping.control, &mapping.test);
    let equal = |a: NodeId, b: NodeId| labels.equal(Level::Name, &control.node(a).chain, &test.node(b).chain);
    let is_gpu = |tree: &Tree, leaf: NodeId| {
        let node = tree.node(leaf);
        node.is_leaf() && node.chain.last().is_some_and(|&id| labels.kind(id).is_gpu())
    };
    let pairs = (0..).zip(&mapping.to_test).filter(|&(a, b)| *b != NONE && is_gpu(control, a));
    let (mut all, mut same) = (0.0, 0.0);
    for (a, &b) in pairs {
        all += 1.0;
        same += f64::from(u8::from(equal(a, b)));
    }
    if same < SAME_LIBRARY * all {
        return Vec::new();
    }
    let mut found = Vec::new();
    for block in &mapping.blocks {
        let (tree, nodes) = match (&block.control[..], &block.test[..]) {
            (nodes, []) => (control, nodes),
            ([], nodes) => (test, nodes),
            _ => continue,
        };
        let left: Vec<NodeId> = nodes.iter().flat_map(|&id| tree.leaves(id)).collect();
        let fits = (1..=MOST_FUSED).contains(&left.len())
            && left.iter().all(|&leaf| is_gpu(tree, leaf))
            && !nodes.iter().any(|&id| tree.node(id).is_leaf());
        if !fits {
            continue;
        }
        for (a, b) in block.neighbours.into_iter().flatten() {
            let changed = |tree: &Tree, id: NodeId, is_equal: &dyn Fn(NodeId) -> bool| -> Vec<NodeId> {
                tree.leaves(id).into_iter().filter(|&leaf| !is_equal(leaf)).collect()
            };
            let mut ours = changed(control, a, &|leaf| {
                let to = mapping.to_test[leaf as usize];
                to != NONE && equal(leaf, to)
            });
            let mut theirs = changed(test, b, &|leaf| {
                let to = mapping.to_control[leaf as usize];
                to != NONE && equal(to, leaf)
            });
            if ours.len() == 1 && theirs.len() == 1 && is_gpu(control, ours[0]) && is_gpu(test, theirs[0]) {
                if block.test.is_empty() {
                    ours.extend(left)
                } else {
                    theirs.extend(left)
                }
                found.push((ours, theirs));
                break;
            }
        }
    }
    found
}

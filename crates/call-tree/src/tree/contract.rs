//! Contraction: a chain of single children becomes one node that keeps the list of its labels.

use super::node::{NodeId, Role, Tree};

/// Contracts chains of host nodes, and numbers the nodes anew: parents before children, children in order. Families and hashes are
/// not computed.
pub(crate) fn contract(tree: &Tree) -> Tree {
    let mut contracted = Tree::new();
    let mut open: Vec<(NodeId, NodeId)> = Vec::new();
    let push = |open: &mut Vec<(NodeId, NodeId)>, from: NodeId, to: NodeId| {
        open.extend(tree.node(from).children.iter().rev().map(|&child| (child, to)));
    };
    push(&mut open, Tree::ROOT, Tree::ROOT);
    while let Some((from, parent)) = open.pop() {
        let mut node = tree.node(from);
        let mut last = from;
        let mut chain = node.chain.clone();
        while node.role == Role::Host
            && let [only] = node.children[..]
            && tree.node(only).role == Role::Host
        {
            last = only;
            node = tree.node(only);
            chain.extend(&node.chain);
        }
        let id = contracted.add(tree.node(from).role, parent, chain);
        let made = contracted.node_mut(id);
        made.costs.clone_from(&node.costs);
        made.family = node.family;
        made.graph_node = node.graph_node;
        made.modules.clone_from(&node.modules);
        push(&mut open, last, id);
    }
    contracted
}

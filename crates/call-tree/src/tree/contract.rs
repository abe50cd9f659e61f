//! Contraction: a chain of single children becomes one node that keeps the list of its labels.

use super::node::{Children, Node, NodeId, Role, Tree};

/// Contracts chains of host nodes, and numbers the nodes anew: parents before children, children in order. Summaries are not computed.
pub(crate) fn contract(mut tree: Tree) -> Tree {
    let mut contracted = Tree::with_capacity(tree.nodes.iter().filter(|node| only_host(&tree, node).is_none()).count());
    let mut open: Vec<(NodeId, NodeId)> = Vec::new();
    let push = |open: &mut Vec<(NodeId, NodeId)>, children: Children, to: NodeId| {
        open.extend(children.into_iter().rev().map(|child| (child, to)));
    };
    push(&mut open, std::mem::take(&mut tree.node_mut(Tree::ROOT).children), Tree::ROOT);
    while let Some((from, parent)) = open.pop() {
        let node = tree.node_mut(from);
        let (role, mut chain) = (node.role, std::mem::take(&mut node.chain));
        let mut last = from;
        while let Some(only) = only_host(&tree, tree.node(last)) {
            last = only;
            chain.append(&mut tree.node_mut(only).chain);
        }
        let id = contracted.add(role, parent, chain);
        let (node, made) = (tree.node_mut(last), contracted.node_mut(id));
        made.costs = std::mem::take(&mut node.costs);
        made.family = node.family;
        made.graph_node = node.graph_node;
        made.modules = node.modules.take();
        push(&mut open, std::mem::take(&mut node.children), id);
    }
    contracted
}

/// The only child of a host node, if it is a host node, too.
fn only_host(tree: &Tree, node: &Node) -> Option<NodeId> {
    let &[only] = &node.children[..] else { return None };
    (node.role == Role::Host && tree.node(only).role == Role::Host).then_some(only)
}

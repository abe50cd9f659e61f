//! Names of the rows of the aligned tree.

use crate::shorten_name;
use call_tree::{Alignment, Kind, LabelId, Labels, NodeId, Region, Role, Tree};
use trace_view::tidy;

/// Name of a call: the innermost annotation, module and operator of its chain; without any, the innermost frame of Python.
pub(super) fn call_name(tree: &Tree, id: NodeId, labels: &Labels) -> String {
    let node = tree.node(id);
    match node.role {
        Role::Root => "step".to_owned(),
        Role::Thread => thread_name(tree, id, labels),
        Role::LaunchedBefore => "launched before the recording".to_owned(),
        _ => chain_name(&node.chain, labels),
    }
}

fn chain_name(chain: &[LabelId], labels: &Labels) -> String {
    let mut entries: Vec<(Kind, &str)> = Vec::new();
    for &label in chain.iter().rev() {
        let kind = labels.kind(label);
        if kind != Kind::Python && !entries.iter().any(|(known, _)| *known == kind) {
            entries.push((kind, labels.text(label)));
        }
    }
    if entries.is_empty() {
        return chain.last().map_or_else(String::new, |&label| short_path(labels.text(label)));
    }
    entries.iter().rev().map(|(_, text)| *text).collect::<Vec<_>>().join(" › ")
}

/// Autograd runs on a thread of its own.
fn thread_name(tree: &Tree, id: NodeId, labels: &Labels) -> String {
    let mut open = vec![id];
    let mut seen = 0;
    while let Some(id) = open.pop().filter(|_| seen < 100) {
        seen += 1;
        if tree.node(id).chain.iter().any(|&label| labels.text(label).starts_with("autograd::engine")) {
            return "other thread (autograd)".to_owned();
        }
        open.extend(&tree.node(id).children);
    }
    "other thread".to_owned()
}

/// Modules of a call, the outermost first.
pub(super) fn modules(tree: &Tree, id: NodeId, labels: &Labels) -> Vec<String> {
    let chain = tree.node(id).chain.iter();
    chain.filter(|&&label| labels.kind(label) == Kind::Module).map(|&label| labels.text(label).to_owned()).collect()
}

/// Name of a region by its kernels; empty for the time of a host event itself.
pub(super) fn region_name(alignment: &Alignment, region: &Region, labels: &Labels) -> String {
    let control = kernels(&alignment.control, &region.control, labels);
    let test = kernels(&alignment.test, &region.test, labels);
    match (region.control.is_empty(), region.test.is_empty()) {
        (true, _) => test,
        (_, true) => control,
        _ => either([control, test].into_iter()),
    }
}

/// The leaf with most time; of equal ones the first.
pub(in crate::explain) fn main_leaf(tree: &Tree, leaves: &[NodeId]) -> Option<NodeId> {
    leaves.iter().copied().rev().max_by_key(|&leaf| tree.node(leaf).ns())
}

/// The names of two sides: one where they are equal, else `gemm_a → gemm_b`.
pub(in crate::explain) fn either(names: impl Iterator<Item = String>) -> String {
    let mut names: Vec<String> = names.collect();
    names.dedup();
    names.join(" → ")
}

/// Name of leaves of one side: that with most time, and how many more there are.
fn kernels(tree: &Tree, leaves: &[NodeId], labels: &Labels) -> String {
    let name = main_leaf(tree, leaves).map_or_else(String::new, |leaf| kernel_name(tree, leaf, labels));
    match (leaves.len(), name.is_empty()) {
        (0 | 1, _) => name,
        (count, true) => format!("own time of {count} calls"),
        (count, false) => format!("{name} and {} more", count - 1),
    }
}

/// Short name of a kernel; empty for the time of a host event itself.
pub(super) fn kernel_name(tree: &Tree, leaf: NodeId, labels: &Labels) -> String {
    match tree.node(leaf).chain.last() {
        Some(&label) if labels.kind(label).is_gpu() => tidy(&shorten_name(labels.text(label))),
        _ => String::new(),
    }
}

/// One name where both sides agree but for numbers, which count instances and lines; else both.
pub(super) fn either_name(control: &str, test: &str) -> String {
    let plain = |name: &str| name.chars().filter(|c| !c.is_ascii_digit()).collect::<String>();
    if plain(control) == plain(test) { control.to_owned() } else { format!("{control} → {test}") }
}

/// `lib/torch/nn/modules/linear.py(114): forward` → `modules/linear.py(114): forward`
fn short_path(name: &str) -> String {
    let Some(at) = name.find(".py(") else { return name.to_owned() };
    let cut = name[..at].rmatch_indices('/').nth(1).map_or(0, |(slash, _)| slash + 1);
    name[cut..].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_show_both_sides_only_where_they_differ() {
        assert_eq!(either_name("nn.Module: Layer_11", "nn.Module: Layer_10"), "nn.Module: Layer_11");
        assert_eq!(either_name("aten::gelu", "aten::relu"), "aten::gelu → aten::relu");
    }

    #[test]
    fn paths_keep_their_last_two_parts() {
        assert_eq!(short_path("a/b/modules/linear.py(1): forward"), "modules/linear.py(1): forward");
        assert_eq!(short_path("train.py(1): step"), "train.py(1): step");
        assert_eq!(short_path("aten::mm"), "aten::mm");
    }
}

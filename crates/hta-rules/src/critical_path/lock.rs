//! Edges between calls that HTA takes to share the runtime's lock.

use super::Frame;
use super::edges::{EdgeKind, Edges};
use super::graph::Stage;
use super::names::Meaning;

/// Adds the edges of `cudaHostAlloc`, `cudaLaunchKernel` and `cudaMemcpyAsync` of all threads: the call that ends first had the
/// lock first.
///
/// ```text
/// thread 1   |--- L1 ---|
/// thread 2      |------ L2 ------|      L1 → L1's end, L2 → L1's end, L1's end → L2's end
/// ```
///
/// All starts that are pending at the first end lead to that end, and lose the way to their own, as in HTA: the time that they
/// then take is on no path.
pub(super) fn add<F: Frame>(stage: &Stage<'_, F>, edges: &mut Edges) {
    let (nodes, mut pending, mut last) = (&stage.nodes, Vec::new(), None);
    for (number, node) in nodes.list.iter().enumerate() {
        if !stage.name(node.event).is(Meaning::LOCK) {
            continue;
        }
        let number = number as u32;
        if node.is_start {
            pending.push(number);
        } else {
            while let Some(start) = pending.pop() {
                if nodes.node(start).event == node.event {
                    let event = Some(stage.row(node.event).index);
                    edges.add(nodes, [start, number], EdgeKind::Operator, false, event);
                } else {
                    edges.add(nodes, [start, number], EdgeKind::Dependency, false, None);
                }
            }
            if let Some(last) = last.filter(|&last| !nodes.node(last).is_start) {
                edges.add(nodes, [last, number], EdgeKind::Dependency, false, None);
            }
        }
        last = Some(number);
    }
}

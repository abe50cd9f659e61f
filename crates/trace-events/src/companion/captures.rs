//! Captures of graphs in a recording: calls between the begin and the end of a capture, which launch nothing yet.

use super::batches;
use crate::domain::is_collective;
use crate::frame::{RankEvents, TextColumn};
use call_tree::{Capture, Class, Event, Kind, LabelId, Labels};
use std::collections::BTreeMap;

/// What a runtime call does in a capture.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Role {
    Begin,
    End,
    /// Adds a kernel, a copy or a fill to the graph.
    Node(Class),
    Other,
}

/// Returns the captures by their begins, each with the batch that the annotation around it names. `kernels` are the names of launched kernels
/// by row, as ROCm writes them; CUDA writes none.
pub(super) fn captures(
    rows: &RankEvents,
    events: &[Event],
    kernels: Option<&TextColumn>,
    labels: &mut Labels,
) -> Vec<Capture> {
    let mut roles: BTreeMap<LabelId, Role> = BTreeMap::new();
    let mut calls: Vec<(u32, u32, Role)> = Vec::new();
    for (event, at) in events.iter().zip(0..).filter(|(event, _)| event.kind == Kind::Launch) {
        let role = *roles.entry(event.label).or_insert_with(|| role(labels.text(event.label)));
        if role != Role::Other {
            calls.push((event.thread, at, role));
        }
    }
    if !roles.values().any(|role| *role == Role::Begin) {
        return Vec::new();
    }
    calls.sort_unstable_by_key(|&(thread, at, _)| (thread, events[at as usize].start, at));
    let mut found: Vec<Vec<(u32, LabelId)>> = Vec::new();
    // The captures that are open: one may begin inside another, on a second stream.
    let (mut open, mut of): (Vec<Vec<(u32, LabelId)>>, Option<u32>) = (Vec::new(), None);
    for (thread, at, role) in calls {
        if of != Some(thread) {
            // A capture without an end is of a recording that ends before it.
            open.clear();
            of = Some(thread);
        }
        match role {
            Role::Begin => open.push(Vec::new()),
            Role::End => found.extend(open.pop().filter(|capture| !capture.is_empty())),
            Role::Node(class) => {
                if let Some(capture) = open.last_mut() {
                    let row = events[at as usize].row as usize;
                    capture.push((
                        at,
                        node(class, kernels.and_then(|kernels| Some(kernels.text(Some(kernels.code(row)?)))), labels),
                    ));
                }
            }
            Role::Other => {}
        }
    }
    found.sort_by_key(|capture| events[capture[0].0 as usize].start);
    let annotated = batches::captured(rows);
    let captured = |launches: Vec<(u32, LabelId)>| {
        let first = launches.first().map(|&(at, _)| events[at as usize].row as usize);
        Capture { batch: first.and_then(|row| annotated.around(rows, row).pop()), launches }
    };
    found.into_iter().map(captured).collect()
}

/// The label of a kernel, a copy or a fill; without a text if the name is not recorded.
fn node(class: Class, kernel: Option<&str>, labels: &mut Labels) -> LabelId {
    let name = kernel.unwrap_or_default();
    let class = if class == Class::Compute && is_collective(name) { Class::Communication } else { class };
    labels.add(Kind::Gpu(class), name, "")
}

fn role(name: &str) -> Role {
    match name {
        name if name.contains("StreamBeginCapture") => Role::Begin,
        name if name.contains("StreamEndCapture") => Role::End,
        name if name.contains("Launch") && name.contains("Kernel") => Role::Node(Class::Compute),
        name if name.contains("Memcpy") || name.contains("Memset") => Role::Node(Class::Copy),
        _ => Role::Other,
    }
}

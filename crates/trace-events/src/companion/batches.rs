//! Batches of graphs, as the annotations of servers around their captures and their launches name them.

use crate::frame::RankEvents;
use crate::serving::{Annotated, CapturedGraph, ServedPhase};
use call_tree::{Batch, Event, Kind};

/// Reads the annotations around captures: `capture_32_FULL`.
pub(super) fn captured(rows: &RankEvents) -> Annotated<Batch> {
    Annotated::of(rows, |name| {
        let graph = CapturedGraph::of_annotation(name)?;
        Some(Batch { size: graph.size, decodes: graph.runs_decode(), prefills: graph.runs_prefill() })
    })
}

/// Returns the rows of launches of graphs, ascending, with the batches that the steps of a server around them name.
pub(super) fn batches(rows: &RankEvents, events: &[Event]) -> Vec<(u32, Batch)> {
    let launches = || events.iter().filter(|event| event.kind == Kind::GraphLaunch);
    if launches().next().is_none() {
        return Vec::new();
    }
    let steps = Annotated::steps(rows);
    let batch = |event: &Event| {
        let step = steps.step(rows, event.row as usize)?;
        let (decodes, prefills) = match step.phase {
            ServedPhase::Decode => (true, false),
            ServedPhase::Prefill | ServedPhase::Mixed => (false, true),
            _ => return None,
        };
        Some((event.row, Batch { size: step.named_graph_size()?, decodes, prefills }))
    };
    let mut found: Vec<(u32, Batch)> = launches().filter_map(batch).collect();
    found.sort_unstable_by_key(|&(row, _)| row);
    found
}

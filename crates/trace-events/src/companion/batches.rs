//! Batches of graphs, as the annotations of servers around their captures and their launches name them.

use crate::domain::EventKind;
use crate::exec::checkpoint::cancellable;
use crate::frame::RankEvents;
use crate::serving::{CapturedGraph, ServedPhase, ServedStep};
use call_tree::{Batch, Event, Kind};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// A process and a thread.
type Thread = (Option<i64>, Option<i64>);

/// An annotation, and the latest end of its thread up to it.
struct Span<T> {
    start: i64,
    end: i64,
    latest: i64,
    of: T,
}

/// Annotations of a rank that were read, by thread.
pub(super) struct Annotated<T>(BTreeMap<Thread, Vec<Span<T>>>);

impl Annotated<Batch> {
    /// Reads the annotations around captures: `capture_32_FULL`.
    pub(super) fn captures(rows: &RankEvents) -> Self {
        Self::of(rows, |name| {
            let graph = CapturedGraph::of_annotation(name)?;
            Some(Batch { size: graph.size, decodes: graph.runs_decode(), prefills: graph.runs_prefill() })
        })
    }
}

impl<T: Copy> Annotated<T> {
    fn of(rows: &RankEvents, read: impl Fn(&str) -> Option<T>) -> Self {
        let mut found: BTreeMap<Thread, Vec<Span<T>>> = BTreeMap::new();
        let mut read = rows.per_text(read);
        let kinds = rows.kinds();
        for row in cancellable(0..rows.len()).filter(|&row| kinds[row] == EventKind::Annotation) {
            if let (Some(of), Some(start)) = (read(rows.name(row)), rows.ts(row)) {
                let end = start.saturating_add(rows.dur(row).max(0));
                found.entry(rows.thread(row)).or_default().push(Span { start, end, latest: end, of });
            }
        }
        for spans in found.values_mut() {
            spans.sort_by_key(|span| (span.start, Reverse(span.end)));
            let mut latest = i64::MIN;
            for span in spans {
                latest = latest.max(span.end);
                span.latest = latest;
            }
        }
        Self(found)
    }

    /// Returns the annotations around an event of the CPU, the outermost first.
    pub(super) fn around(&self, rows: &RankEvents, row: usize) -> Vec<T> {
        let (Some(at), Some(spans)) = (rows.ts(row), self.0.get(&rows.thread(row))) else { return Vec::new() };
        let before = &spans[..spans.partition_point(|span| span.start <= at)];
        let mut found: Vec<T> = (before.iter().rev())
            .take_while(|span| at < span.latest)
            .filter(|span| at < span.end)
            .map(|span| span.of)
            .collect();
        found.reverse();
        found
    }
}

/// Returns the rows of launches of graphs, ascending, with the batches that the steps of a server around them name.
pub(super) fn batches(rows: &RankEvents, events: &[Event]) -> Vec<(u32, Batch)> {
    let launches = || events.iter().filter(|event| event.kind == Kind::GraphLaunch);
    if launches().next().is_none() {
        return Vec::new();
    }
    let steps = Annotated::of(rows, ServedStep::of_annotation);
    let batch = |event: &Event| {
        let step = steps.around(rows, event.row as usize).into_iter().reduce(ServedStep::completed_by)?;
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

//! Levels of events that do not nest: the first that is free.

use super::Span;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Sorts events by start, the longer ones first, then by event.
fn sort(spans: &mut [Span]) {
    spans.sort_by_key(|span| (span.start, Reverse(span.end()), span.event));
}

/// Sorts the events of a stream and returns their levels: of each the first level on which nothing else runs.
///
/// ```text
/// level 0   |---- a ----||-- c --|
/// level 1         |-- b --|
/// ```
pub fn side_by_side(spans: &mut [Span]) -> Vec<u32> {
    sort(spans);
    let mut running: BinaryHeap<Reverse<(i64, u32)>> = BinaryHeap::new();
    let mut free: BinaryHeap<Reverse<u32>> = BinaryHeap::new();
    let level = |span: &Span| {
        while let Some(&Reverse((end, level))) = running.peek()
            && end <= span.start
        {
            running.pop();
            free.push(Reverse(level));
        }
        let level = free.pop().map_or(running.len() as u32, |Reverse(level)| level);
        running.push(Reverse((span.drawn_end(), level)));
        level
    };
    spans.iter().map(level).collect()
}

//! Threads that hand over to each other: one falls silent, another works, the first goes on.

use super::number::RankDraft;
use crate::input::check::{Check, Stopped, at_times};
use crate::input::event::{HostKind, NONE};

/// A point of one thread that waits for a point of another, by their numbers within the rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct HandOver {
    pub(crate) to: u32,
    pub(crate) from: u32,
}

/// An interval between two points of a thread without work.
#[derive(Debug, Clone, Copy)]
struct Gap {
    span: u32,
    /// The point at its end.
    end: u32,
    from: i64,
    to: i64,
}

/// Finds where threads of a rank hand over.
///
/// A thread is silent in an interval between two of its points that only annotations and Python functions cover. It handed over to
/// another one if that one begins its work and ends it in the interval, is silent before and after, and works for at least a third of it.
/// Then the other thread's first point waits for the interval's begin, and the point at its end for the other thread's last one.
pub(crate) fn hand_overs(rank: &RankDraft, ts: &[i64], check: &mut Check<'_>) -> Result<Vec<HandOver>, Stopped> {
    let spans = &rank.threads.spans;
    if spans.len() < 2 {
        return Ok(Vec::new());
    }
    // The points at which work begins and ends, thread by thread.
    let works: Vec<Vec<(u32, u32)>> = spans.iter().map(|span| works(rank, span.first, span.end)).collect();
    let mut found: Vec<(HandOver, i64)> = Vec::new();
    for (number, span) in (0..).zip(spans) {
        // By thread the first work that begins in a gap or after it; gaps come in order.
        let mut cursors = vec![0; works.len()];
        for end in span.first + 1..span.end {
            let (from, to) = (ts[end as usize - 1], ts[end as usize]);
            if to > from && is_silent(rank, end) {
                at_times(end as usize, check)?;
                let gap = Gap { span: number, end, from, to };
                within(&gap, &works, &mut cursors, ts, &mut found);
            }
        }
    }
    // Of several threads that handed over to a point, the last one did.
    found.sort_by_key(|(hand_over, at)| (hand_over.to, std::cmp::Reverse(*at), hand_over.from));
    found.dedup_by_key(|(hand_over, _)| hand_over.to);
    Ok(found.into_iter().map(|(hand_over, _)| hand_over).collect())
}

/// Finds the threads to which a silent one handed over in a gap.
fn within(gap: &Gap, works: &[Vec<(u32, u32)>], cursors: &mut [usize], ts: &[i64], found: &mut Vec<(HandOver, i64)>) {
    for ((_, works), cursor) in (0..).zip(works).zip(cursors).filter(|((number, _), _)| *number != gap.span) {
        while works.get(*cursor).is_some_and(|work| ts[work.0 as usize] < gap.from) {
            *cursor += 1;
        }
        let first = *cursor;
        let end = first + works[first..].iter().take_while(|work| ts[work.1 as usize] <= gap.to).count();
        if first == end {
            continue;
        }
        let is_silent_before = first == 0 || ts[works[first - 1].1 as usize] <= gap.from;
        let is_silent_after = end == works.len() || ts[works[end].0 as usize] >= gap.to;
        // A thread that only looks in from time to time does not work for the one that waits.
        let length = |work: &(u32, u32)| i128::from(ts[work.1 as usize]) - i128::from(ts[work.0 as usize]);
        let worked: i128 = works[first..end].iter().map(length).sum();
        if is_silent_before && is_silent_after && worked >= (i128::from(gap.to) - i128::from(gap.from)) / 3 {
            let (begin, over) = (works[first].0, works[end - 1].1);
            found.push((HandOver { to: begin, from: gap.end - 1 }, gap.from));
            found.push((HandOver { to: gap.end, from: over }, ts[over as usize]));
        }
    }
}

/// The intervals of work of a thread: first and last point of each.
fn works(rank: &RankDraft, first: u32, end: u32) -> Vec<(u32, u32)> {
    let mut works: Vec<(u32, u32)> = Vec::new();
    for point in first + 1..end {
        if is_silent(rank, point) {
            continue;
        }
        match works.last_mut() {
            Some(work) if work.1 == point - 1 => work.1 = point,
            _ => works.push((point - 1, point)),
        }
    }
    works
}

/// Tells whether no work covers the interval that ends at a point.
pub(crate) fn is_silent(rank: &RankDraft, point: u32) -> bool {
    match rank.threads.owner[point as usize] {
        NONE => true,
        owner => matches!(rank.host[owner as usize].1, HostKind::Annotation | HostKind::Python),
    }
}

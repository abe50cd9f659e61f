//! Threads that hand over to each other: one falls silent, another works, the first goes on.

use super::number::RankDraft;
use crate::input::check::{Check, Stopped, at_times};
use crate::input::event::{HostKind, NONE};
use std::collections::HashSet;

/// A point of one thread that waits for a point of another, by their numbers within the rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct HandOver {
    pub(crate) to: u32,
    pub(crate) from: u32,
    /// The event that is open meanwhile on the thread that gives work or waits for it; [`NONE`] without one.
    pub(crate) owner: u32,
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
                within(rank, &gap, &works, &mut cursors, ts, &mut found);
            }
        }
    }
    found.extend(awaited_collectives(rank, ts, check)?);
    // Of several threads that handed over to a point, the last one did.
    found.sort_by_key(|(hand_over, at)| (hand_over.to, std::cmp::Reverse(*at), hand_over.from));
    found.dedup_by_key(|(hand_over, _)| hand_over.to);
    Ok(found.into_iter().map(|(hand_over, _)| hand_over).collect())
}

/// Finds the threads to which a silent one handed over in a gap.
fn within(
    rank: &RankDraft,
    gap: &Gap,
    works: &[Vec<(u32, u32)>],
    cursors: &mut [usize],
    ts: &[i64],
    found: &mut Vec<(HandOver, i64)>,
) {
    let owner = rank.threads.owner[gap.end as usize];
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
            found.push((HandOver { to: begin, from: gap.end - 1, owner }, gap.from));
            found.push((HandOver { to: gap.end, from: over, owner }, ts[over as usize]));
        }
    }
}

/// A shorter silence of a thread tells nothing of the collective that ends in it, in ns.
const SHORT_WAIT: i64 = 50_000;

/// Finds the silent intervals in which a thread waits for a collective of another thread: it ends in the interval, and runs for at least
/// a third of it. It may have begun before, while the thread went on.
fn awaited_collectives(rank: &RankDraft, ts: &[i64], check: &mut Check<'_>) -> Result<Vec<(HandOver, i64)>, Stopped> {
    let mut found = Vec::new();
    // The ends and starts of collectives, and their threads.
    let mut collectives: Vec<(i64, i64, u32, usize)> = Vec::new();
    for (place, span) in rank.threads.spans.iter().enumerate() {
        for point in span.first..span.end {
            let event = rank.threads.event[point as usize] as usize;
            if rank.host[event].1 == HostKind::Collective && rank.threads.end_of[event] == point {
                let start = ts[rank.threads.start_of[event] as usize];
                collectives.push((ts[point as usize], start, point, place));
            }
        }
    }
    if collectives.is_empty() {
        return Ok(found);
    }
    collectives.sort_unstable();
    for (place, span) in rank.threads.spans.iter().enumerate() {
        for end in span.first + 1..span.end {
            at_times(end as usize, check)?;
            let (from, to) = (ts[end as usize - 1], ts[end as usize]);
            if to - from < SHORT_WAIT || !is_silent(rank, end) {
                continue;
            }
            let ended = collectives.partition_point(|collective| collective.0 <= to);
            let within = collectives[..ended].iter().rev().take_while(|collective| collective.0 > from);
            let last = within.copied().find(|collective| collective.3 != place);
            if let Some((over, start, point, _)) = last
                && over - start.max(from) >= (to - from) / 3
            {
                let owner = rank.threads.owner[end as usize];
                found.push((HandOver { to: end, from: point, owner }, over));
            }
        }
    }
    Ok(found)
}

/// Finds what threads waited for that begin to work after nothing was open on them: the last thing that happened on the thread that drives
/// the step, if that is later than what they did themselves. Before, what they did is not recorded, and nothing waits for it.
pub(crate) fn after_idleness(
    rank: &RankDraft,
    ts: &[i64],
    found: &mut Vec<HandOver>,
    check: &mut Check<'_>,
) -> Result<(), Stopped> {
    let spans = &rank.threads.spans;
    let Some(driver) = rank.roles.driver else { return Ok(()) };
    let known: HashSet<u32> = found.iter().map(|hand_over| hand_over.to).collect();
    let (first, end) = (spans[driver].first, spans[driver].end);
    let times = &ts[first as usize..end as usize];
    for span in spans.iter().enumerate().filter(|(place, _)| *place != driver).map(|(_, span)| span) {
        for point in span.first..span.end {
            at_times(point as usize, check)?;
            if rank.threads.owner[point as usize] != NONE || known.contains(&point) {
                continue;
            }
            let to = ts[point as usize];
            // The begin of its first event is as little known as that of the other thread.
            let before = times.partition_point(|&at| at < to);
            let Some(from) = before.checked_sub(1).map(|last| first + last as u32).filter(|&from| from > first) else {
                continue;
            };
            if point == span.first || ts[from as usize] > ts[point as usize - 1] {
                let owner = if from + 1 < end { rank.threads.owner[from as usize + 1] } else { NONE };
                found.push(HandOver { to: point, from, owner });
            }
        }
    }
    Ok(())
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

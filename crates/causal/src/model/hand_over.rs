//! Threads that hand over to each other: one falls silent, another works, the first goes on.

use super::number::RankDraft;
use crate::input::check::{Check, Stopped, at_times};
use crate::input::event::{HostKind, NONE};

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
    /// The event that is open in it; [`NONE`] without one.
    owner: u32,
}

/// Finds where threads of a rank hand over.
///
/// A thread is silent in an interval between two of its points that only annotations and Python functions cover. It handed over to
/// another one if that one begins its work and ends it in the interval, is silent before and after, and works for at least a third of it.
/// Then the other thread's first point waits for the interval's begin, and the point at its end for the other thread's last one.
/// Collectives that a silent thread waits for, and threads that begin after idleness, are hand-overs, too.
pub(crate) fn hand_overs(rank: &RankDraft, ts: &[i64], check: &mut Check<'_>) -> Result<Vec<HandOver>, Stopped> {
    let spans = &rank.threads.spans;
    if spans.len() < 2 {
        return Ok(Vec::new());
    }
    // The points at which work begins and ends, thread by thread.
    let works: Vec<Vec<(u32, u32)>> = spans.iter().map(|span| works(rank, span.first, span.end)).collect();
    let collectives = collectives(rank, ts);
    let mut found: Vec<(HandOver, i64)> = Vec::new();
    for (number, span) in (0..).zip(spans) {
        // By thread the first work that begins in a gap or after it; gaps come in order.
        let mut cursors = vec![0; works.len()];
        for end in span.first + 1..span.end {
            let (from, to) = (ts[end as usize - 1], ts[end as usize]);
            if to > from && is_silent(rank, end) {
                at_times(end as usize, check)?;
                let gap = Gap { span: number, end, from, to, owner: rank.threads.owner[end as usize] };
                within(&gap, &works, &mut cursors, ts, &mut found);
                found.extend(awaited(&gap, &collectives));
            }
        }
    }
    // Of several threads that handed over to a point, the last one did.
    found.sort_by_key(|(hand_over, at)| (hand_over.to, std::cmp::Reverse(*at), hand_over.from));
    found.dedup_by_key(|(hand_over, _)| hand_over.to);
    let mut found: Vec<HandOver> = found.into_iter().map(|(hand_over, _)| hand_over).collect();
    let idle = after_idleness(rank, ts, &found, check)?;
    found.extend(idle);
    Ok(found)
}

/// Finds the threads to which a silent one handed over in a gap.
fn within(gap: &Gap, works: &[Vec<(u32, u32)>], cursors: &mut [usize], ts: &[i64], found: &mut Vec<(HandOver, i64)>) {
    let owner = gap.owner;
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

/// A collective on a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Collective {
    to: i64,
    from: i64,
    /// The point at its end.
    end: u32,
    span: u32,
}

/// The collectives of all threads, in the order of their ends.
fn collectives(rank: &RankDraft, ts: &[i64]) -> Vec<Collective> {
    let mut found = Vec::new();
    for (number, span) in (0..).zip(&rank.threads.spans) {
        for end in span.first..span.end {
            let event = rank.threads.event[end as usize] as usize;
            if rank.host[event].1 == HostKind::Collective && rank.threads.end_of[event] == end {
                let from = ts[rank.threads.start_of[event] as usize];
                found.push(Collective { to: ts[end as usize], from, end, span: number });
            }
        }
    }
    found.sort_unstable();
    found
}

/// Finds the collective of another thread that a silent one waits for in a gap: it ends in the gap, and runs for at least a third of
/// it. It may have begun before, while the thread went on.
fn awaited(gap: &Gap, collectives: &[Collective]) -> Option<(HandOver, i64)> {
    if gap.to - gap.from < SHORT_WAIT {
        return None;
    }
    let ended = collectives.partition_point(|collective| collective.to <= gap.to);
    let mut within = collectives[..ended].iter().rev().take_while(|collective| collective.to > gap.from);
    let last = within.find(|collective| collective.span != gap.span)?;
    let is_awaited = last.to - last.from.max(gap.from) >= (gap.to - gap.from) / 3;
    is_awaited.then_some((HandOver { to: gap.end, from: last.end, owner: gap.owner }, last.to))
}

/// Finds what a thread waited for that begins to work after an interval in which nothing was open on it: the last point of the driving
/// thread before, if it is later than the last point of the thread itself. `known` are hand-overs in the order of their points, which
/// stay.
fn after_idleness(
    rank: &RankDraft,
    ts: &[i64],
    known: &[HandOver],
    check: &mut Check<'_>,
) -> Result<Vec<HandOver>, Stopped> {
    let mut found = Vec::new();
    let spans = &rank.threads.spans;
    let Some(driver) = rank.roles.driver else { return Ok(found) };
    let is_known = |point: u32| known.binary_search_by_key(&point, |hand_over| hand_over.to).is_ok();
    let (first, end) = (spans[driver].first, spans[driver].end);
    let times = &ts[first as usize..end as usize];
    for span in spans.iter().enumerate().filter(|(index, _)| *index != driver).map(|(_, span)| span) {
        for point in span.first..span.end {
            at_times(point as usize, check)?;
            if rank.threads.owner[point as usize] != NONE || is_known(point) {
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
    Ok(found)
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

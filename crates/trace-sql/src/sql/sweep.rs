//! Sweeps over intervals: intersections of two sets, gaps within one, how many are open at a time. Intervals are half-open; one
//! that is empty, or ends before it starts, touches nothing.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// An interval: start and end.
pub(super) type Interval = (i64, i64);

/// Pairs of an interval of the first set and one of the second that intersect, as positions in both.
pub(super) type Pairs = Vec<(u32, u32)>;

/// Returns the positions of the intervals that are not empty, by their start.
fn by_start(intervals: &[Interval]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..intervals.len() as u32).collect();
    order.retain(|&at| intervals[at as usize].0 < intervals[at as usize].1);
    order.sort_by_key(|&at| (intervals[at as usize], at));
    order
}

/// Finds the pairs of intervals that intersect, ordered by the start of the intersection. Calls `check` with the number of pairs
/// before every few thousand of them.
///
/// # Errors
/// Those of `check`.
pub(super) fn intersections<E>(
    a: &[Interval],
    b: &[Interval],
    mut check: impl FnMut(usize) -> Result<(), E>,
) -> Result<Pairs, E> {
    let (order_a, order_b) = (by_start(a), by_start(b));
    let (mut next_a, mut next_b) = (0, 0);
    // The intervals that may still be open, of each set.
    let (mut open_a, mut open_b): (Vec<u32>, Vec<u32>) = (Vec::new(), Vec::new());
    let mut pairs: Pairs = Vec::new();
    let mut checked = 0;
    while next_a < order_a.len() || next_b < order_b.len() {
        let start = |order: &[u32], next: usize, of: &[Interval]| order.get(next).map(|&at| of[at as usize].0);
        let (from_a, from_b) = (start(&order_a, next_a, a), start(&order_b, next_b, b));
        let takes_a = from_b.is_none_or(|from_b| from_a.is_some_and(|from_a| from_a <= from_b));
        if takes_a {
            let at = order_a[next_a];
            open_b.retain(|&other| b[other as usize].1 > a[at as usize].0);
            pairs.extend(open_b.iter().map(|&other| (at, other)));
            open_a.push(at);
            next_a += 1;
        } else {
            let at = order_b[next_b];
            open_a.retain(|&other| a[other as usize].1 > b[at as usize].0);
            pairs.extend(open_a.iter().map(|&other| (other, at)));
            open_b.push(at);
            next_b += 1;
        }
        if pairs.len() >= checked + 4096 {
            checked = pairs.len();
            check(checked)?;
        }
    }
    Ok(pairs)
}

/// A gap: where it starts and ends, and the positions of the intervals before and after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Gap {
    pub(super) start: i64,
    pub(super) end: i64,
    /// The interval that ends last before the gap.
    pub(super) before: u32,
    /// The first interval after the gap.
    pub(super) after: u32,
}

/// Returns the times between the first and the last interval at which none is open, by their start.
pub(super) fn gaps(intervals: &[Interval]) -> Vec<Gap> {
    let mut found = Vec::new();
    let mut last: Option<(i64, u32)> = None;
    for at in by_start(intervals) {
        let (start, end) = intervals[at as usize];
        if let Some((reached, before)) = last
            && reached < start
        {
            found.push(Gap { start: reached, end: start, before, after: at });
        }
        if last.is_none_or(|(reached, _)| reached < end) {
            last = Some((end, at));
        }
    }
    found
}

/// A time at which the same number of intervals is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Level {
    pub(super) start: i64,
    pub(super) end: i64,
    /// How many are open.
    pub(super) open: u32,
}

/// Returns the times at which at least one interval is open, cut where their number changes.
pub(super) fn levels(intervals: &[Interval]) -> Vec<Level> {
    let mut found: Vec<Level> = Vec::new();
    let mut ends: BinaryHeap<Reverse<i64>> = BinaryHeap::new();
    let mut now = i64::MIN;
    let mut add = |start: i64, end: i64, open: usize| {
        if start >= end || open == 0 {
            return;
        }
        let open = u32::try_from(open).unwrap_or(u32::MAX);
        match found.last_mut() {
            Some(last) if last.end == start && last.open == open => last.end = end,
            _ => found.push(Level { start, end, open }),
        }
    };
    for at in by_start(intervals) {
        let (start, end) = intervals[at as usize];
        while let Some(&Reverse(first)) = ends.peek().filter(|first| first.0 <= start) {
            add(now, first, ends.len());
            now = now.max(first);
            ends.pop();
        }
        add(now, start, ends.len());
        now = start;
        ends.push(Reverse(end));
    }
    while let Some(Reverse(first)) = ends.pop() {
        add(now, first, ends.len() + 1);
        now = now.max(first);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Random intervals within 0..60, some empty, some reversed.
    fn random(seed: u64, count: usize) -> Vec<Interval> {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut next = |below: u64| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state % below) as i64
        };
        let mut interval = || {
            let start = next(50);
            (start, start + next(14) - 2)
        };
        (0..count).map(|_| interval()).collect()
    }

    fn is_open(interval: Interval, at: i64) -> bool {
        interval.0 <= at && at < interval.1
    }

    #[test]
    fn intersections_are_those_of_all_pairs() {
        for seed in 0..300 {
            let (a, b) = (random(seed, (seed % 13) as usize), random(seed + 1000, (seed % 9) as usize));
            let found = intersections(&a, &b, |_| Ok::<(), ()>(())).unwrap_or_default();
            let mut expected = BTreeSet::new();
            for (at, x) in a.iter().enumerate() {
                for (other, y) in b.iter().enumerate() {
                    if (0..70).any(|time| is_open(*x, time) && is_open(*y, time)) {
                        expected.insert((at as u32, other as u32));
                    }
                }
            }
            assert_eq!(found.len(), expected.len());
            assert_eq!(found.iter().copied().collect::<BTreeSet<_>>(), expected);
            let starts: Vec<i64> = found.iter().map(|&(at, other)| a[at as usize].0.max(b[other as usize].0)).collect();
            assert!(starts.is_sorted());
        }
        let many: Vec<Interval> = vec![(0, 10); 200];
        let stopped = intersections(&many, &many, |pairs| if pairs > 9000 { Err(pairs) } else { Ok(()) });
        assert!(matches!(stopped, Err(9001..20_000)), "{stopped:?}");
    }

    #[test]
    fn gaps_and_levels_agree_with_every_moment() {
        for seed in 0..300 {
            let intervals = random(seed, (seed % 17) as usize);
            let open = |time: i64| intervals.iter().filter(|interval| is_open(**interval, time)).count() as u32;
            let levels = levels(&intervals);
            for time in -5..80 {
                let stated = levels.iter().find(|found| is_open((found.start, found.end), time));
                assert_eq!(stated.map_or(0, |found| found.open), open(time), "{intervals:?} at {time}: {levels:?}");
            }
            let adjacent = |pair: &[Level]| pair[0].end == pair[1].start && pair[0].open == pair[1].open;
            assert!(!levels.windows(2).any(adjacent), "{levels:?}");
            let gaps = gaps(&intervals);
            let (first, last) = (levels.first().map(|found| found.start), levels.last().map(|found| found.end));
            for time in -5..80 {
                let within = first.is_some_and(|first| first <= time) && last.is_some_and(|last| time < last);
                let in_gap = gaps.iter().filter(|gap| is_open((gap.start, gap.end), time)).count();
                assert_eq!(in_gap, usize::from(within && open(time) == 0), "{intervals:?} at {time}");
            }
            for gap in gaps {
                assert_eq!(intervals[gap.before as usize].1, gap.start);
                assert_eq!(intervals[gap.after as usize].0, gap.end);
            }
        }
    }
}

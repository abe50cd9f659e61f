//! Intervals, and the union of many.

use crate::exec::checkpoint::cancellable;

/// An interval of time, `end` excluded, in nanoseconds.
///
/// HTA's rounding makes intervals that end 1 µs before they start; they are kept as they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// Where it starts.
    pub start: i64,
    /// Where it ends, not included.
    pub end: i64,
}

/// Returns the union of intervals: ascending, disjoint, not touching each other.
///
/// ```text
/// given    |----|  |---|
///             |----|        |--|
/// merged   |-----------|    |--|
/// ```
pub fn merged(spans: Vec<Span>) -> Vec<Span> {
    let mut groups = Vec::new();
    for_each_group(spans, |group| groups.push(group));
    groups
}

/// Returns the length of the union of intervals.
pub fn union_length(spans: Vec<Span>) -> i64 {
    let mut sum = 0;
    for_each_group(spans, |group| sum = length_with(sum, &group));
    sum
}

/// Finds the intervals of the union, ascending.
fn for_each_group(mut spans: Vec<Span>, mut found: impl FnMut(Span)) {
    // Stable, so that the order among equal starts does not depend on the machine.
    spans.sort_by_key(|span| span.start);
    let mut open: Option<Span> = None;
    let mut latest = i64::MIN;
    for span in cancellable(spans) {
        match &mut open {
            Some(group) if span.start <= latest => group.end = group.end.max(span.end),
            _ => open.replace(span).into_iter().for_each(&mut found),
        }
        latest = latest.max(span.end);
    }
    open.into_iter().for_each(found);
}

/// Returns the sum of their durations.
pub fn length(spans: &[Span]) -> i64 {
    spans.iter().fold(0, length_with)
}

fn length_with(sum: i64, span: &Span) -> i64 {
    sum.saturating_add(span.end.saturating_sub(span.start))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in crate::interval) fn spans(pairs: &[(i64, i64)]) -> Vec<Span> {
        pairs.iter().map(|&(start, end)| Span { start, end }).collect()
    }

    /// Returns pseudo-random intervals in a small range, the same in every run.
    pub(in crate::interval) fn arbitrary(seed: u64, count: usize) -> Vec<Span> {
        let mut state = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let mut below = |limit: i64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((state >> 33) as i64) % limit
        };
        let mut span = || {
            let start = below(60);
            Span { start, end: start + below(12) }
        };
        (0..count).map(|_| span()).collect()
    }

    /// Whether moment `at` .. `at + 1` is covered.
    pub(in crate::interval) fn covers(spans: &[Span], at: i64) -> bool {
        spans.iter().any(|span| span.start <= at && at < span.end)
    }

    #[test]
    fn overlapping_or_touching_intervals_are_merged() {
        assert_eq!(merged(spans(&[(5, 8), (0, 3), (2, 5), (9, 9)])), spans(&[(0, 8), (9, 9)]));
        assert_eq!(length(&spans(&[(0, 8), (9, 9), (20, 23)])), 11);
        assert_eq!(merged(Vec::new()), []);
    }

    #[test]
    fn reversed_intervals_are_kept() {
        assert_eq!(merged(spans(&[(11, 10), (20, 25)])), spans(&[(11, 10), (20, 25)]));
        assert_eq!(length(&spans(&[(11, 10), (20, 25)])), 4);
        assert_eq!(merged(spans(&[(0, 30), (11, 10)])), spans(&[(0, 30)]));
    }

    #[test]
    fn merging_is_idempotent_and_keeps_the_covered_time() {
        for seed in 0..300 {
            let input = arbitrary(seed, seed as usize % 14);
            let once = merged(input.clone());
            assert_eq!(merged(once.clone()), once, "{input:?}");
            assert_eq!(union_length(input.clone()), length(&once), "{input:?}");
            assert!(once.windows(2).all(|pair| pair[0].end < pair[1].start), "{once:?}");
            for at in 0..80 {
                assert_eq!(covers(&once, at), covers(&input, at), "{input:?} at {at}");
            }
            let mut backwards = input;
            backwards.reverse();
            assert_eq!(merged(backwards), once);
        }
    }
}

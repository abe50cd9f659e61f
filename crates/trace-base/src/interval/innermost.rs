//! Innermost enclosing intervals.

use super::{Reach, Span};
use crate::exec::checkpoint::cancellable;
use std::cmp::Reverse;

/// Returns, for each of `inner`, the position of the shortest of `outer` that overlaps it; of equally short ones the
/// last.
///
/// ```text
/// outer   |---------- 0 ----------|
///             |-- 1 --|
/// inner   |-|    |-|    |-|     |---|   |-|
/// answer   0      1      0        0     none
/// ```
///
/// Intervals that only touch do not overlap. An empty one overlaps the intervals that contain its start.
pub fn innermost(outer: &[Span], inner: &[Span]) -> Vec<Option<usize>> {
    let mut order: Vec<usize> = (0..inner.len()).collect();
    order.sort_by_key(|&index| inner[index].start);
    let starts: Vec<i64> = order.iter().map(|&index| inner[index].start).collect();
    // An empty interval counts as 1 ns long.
    let ends: Vec<i64> =
        order.iter().map(|&index| inner[index].end.max(inner[index].start.saturating_add(1))).collect();
    let mut left = Reach::new(&ends);
    let mut shortest: Vec<usize> = (0..outer.len()).collect();
    shortest.sort_by_key(|&index| (outer[index].end.saturating_sub(outer[index].start), Reverse(index)));
    let mut answer = vec![None; inner.len()];
    for index in cancellable(shortest) {
        let begun = starts.partition_point(|&start| start < outer[index].end);
        // Each inner interval is removed once, so that all rounds together are linear in them.
        while let Some(found) = left.last(begun, outer[index].start.saturating_add(1)) {
            left.remove(found);
            answer[order[found]] = Some(index);
        }
    }
    answer
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interval::merge::tests::{arbitrary, spans};

    #[test]
    fn shortest_overlapping_interval_wins() {
        let outer = spans(&[(0, 100), (20, 40)]);
        let inner = spans(&[(0, 10), (25, 30), (50, 60), (90, 120), (100, 110), (30, 30), (40, 40), (100, 100)]);
        let answer = innermost(&outer, &inner);
        assert_eq!(answer, [Some(0), Some(1), Some(0), Some(0), None, Some(1), Some(0), None]);
        assert_eq!(innermost(&spans(&[(0, 9), (1, 10)]), &spans(&[(5, 6)])), [Some(1)]);
        assert_eq!(innermost(&[], &spans(&[(0, 1)])), [None]);
    }

    #[test]
    fn innermost_equals_comparing_all_pairs() {
        for seed in 0..300 {
            let (outer, inner) = (arbitrary(2 * seed, seed as usize % 9), arbitrary(2 * seed + 1, 12));
            let slow = |inner: &Span| {
                let overlaps = |outer: &Span| match inner.end == inner.start {
                    true => outer.start <= inner.start && inner.start < outer.end,
                    false => outer.start < inner.end && inner.start < outer.end,
                };
                let found = outer.iter().enumerate().filter(|(_, outer)| overlaps(outer));
                found.min_by_key(|(index, outer)| (outer.end - outer.start, Reverse(*index))).map(|found| found.0)
            };
            assert_eq!(innermost(&outer, &inner), inner.iter().map(slow).collect::<Vec<_>>(), "{outer:?} {inner:?}");
        }
    }
}

//! Time by combination of kinds that run concurrently.

use super::Span;
use crate::exec::checkpoint::cancellable;
use std::collections::BTreeMap;

/// Returns how long each combination of kinds ran: the bits of a key are the kinds (bit 0 is the first), its value is the
/// time in which exactly these ran. `kinds` holds the merged intervals of each kind.
///
/// ```text
/// kind 0 (bit 1)   |------|          |--|
/// kind 1 (bit 2)       |------|
/// key              1   3  2   -      1
/// ```
///
/// Each interval between two changes is truncated to a multiple of `grain`. Combinations without time are omitted.
pub fn overlaps(kinds: &[Vec<Span>], grain: i64) -> BTreeMap<i64, i64> {
    // The order of ends and starts at one moment does not matter: combinations without time are omitted.
    let mut edges: Vec<(i64, i64)> = Vec::new();
    for (kind, spans) in kinds.iter().enumerate() {
        let bit = 1 << kind;
        edges.extend(spans.iter().flat_map(|span| [(span.start, bit), (span.end, -bit)]));
    }
    edges.sort_unstable();
    let mut times: BTreeMap<i64, i64> = BTreeMap::new();
    let mut running = 0;
    for pair in cancellable(edges.windows(2)) {
        running += pair[0].1;
        let time = pair[1].0.saturating_sub(pair[0].0) / grain * grain;
        if running > 0 && time > 0 {
            let sum: &mut i64 = times.entry(running).or_default();
            *sum = sum.saturating_add(time);
        }
    }
    times
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interval::merge::tests::{arbitrary, covers, spans};
    use crate::interval::{length, merged};

    #[test]
    fn every_moment_belongs_to_one_combination() {
        let kinds = [spans(&[(0, 10), (30, 33)]), spans(&[(4, 12)]), spans(&[(11, 20)])];
        let times = overlaps(&kinds, 1);
        assert_eq!(times, BTreeMap::from([(1, 4 + 3), (3, 6), (2, 1), (6, 1), (4, 8)]));
    }

    #[test]
    fn intervals_are_truncated_to_the_grain() {
        assert_eq!(overlaps(&[spans(&[(0, 1999), (5000, 7000)])], 1000), BTreeMap::from([(1, 3000)]));
    }

    #[test]
    fn combinations_equal_a_count_of_moments() {
        for seed in 0..300 {
            let kinds: Vec<Vec<Span>> = (0..3).map(|kind| merged(arbitrary(seed * 3 + kind, 6))).collect();
            let mut expected: BTreeMap<i64, i64> = BTreeMap::new();
            for at in 0..80 {
                let key = kinds.iter().enumerate().map(|(kind, spans)| i64::from(covers(spans, at)) << kind).sum();
                if key > 0 {
                    *expected.entry(key).or_default() += 1;
                }
            }
            let times = overlaps(&kinds, 1);
            assert_eq!(times, expected);
            let all = merged(kinds.concat());
            assert_eq!(times.values().sum::<i64>(), length(&all));
        }
    }
}

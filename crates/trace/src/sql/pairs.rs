//! The number of pairs of rows that a join by ranges has, counted without making them.

use crate::Result;
use crate::exec::checkpoint;

/// Rows between two looks at whether the statement is cancelled.
const CHECK: usize = 4_096;

/// `left < right`, or `left <= right` if it is not strict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Less {
    pub(super) is_strict: bool,
}

impl Less {
    /// Returns how many of some ascending values are less than `bound`.
    fn count(self, ascending: &[f64], bound: f64) -> usize {
        ascending.partition_point(|value| if self.is_strict { *value < bound } else { *value <= bound })
    }
}

/// Returns the number of pairs of a left and a right value that meet one condition. Values that are not numbers meet none.
///
/// # Errors
/// [`Error::Interrupted`](crate::Error::Interrupted).
pub(super) fn by_one(left: &[f64], right: &[f64], less: Less) -> Result<f64> {
    let mut ascending: Vec<f64> = left.iter().copied().filter(|value| !value.is_nan()).collect();
    checkpoint::check()?;
    ascending.sort_unstable_by(f64::total_cmp);
    let mut pairs = 0_u64;
    for (row, bound) in right.iter().enumerate() {
        if row % CHECK == 0 {
            checkpoint::check()?;
        }
        if !bound.is_nan() {
            pairs += less.count(&ascending, *bound) as u64;
        }
    }
    Ok(pairs as f64)
}

/// Returns the number of pairs of a left and a right row that meet two conditions, the first on the first values. Rows in which a value is
/// not a number meet none.
///
/// # Errors
/// [`Error::Interrupted`](crate::Error::Interrupted).
pub(super) fn by_two(left: &[[f64; 2]], right: &[[f64; 2]], less: [Less; 2]) -> Result<f64> {
    let by_first = |rows: &[[f64; 2]]| {
        let mut rows: Vec<[f64; 2]> =
            rows.iter().copied().filter(|row| !row.iter().any(|value| value.is_nan())).collect();
        rows.sort_unstable_by(|one, other| one[0].total_cmp(&other[0]));
        rows
    };
    let left = by_first(left);
    checkpoint::check()?;
    let right = by_first(right);
    let mut ascending: Vec<f64> = left.iter().map(|row| row[1]).collect();
    checkpoint::check()?;
    ascending.sort_unstable_by(f64::total_cmp);
    // Rows of the left side whose first value is small enough for the row of the right side, counted by their second value.
    let mut seen = Counts::new(ascending.len());
    let mut added = 0;
    let mut pairs = 0_u64;
    for (row, [first, second]) in right.iter().enumerate() {
        if row % CHECK == 0 {
            checkpoint::check()?;
        }
        while let Some([value, other]) =
            left.get(added).filter(|row| less[0].count(std::slice::from_ref(&row[0]), *first) == 1)
        {
            debug_assert!(*value <= *first);
            seen.add(Less { is_strict: true }.count(&ascending, *other));
            added += 1;
        }
        pairs += seen.before(less[1].count(&ascending, *second));
    }
    Ok(pairs as f64)
}

/// Counts by place, and their sums up to a place (Fenwick, 1994).
struct Counts(Vec<u64>);

impl Counts {
    fn new(places: usize) -> Self {
        Self(vec![0; places + 1])
    }

    fn add(&mut self, place: usize) {
        let mut at = place + 1;
        while let Some(count) = self.0.get_mut(at) {
            *count += 1;
            at += at & at.wrapping_neg();
        }
    }

    /// Returns the sum of the counts of the places before `place`.
    fn before(&self, place: usize) -> u64 {
        let (mut at, mut sum) = (place, 0);
        while at > 0 {
            sum += self.0[at];
            at &= at - 1;
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const STRICT: Less = Less { is_strict: true };
    const EQUAL: Less = Less { is_strict: false };

    fn meets(less: Less, left: f64, right: f64) -> bool {
        if less.is_strict { left < right } else { left <= right }
    }

    #[test]
    fn pairs_are_those_of_all_pairs() {
        // A small generator: values repeat, and some are no numbers.
        let mut state = 7_u64;
        let mut value = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let small = (state >> 33) % 12;
            if small == 11 { f64::NAN } else { small as f64 - 4.0 }
        };
        for size in [0, 1, 2, 7, 40] {
            let left: Vec<[f64; 2]> = (0..size).map(|_| [value(), value()]).collect();
            let right: Vec<[f64; 2]> = (0..2 * size + 1).map(|_| [value(), value()]).collect();
            for one in [STRICT, EQUAL] {
                let firsts = |rows: &[[f64; 2]]| rows.iter().map(|row| row[0]).collect::<Vec<_>>();
                let expected =
                    left.iter().flat_map(|a| right.iter().map(move |b| (a, b))).filter(|(a, b)| meets(one, a[0], b[0]));
                assert_eq!(by_one(&firsts(&left), &firsts(&right), one).unwrap(), expected.count() as f64);
                for two in [STRICT, EQUAL] {
                    let pairs = left.iter().flat_map(|a| right.iter().map(move |b| (a, b)));
                    let expected = pairs.filter(|(a, b)| meets(one, a[0], b[0]) && meets(two, a[1], b[1])).count();
                    assert_eq!(by_two(&left, &right, [one, two]).unwrap(), expected as f64, "{size}");
                }
            }
        }
    }

    #[test]
    fn many_rows_are_counted_quickly_and_can_be_cancelled() {
        let rows: Vec<[f64; 2]> = (0..400_000).map(|row| [f64::from(row), f64::from(-row)]).collect();
        let start = std::time::Instant::now();
        let pairs = by_two(&rows, &rows, [STRICT, EQUAL]).unwrap();
        assert_eq!(pairs, 0.0, "what starts later ends earlier");
        assert!(start.elapsed().as_secs() < 5, "{:?}", start.elapsed());
        let cancelled = crate::CancellationToken::new(|| true).run(|| by_two(&rows, &rows, [STRICT, STRICT]));
        assert!(matches!(cancelled, Err(crate::Error::Interrupted)));
    }
}

//! Ranks whose times are far from those of the other ranks: median and median absolute deviation.

use super::measures::{Class, Times};
use crate::exec::checkpoint::cancellable;
use crate::stats::Centre;
use std::collections::BTreeMap;

/// Fewest ranks among which one can be told to be unusual.
pub(super) const FEWEST: usize = 4;

/// The time of one rank in one class or operator, compared with all ranks; in ns.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Deviation<'n> {
    pub(super) rank: i64,
    pub(super) class: Class,
    /// The kernel or operator; empty for the whole class.
    pub(super) name: &'n str,
    pub(super) value: f64,
    pub(super) median: f64,
    /// The robust z-score; infinite if more than half of the ranks are equal and this one differs; `None` with too few ranks.
    pub(super) z: Option<f64>,
}

impl Deviation<'_> {
    /// Returns by how much it exceeds the median, in ns.
    pub(super) fn difference(&self) -> f64 {
        self.value - self.median
    }
}

/// Returns the deviations of all ranks in one class or operator; a rank without a time has 0.
pub(super) fn deviations<'n>(
    ranks: &[(i64, f64)],
    class: Class,
    name: &'n str,
    times: &BTreeMap<i64, i64>,
) -> Vec<Deviation<'n>> {
    let value = |&(rank, steps): &(i64, f64)| times.get(&rank).map_or(0.0, |&time| time as f64 / steps);
    let values: Vec<f64> = ranks.iter().map(value).collect();
    let centre = Centre::by_median(&values);
    let enough = values.len() >= FEWEST;
    let deviation = |(&(rank, _), value): (&(i64, f64), f64)| Deviation {
        rank,
        class,
        name,
        value,
        median: centre.median,
        z: enough.then(|| centre.z(value)),
    };
    ranks.iter().zip(values).map(deviation).collect()
}

/// Returns the deviations of at least `threshold` (if there are enough ranks) and at least `least` ns, the largest first.
pub(super) fn outliers<'n>(ranks: &[(i64, f64)], times: &'n Times, threshold: f64, least: f64) -> Vec<Deviation<'n>> {
    let mut found: Vec<Deviation<'n>> = Vec::new();
    for (&class, names) in times {
        for (name, times) in cancellable(names) {
            let far = |one: &Deviation<'_>| {
                let difference = one.difference().abs();
                difference > 0.0 && difference >= least && one.z.is_none_or(|z| z.abs() >= threshold)
            };
            found.extend(deviations(ranks, class, name, times).into_iter().filter(far));
        }
    }
    found.sort_by(|one, other| {
        let size = |one: &Deviation<'_>| (one.difference().abs(), one.z.unwrap_or(0.0).abs());
        let (one_size, other_size) = (size(one), size(other));
        let by_size = other_size.0.total_cmp(&one_size.0).then(other_size.1.total_cmp(&one_size.1));
        by_size.then_with(|| (one.rank, one.class, one.name).cmp(&(other.rank, other.class, other.name)))
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_ranks_have_differences_without_scores() {
        let three = deviations(&[(0, 1.0), (1, 1.0), (2, 1.0)], Class::Compute, "", &BTreeMap::from([(1, 9)]));
        assert_eq!(
            three.iter().map(|one| (one.rank, one.difference(), one.z)).collect::<Vec<_>>(),
            [(0, 0.0, None), (1, 9.0, None), (2, 0.0, None)]
        );
    }
}

//! The weight of each sample of a side.

use super::change::Mean;
use super::partial::Partial;
use std::collections::BTreeMap;

/// Largest common multiple that weights are made of: products of two sides stay below 128 bits.
const LARGEST: u64 = 1 << 32;

/// Weights of the samples of a side, whole numbers: each run counts the same, in a run each of its iterations, and in an iteration each of
/// its ranks, since runs are what is repeated independently. All are 1 if every run has as many iterations and ranks.
///
/// The weights are exact if the numbers of iterations have a common multiple up to 2³², else runs differ by up to 10⁻⁷ of their
/// weight. Means add up exactly with any weights.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Weights {
    of: Vec<u64>,
    sum: u64,
}

impl Weights {
    /// Computes the weights of the included iterations, in the order of the partial results.
    pub(super) fn of(partials: &[Partial]) -> Self {
        let mut runs: BTreeMap<u32, BTreeMap<i64, u64>> = BTreeMap::new();
        for partial in partials {
            let ranks = runs.entry(partial.run).or_default();
            for (iteration, _) in partial.iterations() {
                *ranks.entry(iteration).or_default() += 1;
            }
        }
        // A sample is one of so many parts of its run.
        let parts = partials.iter().flat_map(|partial| {
            let ranks = &runs[&partial.run];
            partial.iterations().map(|(iteration, _)| ranks.len() as u64 * ranks[&iteration])
        });
        let parts: Vec<u64> = parts.collect();
        let multiple = parts.iter().try_fold(1, |multiple, &part| common_multiple(multiple, part)).unwrap_or(LARGEST);
        let of: Vec<u64> = parts.into_iter().map(|part| ((multiple + part / 2) / part).max(1)).collect();
        Self { sum: of.iter().sum(), of }
    }

    /// Returns the weight of a sample.
    pub fn weight(&self, sample: u32) -> u64 {
        self.of.get(sample as usize).copied().unwrap_or(0)
    }

    /// Returns the mean of what samples took; those that are not named took nothing.
    pub fn mean(&self, values: impl IntoIterator<Item = (u32, i64)>) -> Mean {
        let mut mean = self.nothing();
        for (sample, value) in values {
            mean.add(value, self.weight(sample));
        }
        mean
    }

    /// The mean of what no sample has.
    pub(super) fn nothing(&self) -> Mean {
        Mean { total: 0, samples: self.of.len() as u32, weighted: 0, weight: self.sum }
    }
}

/// The least common multiple of two numbers; `None` if it is too large.
fn common_multiple(one: u64, other: u64) -> Option<u64> {
    let (mut divisor, mut rest) = (one, other);
    while rest != 0 {
        (divisor, rest) = (rest, divisor % rest);
    }
    (one / divisor.max(1)).checked_mul(other).filter(|&multiple| multiple <= LARGEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_multiples_are_bounded() {
        assert_eq!(common_multiple(4, 6), Some(12));
        assert_eq!(common_multiple(1, 7), Some(7));
        assert_eq!(common_multiple(LARGEST, 3), None);
    }
}

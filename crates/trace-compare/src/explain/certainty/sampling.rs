//! Samples of a side: one value for each iteration of each run.

use crate::explain::Explanation;
use crate::explain::samples::Key;
use statistics::Runs;
use std::collections::BTreeMap;

/// Where the samples of a side belong. The ranks of an iteration wait for each other, so they are one sample: their mean. Of one iteration a
/// side, ranks are in pairs.
pub(super) struct Sampling {
    /// Slot of each sample of the explanation.
    slots: Vec<usize>,
    /// Ranks of each slot.
    ranks: Vec<u32>,
    /// Slots of each run.
    lengths: Vec<usize>,
    /// Run and number of the iteration of each slot.
    pub(super) iterations: Vec<(i64, i64)>,
}

impl Explanation {
    /// Whether samples are ranks in pairs: one iteration of one run a side, the same ranks on both, and more than one.
    pub(in crate::explain) fn is_paired(&self) -> bool {
        let [control, test] = &self.sides;
        let is_one = |side: usize| {
            let keys = self.keys(side);
            keys.len() > 1 && keys.iter().all(|key| (key.run, key.iteration) == (keys[0].run, keys[0].iteration))
        };
        control.ranks == test.ranks && is_one(0) && is_one(1)
    }

    /// Share of the step of a region in the samples of a side, in ns; nothing of samples that lack it.
    pub(super) fn shares(&self, region: usize, side: usize) -> impl Iterator<Item = (usize, i64)> {
        let region = self.found.regions.get(region).into_iter();
        let costs = region.flat_map(move |region| self.found.leaf_costs(&region.region, side));
        costs.map(|cost| (cost.sample as usize, cost.attributed_ns))
    }
}

impl Sampling {
    /// Returns the slots of a side: its iterations by run, then by number; the ranks of one iteration if they are in pairs.
    pub(super) fn of(explanation: &Explanation, side: usize) -> Self {
        Self::by(explanation, side, explanation.is_paired())
    }

    /// Returns the iterations of a side by run, then by number.
    pub(super) fn by_iteration(explanation: &Explanation, side: usize) -> Self {
        Self::by(explanation, side, false)
    }

    fn by(explanation: &Explanation, side: usize, is_by_rank: bool) -> Self {
        let slot_key = |key: &Key| (key.run, key.iteration, if is_by_rank { key.rank } else { 0 });
        let keys = explanation.keys(side);
        let slots: BTreeMap<(i64, i64, i64), usize> = keys.iter().map(|key| (slot_key(key), 0)).collect();
        let slots: BTreeMap<(i64, i64, i64), usize> = slots.into_keys().zip(0..).collect();
        let mut sampling = Self {
            slots: keys.iter().filter_map(|key| slots.get(&slot_key(key)).copied()).collect(),
            ranks: vec![0; slots.len()],
            lengths: Vec::new(),
            iterations: slots.keys().map(|&(run, iteration, _)| (run, iteration)).collect(),
        };
        for &slot in &sampling.slots {
            sampling.ranks[slot] += 1;
        }
        sampling.lengths = sampling.iterations.chunk_by(|one, other| one.0 == other.0).map(<[_]>::len).collect();
        sampling
    }

    /// Returns a quantity by its values in the samples of the explanation, which lack those that are 0.
    pub(super) fn runs(&self, values: impl IntoIterator<Item = (usize, i64)>) -> Result<Runs, statistics::Error> {
        let values = self.values(values);
        let mut rest = &values[..];
        let runs = self.lengths.iter().map(|&length| {
            let (run, after) = rest.split_at(length.min(rest.len()));
            rest = after;
            run.to_vec()
        });
        Runs::new(&runs.collect::<Vec<_>>())
    }

    /// Returns the mean over ranks for each slot.
    pub(super) fn values(&self, values: impl IntoIterator<Item = (usize, i64)>) -> Vec<f64> {
        let mut sums = vec![0_i64; self.ranks.len()];
        for (sample, value) in values {
            if let Some(sum) = self.slots.get(sample).and_then(|&slot| sums.get_mut(slot)) {
                *sum += value;
            }
        }
        sums.iter().zip(&self.ranks).map(|(&sum, &ranks)| sum as f64 / f64::from(ranks.max(1))).collect()
    }
}

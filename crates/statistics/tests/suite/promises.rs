//! The promises of a comparison, counted over simulated recordings.

use super::noise::{ABOVE, CHANGED, Experiment, record, size};
use statistics::{Options, Random, Scope, Verdict, compare};

/// What was counted.
#[derive(Clone, Copy, Default)]
pub(crate) struct Counts {
    pub(crate) comparisons: usize,
    /// Comparisons with a regression or an improvement of any quantity that did not change.
    pub(crate) false_alarms: usize,
    /// Comparisons that call the changed region a regression.
    pub(crate) found: usize,
    /// Comparisons in which it has the largest difference of all regions that are called changed.
    pub(crate) first: usize,
    /// Intervals of mean differences of regions, and those with the true difference.
    pub(crate) intervals: usize,
    pub(crate) covering: usize,
    /// Intervals of ratios that have the true one.
    pub(crate) covering_ratio: usize,
}

impl Counts {
    pub(crate) fn share(&self, count: usize) -> f64 {
        100.0 * count as f64 / self.comparisons as f64
    }

    pub(crate) fn coverage(&self, covering: usize) -> f64 {
        100.0 * covering as f64 / self.intervals as f64
    }

    fn add(&mut self, other: &Counts) {
        self.comparisons += other.comparisons;
        self.false_alarms += other.false_alarms;
        self.found += other.found;
        self.first += other.first;
        self.intervals += other.intervals;
        self.covering += other.covering;
        self.covering_ratio += other.covering_ratio;
    }
}

/// Compares `repetitions` simulated pairs, on two threads. The answer depends on the seed only.
pub(crate) fn count(experiment: &Experiment, scope: Scope, resamples: usize, repetitions: usize, seed: u64) -> Counts {
    let half = |thread: usize| {
        let mut counts = Counts::default();
        for repetition in (thread..repetitions).step_by(2) {
            one(experiment, scope, resamples, seed + repetition as u64, &mut counts);
        }
        counts
    };
    std::thread::scope(|threads| {
        let other = threads.spawn(|| half(1));
        let mut counts = half(0);
        counts.add(&other.join().unwrap());
        counts
    })
}

fn one(experiment: &Experiment, scope: Scope, resamples: usize, seed: u64, counts: &mut Counts) {
    let (quantities, truth) = record(experiment, &mut Random::new(seed));
    let answer = compare(&quantities, &Options { resamples, paired: experiment.ranks, ..Options::new(scope) }).unwrap();
    counts.comparisons += 1;
    // Above the changed region, everything has changed with it.
    let has_changed =
        |at: usize| experiment.effect != 1.0 && (at == 0 || at == 1 + CHANGED % 3 || at == ABOVE + CHANGED);
    let alarm = |at: usize| answer.changes[at].verdict.is_change() && !has_changed(at);
    counts.false_alarms += usize::from((0..quantities.len()).any(alarm));
    let changed = &answer.changes[ABOVE + CHANGED];
    if experiment.effect != 1.0 && changed.verdict == Verdict::Regression {
        counts.found += 1;
        let rank = answer.changes[ABOVE..].iter().filter(|change| change.verdict.is_change());
        counts.first +=
            usize::from(rank.map(|change| change.difference.abs()).all(|one| one <= changed.difference.abs()));
    }
    for (region, change) in answer.changes[ABOVE..].iter().enumerate() {
        let [control, test] = match scope {
            Scope::Recording => truth[region],
            Scope::Program => [size(region), size(region) * if region == CHANGED { experiment.effect } else { 1.0 }],
        };
        counts.intervals += 1;
        counts.covering += usize::from(change.interval.is_some_and(|interval| interval.contains(test - control)));
        counts.covering_ratio += usize::from(change.ratio.is_some_and(|ratio| ratio.interval.contains(test / control)));
    }
}

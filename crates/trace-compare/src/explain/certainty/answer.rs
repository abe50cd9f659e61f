//! Certainty of an explanation, as numbers.

use super::judged::Judged;
use crate::certainty::SampleKind;
use statistics::{Comparability, Controls, Inconclusive, Scope, Verdict, no_verdict};

/// How certain the changes of an explanation are.
///
/// With one run on a side the samples are iterations, and verdicts are about these recordings ([`Scope::Recording`]). With several runs on
/// both sides the samples are runs, and verdicts are about the programs ([`Scope::Program`]). The ranks of an iteration wait for each
/// other: their mean is one sample. With one iteration a side and the same ranks, the samples are ranks in pairs.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Certainty {
    /// The question that is answered.
    pub scope: Scope,
    /// What the samples are.
    pub kind: SampleKind,
    /// Samples of control and of test.
    pub samples: [usize; 2],
    /// Iterations of control and of test; the ranks of one count once.
    pub iterations: [usize; 2],
    /// Independent samples that those of the step are worth: fewer if iterations are correlated.
    pub effective: [f64; 2],
    /// Seed of the resamples.
    pub seed: u64,
    /// Whether the recordings can be compared, by their unchanged regions.
    pub comparability: Comparability,
    pub(super) score: Option<f64>,
    /// What unchanged regions of the GPU say of the recordings.
    pub gpu: Option<Controls>,
    /// What unchanged regions of the host say; of recordings without GPU work.
    pub host: Option<Controls>,
    /// The step.
    pub step: Judged,
    /// The classes, as in [`Explanation::classes`](crate::Explanation::classes).
    pub classes: Vec<(&'static str, Judged)>,
    /// Idle time by cause, of the causes that there are.
    pub idle: Vec<(&'static str, Judged)>,
    /// Regions, as in [`Explanation::rows`](crate::Explanation::rows) without a filter. Absent for those with less than a
    /// thousandth of the step on both sides.
    pub regions: Vec<Option<Judged>>,
    /// Regions of the same operator, kernel and grade, in the order of [`Explanation::groups`].
    pub(in crate::explain) groups: Vec<Judged>,
}

impl Certainty {
    /// The noise floor of the GPU and of the host as shares: the spread of the ratios of unchanged regions.
    pub fn noise_floor(&self) -> [Option<f64>; 2] {
        [self.gpu, self.host].map(|controls| controls.map(|controls| controls.floor_share()))
    }

    /// How comparable the recordings are, from 0 to 1, by the spread of unchanged regions, which alone decides whether there are verdicts,
    /// and by the conditions in which the sides differ: each takes away 5 (machines, software), 10 (flags of the profiler, mix of
    /// events, clocks), 20 (size of the job, shapes of inputs) or 30 % (devices). Absent if there are too few unchanged regions to say.
    pub fn comparable(&self) -> Option<f64> {
        self.score
    }

    /// Returns the reason for which nothing has a verdict, if there is one.
    pub(crate) fn no_verdict(&self) -> Option<Inconclusive> {
        no_verdict(self.samples, self.comparability, self.scope, self.kind == SampleKind::Ranks)
    }

    /// Returns the verdicts on everything that was judged: step, classes, causes of idle time, operators with their kernels, regions.
    pub fn verdicts(&self) -> impl Iterator<Item = Verdict> + '_ {
        let parts = self.classes.iter().chain(&self.idle).map(|(_, judged)| judged);
        let regions = self.groups.iter().chain(self.regions.iter().flatten());
        std::iter::once(&self.step).chain(parts).chain(regions).map(|judged| judged.verdict)
    }

    /// Returns how certain the change of a class is.
    pub fn class(&self, class: &str) -> Option<Judged> {
        self.classes.iter().find(|(name, _)| *name == class).map(|(_, judged)| *judged)
    }
}

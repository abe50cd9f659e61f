//! Certainty of an explanation, as numbers.

use super::quantities::{BOTH, Place, Quantities};
use super::sampling::Sampling;
use crate::certainty::{SampleKind, score};
use crate::explain::Explanation;
use statistics::{Answer, Change, Comparability, Controls, Inconclusive, Options, Scope, Verdict, compare, no_verdict};

/// How certain a change is. Times are µs a step; with fewer than four samples on a side, or six pairs, all but the verdict is absent.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Judged {
    /// 95 % interval of the change of the mean.
    pub interval_us: Option<[f64; 2]>,
    /// Ratio test ÷ control (Hodges–Lehmann) and its 95 % interval: estimate, low, high.
    pub ratio: Option<[f64; 3]>,
    /// The probability that an iteration, a run or a rank of test takes longer than one of control.
    pub superiority: Option<f64>,
    /// Two-sided p.
    pub p: Option<f64>,
    /// p corrected for all quantities of its level.
    pub q: Option<f64>,
    /// The relevant change that it was judged by, as a share.
    pub relevance: f64,
    /// What can be said.
    pub verdict: Verdict,
}

impl Judged {
    /// Of a change in an answer.
    pub(super) fn of(change: &Change, answer: &Answer) -> Self {
        if answer.samples.iter().any(|&samples| samples < answer.fewest()) {
            return Self { verdict: change.verdict, relevance: change.relevance, ..Self::unknown() };
        }
        Self {
            interval_us: change.interval.map(|interval| [interval.low / 1e3, interval.high / 1e3]),
            ratio: change.ratio.map(|ratio| [ratio.estimate, ratio.interval.low, ratio.interval.high]),
            superiority: change.superiority,
            p: change.p,
            q: change.q,
            relevance: change.relevance,
            verdict: change.verdict,
        }
    }

    /// Of what cannot be judged.
    fn unknown() -> Self {
        Self {
            interval_us: None,
            ratio: None,
            superiority: None,
            p: None,
            q: None,
            relevance: 0.0,
            verdict: Verdict::Inconclusive(Inconclusive::NoiseUnknown),
        }
    }
}

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
    score: Option<f64>,
    /// What unchanged regions of the GPU say of the recordings.
    pub gpu: Option<Controls>,
    /// What unchanged regions of the host say; of recordings without GPU work.
    pub host: Option<Controls>,
    /// The step.
    pub step: Judged,
    /// The classes, as in [`Explanation::classes`].
    pub classes: Vec<(&'static str, Judged)>,
    /// Idle time by cause, of the causes that there are.
    pub idle: Vec<(&'static str, Judged)>,
    /// Regions, as in [`Explanation::rows`] without a filter. Absent for those with less than a thousandth of the step on both sides.
    pub regions: Vec<Option<Judged>>,
    /// Regions of the same operator, kernel and grade, in the order of [`Explanation::groups`].
    pub(in crate::explain) groups: Vec<Judged>,
}

impl Certainty {
    /// Judges everything in an explanation.
    pub(in crate::explain) fn of(explanation: &Explanation) -> Self {
        let [control, test] = &explanation.sides;
        let scope = if control.runs > 1 && test.runs > 1 { Scope::Program } else { Scope::Recording };
        let options = Options { test: explanation.method, paired: explanation.is_paired(), ..Options::new(scope) };
        let quantities = Quantities::of(explanation);
        let answer = quantities.as_ref().ok().and_then(|quantities| compare(&quantities.values, &options).ok());
        match (quantities, answer) {
            (Ok(quantities), Some(answer)) => Self::new(explanation, &quantities, &answer),
            _ => Self::unknown(explanation, &options),
        }
    }

    fn new(explanation: &Explanation, quantities: &Quantities, answer: &Answer) -> Self {
        let mut certainty = Self {
            samples: answer.samples,
            effective: answer.changes.first().map_or([0.0; 2], |step| step.effective),
            comparability: answer.comparability,
            score: score(answer.comparability, &explanation.warnings),
            gpu: answer.gpu,
            host: answer.host,
            ..Self::unknown(
                explanation,
                &Options { seed: answer.seed, paired: answer.paired, ..Options::new(answer.scope) },
            )
        };
        certainty.classes.clear();
        for (place, change) in quantities.places.iter().zip(&answer.changes) {
            let judged = Judged::of(change, answer);
            match place {
                Place::Step => certainty.step = judged,
                Place::Class(class) => certainty.classes.push((class, judged)),
                Place::Idle(cause) => certainty.idle.push((cause, judged)),
                Place::Group { group, regions } => {
                    certainty.groups[*group] = judged;
                    // A group of one region is that region.
                    if let [region] = regions[..] {
                        certainty.regions[region] = Some(judged);
                    }
                }
                Place::Region(region) => certainty.regions[*region] = Some(judged),
            }
        }
        certainty
    }

    /// Without samples nothing can be judged.
    fn unknown(explanation: &Explanation, options: &Options) -> Self {
        let judged = Judged::unknown();
        Self {
            scope: options.scope,
            kind: match options.scope {
                _ if options.paired => SampleKind::Ranks,
                Scope::Recording => SampleKind::Iterations,
                Scope::Program => SampleKind::Runs,
            },
            samples: [0, 0],
            iterations: BOTH.map(|side| Sampling::by_iteration(explanation, side).iterations.len()),
            effective: [0.0; 2],
            seed: options.seed,
            comparability: Comparability::Unknown,
            score: None,
            gpu: None,
            host: None,
            step: judged,
            classes: explanation.classes.iter().map(|class| (class.class, judged)).collect(),
            idle: Vec::new(),
            regions: vec![None; explanation.region_count()],
            groups: vec![judged; explanation.groups().len()],
        }
    }

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

impl Explanation {
    /// Returns how certain the changes are. Computed once, when it is first asked for.
    pub fn certainty(&self) -> &Certainty {
        self.certainty.get_or_init(|| Certainty::of(self))
    }

    /// Judges changes of other sets of regions, such as all calls of an operator; `sets` names regions by their ids. Each set is one
    /// more quantity beside those of [`Self::certainty`], judged by the same unchanged regions; q corrects for the sets alone.
    pub fn judge(&self, sets: &[Vec<usize>]) -> Vec<Judged> {
        let intervals = 1 + sets.len();
        let options =
            Options { test: self.method, paired: self.is_paired(), intervals, ..Options::new(self.certainty().scope) };
        let judged = Quantities::of_sets(self, sets).and_then(|quantities| compare(&quantities, &options));
        match judged {
            Ok(answer) => {
                let sets = answer.changes.iter().skip(1).take(sets.len());
                sets.map(|change| Judged::of(change, &answer)).collect()
            }
            Err(_) => vec![Judged::unknown(); sets.len()],
        }
    }
}

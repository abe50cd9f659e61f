//! Certainty of one change, as numbers.

use statistics::{Answer, Change, Inconclusive, Verdict};

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
    /// Two-sided p of the samples alone: of the times as recorded, whatever other regions do.
    pub p_of_samples: Option<f64>,
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
            p_of_samples: change.p_of_samples,
            q: change.q,
            relevance: change.relevance,
            verdict: change.verdict,
        }
    }

    /// Of what cannot be judged.
    pub(super) fn unknown() -> Self {
        Self {
            interval_us: None,
            ratio: None,
            superiority: None,
            p: None,
            p_of_samples: None,
            q: None,
            relevance: 0.0,
            verdict: Verdict::Inconclusive(Inconclusive::NoiseUnknown),
        }
    }
}

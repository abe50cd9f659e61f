//! The verdict on one quantity.

use super::verdict::{Inconclusive, Verdict};
use crate::numbers::interval::Interval;

/// What is known of a quantity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judgement {
    /// Interval of the logarithm of the ratio test ÷ control.
    pub log_ratio: Interval,
    /// q of the change; nothing if it was not reached by the descent.
    pub q: Option<f64>,
}

/// From where a change matters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thresholds {
    /// Smallest relevant change, as a share: the largest of 1 %, twice the noise floor, and 0.1 % of the step as a share of the quantity.
    pub relevance: f64,
    /// Largest q.
    pub alpha: f64,
}

/// How far a power of 0.8 moves the smallest change beyond the half width of a 95 % interval: Φ⁻¹(0.8) ÷ Φ⁻¹(0.975).
const POWER: f64 = 0.43;

/// Returns the verdict: a regression or an improvement if the interval is outside of ± the relevant change and q is small enough; no
/// relevant change if it is inside; else inconclusive, with the smallest change that these samples show in 4 of 5 comparisons. Ratios are
/// compared by their logarithms, so exchanged roles have the mirrored verdict.
pub fn judge(judgement: &Judgement, thresholds: &Thresholds) -> Verdict {
    let interval = judgement.log_ratio;
    let bound = thresholds.relevance.max(0.0).ln_1p();
    if !(interval.low.is_finite() && interval.high.is_finite() && bound.is_finite()) {
        return Verdict::Inconclusive(Inconclusive::NoRatio);
    }
    if -bound <= interval.low && interval.high <= bound {
        return Verdict::NoRelevantChange;
    }
    if judgement.q.is_some_and(|q| q <= thresholds.alpha) {
        if interval.low > bound {
            return Verdict::Regression;
        }
        if interval.high < -bound {
            return Verdict::Improvement;
        }
    }
    let smallest = (bound + interval.half_width() * (1.0 + POWER)).exp_m1();
    Verdict::Inconclusive(Inconclusive::Noise { smallest })
}

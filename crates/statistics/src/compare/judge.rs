//! The verdict on one quantity.

use super::answer::Comparability;
use super::quantity::Scope;
use super::verdict::{FEWEST, FEWEST_PAIRS, Inconclusive, Verdict};
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
    /// Smallest relevant change, as a share: 1 % unless the user names another. The whole interval of a change is beyond it.
    pub relevance: f64,
    /// 0.1 % of the step as a share of the quantity. The middle of the interval of a change is beyond it: this is about what matters, not
    /// about what is certain.
    pub of_step: f64,
    /// Largest q.
    pub alpha: f64,
}

/// Returns the reason for which no quantity of a comparison has a verdict, if there is one: too few samples, or recordings that cannot be
/// compared.
pub fn no_verdict(
    samples: [usize; 2],
    comparability: Comparability,
    scope: Scope,
    paired: bool,
) -> Option<Inconclusive> {
    let have = samples[0].min(samples[1]);
    if samples == [1, 1] {
        return Some(match scope {
            Scope::Program => Inconclusive::OneRecording,
            Scope::Recording => Inconclusive::NoiseUnknown,
        });
    }
    let needed = if paired { FEWEST_PAIRS } else { FEWEST };
    if have < needed {
        return Some(Inconclusive::TooFew { needed, have });
    }
    // Runs measure themselves how much recordings differ: what they do not explain is a change of the program.
    if scope == Scope::Program {
        return None;
    }
    match comparability {
        Comparability::NotComparable { .. } => Some(Inconclusive::NotComparable),
        Comparability::Unknown | Comparability::MostChanged => Some(Inconclusive::NoControls),
        Comparability::Comparable { .. } => None,
    }
}

/// How far a power of 0.8 moves the smallest change beyond the half width of a 95 % interval: Φ⁻¹(0.8) ÷ Φ⁻¹(0.975).
const POWER: f64 = 0.43;

/// Returns the verdict: a regression or an improvement if the interval is outside of ± the relevant change, its middle is large enough
/// for the step, and q is small enough; no relevant change if it is inside of the larger of both; else inconclusive, with the smallest change that these samples show in 4 of 5 comparisons. Ratios are
/// compared by their logarithms, so exchanged roles have the mirrored verdict.
pub fn judge(judgement: &Judgement, thresholds: &Thresholds) -> Verdict {
    let interval = judgement.log_ratio;
    let [bound, of_step] = [thresholds.relevance, thresholds.of_step].map(|share| share.max(0.0).ln_1p());
    let largest = bound.max(of_step);
    if !(interval.low.is_finite() && interval.high.is_finite() && largest.is_finite()) {
        return Verdict::Inconclusive(Inconclusive::NoRatio);
    }
    if -largest <= interval.low && interval.high <= largest {
        return Verdict::NoRelevantChange;
    }
    if judgement.q.is_some_and(|q| q <= thresholds.alpha) {
        let middle = f64::midpoint(interval.low, interval.high);
        if interval.low > bound && middle > of_step {
            return Verdict::Regression;
        }
        if interval.high < -bound && middle < -of_step {
            return Verdict::Improvement;
        }
    }
    let smallest = (bound + interval.half_width() * (1.0 + POWER)).max(of_step).exp_m1();
    Verdict::Inconclusive(Inconclusive::Noise { smallest })
}

//! The prior of a moderated t: the spread of typical quantities, and its weight beside that of each.

use statrs::function::gamma::digamma;
use std::ops::RangeInclusive;

/// Fewest and most degrees of freedom that typical quantities add to each. Few would let the uncertain variances of four runs decide;
/// many would trust that all quantities are alike.
const DEGREES: RangeInclusive<f64> = 4.0..=40.0;

/// A prior of variances: scaled inverse χ² with these degrees around this variance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Prior {
    pub(crate) degrees: f64,
    pub(crate) variance: f64,
}

/// What does not depend on the variances: functions of their own degrees of freedom.
pub(crate) struct Moderation {
    /// Mean of log(χ²/degrees).
    bias: f64,
    /// Variance of log χ².
    chance: f64,
}

impl Moderation {
    /// For variances with so many degrees of freedom each.
    pub(crate) fn new(degrees: f64) -> Self {
        Self { bias: digamma(degrees / 2.0) - (degrees / 2.0).ln(), chance: trigamma(degrees / 2.0) }
    }

    /// Estimates the prior from the variances themselves, by mean and variance of their logarithms (Smyth, 2004, section 6.2): where
    /// quantities vary alike, logarithms differ only as chance makes them, and each quantity borrows many degrees from the others.
    /// Quantities without spread say nothing.
    pub(crate) fn prior(&self, variances: &[f64]) -> Prior {
        self.prior_within(variances, DEGREES)
    }

    /// As [`Self::prior`], with other bounds of its degrees.
    pub(crate) fn prior_within(&self, variances: &[f64], bounds: RangeInclusive<f64>) -> Prior {
        let (mut count, mut sum, mut squares) = (0.0, 0.0, 0.0);
        for variance in variances.iter().filter(|variance| **variance > 1e-24) {
            let log = variance.ln() - self.bias;
            count += 1.0;
            sum += log;
            squares += log * log;
        }
        if count == 0.0 {
            return Prior { degrees: *bounds.start(), variance: 0.0 };
        }
        let centre = sum / count;
        let spread = if count > 1.0 { (squares - count * centre * centre) / (count - 1.0) } else { f64::INFINITY };
        let beyond = spread - self.chance;
        let degrees = if beyond > 0.0 { 2.0 * inverse_trigamma(beyond) } else { f64::INFINITY };
        let degrees = degrees.clamp(*bounds.start(), *bounds.end());
        Prior { degrees, variance: (centre + digamma(degrees / 2.0) - (degrees / 2.0).ln()).exp() }
    }
}

/// The second derivative of log Γ, by recurrence and the asymptotic series.
fn trigamma(x: f64) -> f64 {
    let (mut x, mut sum) = (x, 0.0);
    while x < 10.0 {
        sum += 1.0 / (x * x);
        x += 1.0;
    }
    let square = 1.0 / (x * x);
    sum + 1.0 / x
        + square / 2.0
        + square / x * (1.0 / 6.0 - square * (1.0 / 30.0 - square * (1.0 / 42.0 - square / 30.0)))
}

/// The x > 0 with this trigamma, by halving: it falls from ∞ to 0.
fn inverse_trigamma(y: f64) -> f64 {
    let (mut low, mut high) = (1e-3, 1e3);
    for _ in 0..40 {
        let middle = f64::sqrt(low * high);
        if trigamma(middle) > y { low = middle } else { high = middle }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trigamma_has_known_values() {
        let pi = std::f64::consts::PI;
        assert!((trigamma(1.0) - pi * pi / 6.0).abs() < 1e-10);
        assert!((trigamma(0.5) - pi * pi / 2.0).abs() < 1e-10);
        for x in [0.7, 2.0, 5.5, 30.0] {
            assert!((inverse_trigamma(trigamma(x)) - x).abs() < 1e-6 * x);
        }
    }

    #[test]
    fn equal_variances_borrow_more_than_unequal_ones() {
        let moderation = Moderation::new(10.0);
        let similar = moderation.prior(&[1.0, 1.1, 0.9, 1.05, 0.95, 1.0]);
        let unlike = moderation.prior(&[1.0, 100.0, 0.01, 10.0, 0.1, 1e4]);
        assert_eq!((similar.degrees, unlike.degrees), (40.0, 4.0));
        assert!((0.8..1.3).contains(&similar.variance), "{similar:?}");
        assert_eq!(moderation.prior(&[0.0, 0.0]).variance, 0.0);
    }
}

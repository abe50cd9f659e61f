//! The least change that samples can show, and the number of values that show a given one.

use crate::numbers::distribution::student_quantile;
use crate::two_sample::mann_whitney::smallest_p;

/// How often a change of the smallest size that can be shown is shown.
const POWER: f64 = 0.8;

/// Largest number of values that [`needed`] answers with.
const MOST: usize = 100_000;

/// Returns the smallest change that is told from none in 4 of 5 comparisons, two-sided at `alpha`:
/// (t(1 − α/2) + t(0.8)) · `error`, with the standard error of the difference and its degrees of freedom.
pub fn smallest_change(error: f64, degrees: f64, alpha: f64) -> f64 {
    (student_quantile(1.0 - alpha / 2.0, degrees) + student_quantile(POWER, degrees)) * error
}

/// Returns how many values a side show a change in 4 of 5 comparisons, two-sided at `alpha`, if single values have the standard deviation
/// `spread`; never fewer than an exact rank test needs to reach `alpha`. Nothing if no number up to 100,000 does, or if the arguments
/// are not positive.
pub fn needed(spread: f64, change: f64, alpha: f64) -> Option<usize> {
    if !(spread >= 0.0 && spread.is_finite() && change > 0.0 && alpha > 0.0) {
        return None;
    }
    let shows = |n: usize| {
        let size = n as f64;
        smallest_p(n, n) <= alpha && smallest_change(spread * (2.0 / size).sqrt(), 2.0 * size - 2.0, alpha) <= change
    };
    let (mut low, mut high) = (1, 2);
    while !shows(high) {
        low = high;
        high *= 2;
        if high > MOST {
            return None;
        }
    }
    // `low` does not show it, `high` does.
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if shows(middle) { high = middle } else { low = middle }
    }
    Some(high)
}

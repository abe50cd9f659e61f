//! Hodges–Lehmann estimates: shift, ratio, centre of a sample.

use super::pairs::{kth_difference, kth_mean};
use crate::numbers::distribution::student_quantile;
use crate::numbers::error::{Error, check, finite, logs};
use crate::numbers::interval::Interval;
use crate::two_sample::mann_whitney::EXACT;
use crate::two_sample::rank_sums::without_ties;

/// A shift, or a ratio, of test against control.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shift {
    /// The estimate.
    pub estimate: f64,
    /// Its interval, with the level that it reaches.
    pub interval: Interval,
}

/// Returns the Hodges–Lehmann shift, the median of all differences test − control, and the interval of the shifts that a Mann–Whitney
/// test does not reject (Hodges and Lehmann, 1963; R's `wilcox.test(conf.int = TRUE)`). Up to 25 a side its ends are exact order
/// statistics of the differences, at the level that is nearest to the one asked for: 94.3 % for 4 against 4, where R takes the next one
/// above, 97.1 %. Above, and where the effective sizes are smaller than the real ones
/// ([`crate::mann_whitney_correlated`]), they are those of the normal or Student's distribution of U. `sizes`: effective sizes, or
/// nothing for independent values.
///
/// With very few values the level asked for is out of reach: the interval is then the whole range, with the level that it has.
///
/// # Errors
/// [`Error::TooFew`] if a side is empty, [`Error::NotFinite`].
pub fn shift(control: &[f64], test: &[f64], level: f64, sizes: Option<[f64; 2]>) -> Result<Shift, Error> {
    check([control, test], 1)?;
    let ascending = |values: &[f64]| {
        let mut values = values.to_vec();
        values.sort_unstable_by(f64::total_cmp);
        values
    };
    let (control, test) = (ascending(control), ascending(test));
    let pairs = control.len() * test.len();
    let lower = kth_difference(&control, &test, (pairs - 1) / 2);
    let upper = if pairs % 2 == 1 { lower } else { kth_difference(&control, &test, pairs / 2) };
    let (skipped, level) = skipped(control.len(), test.len(), level, sizes);
    let interval = Interval {
        low: kth_difference(&control, &test, skipped),
        high: kth_difference(&control, &test, pairs - 1 - skipped),
        level,
    };
    Ok(Shift { estimate: lower / 2.0 + upper / 2.0, interval })
}

/// Returns the ratio test ÷ control: the exponential of the [`shift`] of logarithms.
///
/// # Errors
/// As [`shift`], and [`Error::NotPositive`].
pub fn ratio(control: &[f64], test: &[f64], level: f64, sizes: Option<[f64; 2]>) -> Result<Shift, Error> {
    let shift = shift(&logs(control)?, &logs(test)?, level, sizes)?;
    Ok(Shift { estimate: shift.estimate.exp(), interval: shift.interval.map(f64::exp) })
}

/// How many differences at each end are outside of the interval, and the level that it reaches.
fn skipped(m: usize, n: usize, level: f64, sizes: Option<[f64; 2]>) -> (usize, f64) {
    let tail = (1.0 - level.clamp(0.0, 1.0)) / 2.0;
    let pairs = m * n;
    if sizes.is_none() && m.max(n) <= EXACT {
        let counts = without_ties(m, n);
        let all: f64 = counts.iter().sum();
        // With `skipped` differences outside at each end, the true shift is outside as often as U is at most `skipped`.
        let (mut outside, mut best) = (0.0, (0, f64::INFINITY));
        for (skipped, count) in counts.iter().enumerate().take(pairs.div_ceil(2)) {
            outside += count / all;
            if (outside - tail).abs() < (best.1 - tail).abs() {
                best = (skipped, outside);
            }
        }
        return (best.0, 1.0 - 2.0 * best.1);
    }
    let (real_m, real_n) = (m as f64, n as f64);
    let [a, b] = sizes.unwrap_or([real_m, real_n]);
    let (a, b) = (a.clamp(1.0, real_m), b.clamp(1.0, real_n));
    let inflation = (1.0 / a + 1.0 / b) / (1.0 / real_m + 1.0 / real_n);
    let degrees = if sizes.is_some() { (a + b - 2.0).max(1.0) } else { f64::INFINITY };
    let deviation = (inflation * real_m * real_n * (real_m + real_n + 1.0) / 12.0).sqrt();
    let half = student_quantile(1.0 - tail, degrees) * deviation;
    let skipped = (pairs as f64 / 2.0 - half).floor().clamp(0.0, ((pairs - 1) / 2) as f64);
    (skipped as usize, level)
}

/// Returns the Hodges–Lehmann centre of one sample: the median of the means of all pairs, each value with itself included. Nearly as
/// efficient as the mean for normal values, and unmoved by a few outliers.
///
/// # Errors
/// [`Error::TooFew`] of nothing, [`Error::NotFinite`].
pub fn pseudo_median(sample: &[f64]) -> Result<f64, Error> {
    finite(sample)?;
    let n = sample.len();
    if n == 0 {
        return Err(Error::TooFew { needed: 1, have: 0 });
    }
    let mut ascending = sample.to_vec();
    ascending.sort_unstable_by(f64::total_cmp);
    let pairs = n * (n + 1) / 2;
    let lower = kth_mean(&ascending, (pairs - 1) / 2);
    let upper = if pairs % 2 == 1 { lower } else { kth_mean(&ascending, pairs / 2) };
    Ok(lower / 2.0 + upper / 2.0)
}

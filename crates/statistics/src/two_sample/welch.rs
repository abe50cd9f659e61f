//! Welch's t test.

use crate::numbers::distribution::{student_outside, student_quantile};
use crate::numbers::error::{Error, check};
use crate::numbers::interval::Interval;
use crate::numbers::moments::{mean, variance};

/// The answer of Welch's t test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Welch {
    /// Mean of test − mean of control.
    pub difference: f64,
    /// Standard error of the difference.
    pub error: f64,
    /// Difference ÷ standard error.
    pub t: f64,
    /// Degrees of freedom after Welch and Satterthwaite.
    pub degrees: f64,
    /// Two-sided p.
    pub p: f64,
}

impl Welch {
    /// Returns the interval of the difference of means.
    pub fn interval(&self, level: f64) -> Interval {
        let half = student_quantile(0.5 + level / 2.0, self.degrees) * self.error;
        Interval { low: self.difference - half, high: self.difference + half, level }
    }
}

/// Tests whether two means differ, without assuming equal variances (Welch, 1947): t = (mean of test − mean of control) ÷
/// √(s²/m + s²/n), with Satterthwaite's degrees of freedom.
///
/// # Errors
/// [`Error::TooFew`] with fewer than two values a side, [`Error::NotFinite`], [`Error::NoSpread`] if both sides are constant.
pub fn welch(control: &[f64], test: &[f64]) -> Result<Welch, Error> {
    check([control, test], 2)?;
    let (m, n) = (control.len() as f64, test.len() as f64);
    let (a, b) = (variance(control) / m, variance(test) / n);
    if a + b <= 0.0 {
        return Err(Error::NoSpread);
    }
    let difference = mean(test) - mean(control);
    let error = (a + b).sqrt();
    let t = difference / error;
    // As shares of a + b, so that tiny variances do not underflow when squared.
    let (share_a, share_b) = (a / (a + b), b / (a + b));
    let degrees = 1.0 / (share_a * share_a / (m - 1.0) + share_b * share_b / (n - 1.0));
    Ok(Welch { difference, error, t, degrees, p: student_outside(t, degrees) })
}

//! The Brunner–Munzel test.

use crate::numbers::distribution::student_outside;
use crate::numbers::error::{Error, check};
use crate::numbers::moments::{mean, variance};
use crate::numbers::ranks::ranks;

/// The answer of a Brunner–Munzel test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BrunnerMunzel {
    /// The statistic; positive if test values tend to be larger.
    pub statistic: f64,
    /// The probability that a test value is larger, equal ones counted half.
    pub superiority: f64,
    /// Degrees of freedom; infinite if the sides do not overlap.
    pub degrees: f64,
    /// Two-sided p.
    pub p: f64,
}

/// Tests whether values of one side tend to be larger, without assuming equal spread (Brunner and Munzel, 2000): the difference of mean
/// midranks ÷ its standard error from placements (rank in both samples − rank in the own one), by Student's distribution. Sides that do
/// not overlap have p = 0 in this approximation; with fewer than ten values a side [`crate::permutation`] is exact.
///
/// # Errors
/// [`Error::TooFew`] with fewer than two values a side, [`Error::NotFinite`], [`Error::NoSpread`] if all values are equal.
pub fn brunner_munzel(control: &[f64], test: &[f64]) -> Result<BrunnerMunzel, Error> {
    check([control, test], 2)?;
    let (m, n) = (control.len() as f64, test.len() as f64);
    let halves = |doubled: &[u64]| doubled.iter().map(|&rank| rank as f64 / 2.0).collect::<Vec<f64>>();
    let pooled = halves(&ranks(control, test).doubled);
    let (pooled_control, pooled_test) = pooled.split_at(control.len());
    let placements = |pooled: &[f64], own: &[f64]| {
        let own = halves(&ranks(own, &[]).doubled);
        pooled.iter().zip(own).map(|(rank, own)| rank - own).collect::<Vec<f64>>()
    };
    let a = m * variance(&placements(pooled_control, control));
    let b = n * variance(&placements(pooled_test, test));
    let distance = mean(pooled_test) - mean(pooled_control);
    let superiority = distance / (m + n) + 0.5;
    if a + b > 0.0 {
        let statistic = m * n * distance / ((m + n) * (a + b).sqrt());
        let degrees = (a + b).powi(2) / (a * a / (m - 1.0) + b * b / (n - 1.0));
        return Ok(BrunnerMunzel { statistic, superiority, degrees, p: student_outside(statistic, degrees) });
    }
    if distance == 0.0 {
        return Err(Error::NoSpread);
    }
    Ok(BrunnerMunzel { statistic: distance.signum() * f64::INFINITY, superiority, degrees: f64::INFINITY, p: 0.0 })
}

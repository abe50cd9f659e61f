//! Internal controls: what quantities that have not changed say of the recordings.

use crate::numbers::distribution::student_outside;
use crate::numbers::error::{Error, finite};
use crate::numbers::moments::{mad, median};

/// Fewest unchanged quantities from which a noise floor is estimated.
pub(crate) const FEWEST_CONTROLS: usize = 8;
/// A MAD of n values is as certain as a standard deviation of 0.37 n.
const EFFICIENCY: f64 = 0.37;
/// Share of the controls that moves with a common factor.
const NEARLY_ALL: f64 = 0.8;

/// Centre and spread of the log ratios of quantities that are the same code on both sides. Regions that most of all did not change
/// measure the recording itself, as genes do in counts of RNA (median of ratios; Anders and Huber, 2010).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Controls {
    /// How many there are.
    pub count: usize,
    /// Median log ratio.
    pub centre: f64,
    /// Noise floor: the MAD (× 1.4826) of the log ratios.
    pub floor: f64,
    /// The part of the floor that the samples' own errors do not explain: √(floor² − median error²), at least 0. More iterations do not
    /// make it smaller; in the scope of programs it is about 0, as the errors then contain it.
    pub excess: f64,
    /// Whether chance explains the excess: its square is within three standard errors of what the errors alone give.
    pub is_chance: bool,
    /// The common factor of nearly all controls (clock or load, not code), if there is one: at least 1 % and three standard errors away
    /// from 1, with 80 % of the controls on the same side.
    pub common_factor: Option<f64>,
}

/// Returns what the log ratios of unchanged quantities, with their standard errors, say of the recordings.
///
/// # Errors
/// [`Error::TooFew`] with fewer than eight, [`Error::Shape`] if the slices differ in length, [`Error::NotFinite`].
pub fn controls(log_ratios: &[f64], errors: &[f64]) -> Result<Controls, Error> {
    if log_ratios.len() != errors.len() {
        return Err(Error::Shape);
    }
    finite(log_ratios)?;
    finite(errors)?;
    let count = log_ratios.len();
    if count < FEWEST_CONTROLS {
        return Err(Error::TooFew { needed: FEWEST_CONTROLS, have: count });
    }
    let (centre, floor) = (median(log_ratios), mad(log_ratios));
    let squares: Vec<f64> = errors.iter().map(|error| error * error).collect();
    let explained = median(&squares);
    let excess = (floor * floor - explained).max(0.0).sqrt();
    // A variance estimated with ν degrees has the relative standard error √(2/ν).
    let is_chance = floor * floor <= explained * (1.0 + 3.0 * (2.0 / (EFFICIENCY * (count as f64 - 1.0))).sqrt());
    let same_side = log_ratios.iter().filter(|ratio| ratio.signum() == centre.signum()).count() as f64;
    // The median of n normal values has the standard error 1.2533 σ/√n.
    let error = 1.2533 * floor / (count as f64).sqrt();
    let is_common = centre.abs() >= 0.01 && centre.abs() >= 3.0 * error && same_side >= NEARLY_ALL * count as f64;
    Ok(Controls { count, centre, floor, excess, is_chance, common_factor: is_common.then(|| centre.exp()) })
}

impl Controls {
    /// Returns the p that a quantity with this log ratio and standard error moved no more than the controls: its distance from their
    /// centre ÷ √(excess² + error²), by Student's distribution with 0.37 (n − 1) degrees.
    pub fn p(&self, log_ratio: f64, error: f64) -> f64 {
        let spread = self.excess.hypot(error);
        if spread > 0.0 {
            student_outside((log_ratio - self.centre) / spread, EFFICIENCY * (self.count as f64 - 1.0))
        } else if log_ratio == self.centre {
            1.0
        } else {
            0.0
        }
    }
}

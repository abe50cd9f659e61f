//! Internal controls: what quantities that have not changed say of the recordings.

use super::between::{Between, MOST, between};
use crate::numbers::distribution::{student_outside, student_quantile};
use crate::numbers::error::{Error, finite};
use crate::numbers::moments::{NORMAL_MAD, median};

/// Fewest unchanged quantities from which a noise floor is estimated.
pub(crate) const FEWEST_CONTROLS: usize = 8;
/// A MAD of n values is as certain as a standard deviation of 0.37 n.
const EFFICIENCY: f64 = 0.37;
/// Largest share of the votes by time that a quantity has.
const LARGEST_VOTE: f64 = 0.2;
/// Share of the votes below which one quantity hardly changes the noise.
const FEWEST_VOTES: f64 = 0.005;
/// Standard errors of the variance between recordings that may be chance: with equal votes, and with votes by time, which few quantities have.
const CHANCE: f64 = 2.0;
const CHANCE_BY_TIME: f64 = 4.0;
/// The standard error of the centre of n normal values, in units of σ/√n.
const CENTRE: f64 = 1.03;
/// Distance from the median in standard deviations up to which a value counts in full.
const HUBER: f64 = 1.5;
/// Share of the controls that moves with a common factor.
const NEARLY_ALL: f64 = 0.8;

/// Centre and spread of the log ratios of quantities that are the same code on both sides. Regions that most of all did not change
/// measure the recording itself, as genes do in counts of RNA (median of ratios; Anders and Huber, 2010).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Controls {
    /// How many there are.
    pub count: usize,
    /// Centre of the log ratios: their mean, in which what lies far from the median counts less.
    pub centre: f64,
    /// Noise floor: the MAD (× 1.4826) of the log ratios, the wider of that with equal votes and that with votes by time.
    pub floor: f64,
    /// The part of the floor that the samples' own errors do not explain: √(floor² − median error²), at least 0. More iterations do not
    /// make it smaller; in the scope of programs it is about 0, as the errors then contain it.
    pub excess: f64,
    /// Whether chance explains the excess: by either way to vote, the square of the floor is within four standard errors of what the
    /// errors alone give.
    pub is_chance: bool,
    /// Variance of the log ratios beyond the samples' own errors, by the vote of each control; by time where that is beyond chance.
    pub(crate) between: Between,
    /// Standard error of the centre.
    pub(crate) centre_error: f64,
    /// The common factor of nearly all controls (clock or load, not code), if there is one: at least 1 % and three standard errors away
    /// from 1, with 80 % of the controls on the same side.
    pub common_factor: Option<f64>,
}

/// The quantities that noise is measured by: log ratios, standard errors and sizes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Measured {
    pub(crate) ratios: Vec<f64>,
    pub(crate) errors: Vec<f64>,
    pub(crate) sizes: Vec<f64>,
}

impl Measured {
    pub(crate) fn push(&mut self, ratio: f64, error: f64, size: f64) {
        self.ratios.push(ratio);
        self.errors.push(error);
        self.sizes.push(size);
    }

    /// Returns the controls without the quantity at a position, as it is judged itself: what is really slower is no noise to itself. None if
    /// it lies where noise is expected, or has so few of the votes that nothing changes.
    pub(crate) fn without(&self, at: usize, all: &Controls) -> Option<Controls> {
        let residual = self.ratios[at] - all.centre;
        if residual.abs() < MOST * self.errors[at].hypot(all.between.variance.sqrt()) {
            return None;
        }
        let by_time = self.sizes[at].abs() / self.sizes.iter().map(|size| size.abs()).sum::<f64>();
        if by_time.max(1.0 / all.count as f64) < FEWEST_VOTES {
            return None;
        }
        let but = |of: &[f64]| [&of[..at], &of[at + 1..]].concat();
        let residuals: Vec<f64> = but(&self.ratios).iter().map(|ratio| ratio - all.centre).collect();
        // Where all together differ beyond chance, the rest does with less doubt.
        let doubt = 1.0 - all.between.part;
        let between = between_recordings(&residuals, &but(&self.errors), &but(&self.sizes), doubt);
        Some(Controls { between, ..*all })
    }
}

/// Returns what the log ratios of unchanged quantities, with their standard errors, say of the recordings. `sizes` are their times: the
/// spread is measured once with a vote for each quantity and once with votes by time, and the wider one counts. Two recordings whose few
/// large operators differ by half while a hundred small ones agree are not alike. No quantity has more than a fifth of all votes, so one
/// that is really slower is not taken for the noise.
///
/// # Errors
/// [`Error::TooFew`] with fewer than eight, [`Error::Shape`] if the slices differ in length, [`Error::NotFinite`].
pub fn controls(log_ratios: &[f64], errors: &[f64], sizes: &[f64]) -> Result<Controls, Error> {
    let count = log_ratios.len();
    if count != errors.len() || count != sizes.len() {
        return Err(Error::Shape);
    }
    finite(log_ratios)?;
    finite(errors)?;
    finite(sizes)?;
    if count < FEWEST_CONTROLS {
        return Err(Error::TooFew { needed: FEWEST_CONTROLS, have: count });
    }
    let centre = centre(log_ratios);
    let residuals: Vec<f64> = log_ratios.iter().map(|ratio| ratio - centre).collect();
    let (equal_votes, by_time) = (vec![1.0; count], votes_by_time(sizes));
    let equal = Spread::of(log_ratios, errors, &equal_votes);
    let by_time = Spread::of(log_ratios, errors, &by_time);
    let same_side = log_ratios.iter().filter(|ratio| ratio.signum() == centre.signum()).count() as f64;
    let error = CENTRE * equal.floor / (count as f64).sqrt();
    let is_common = centre.abs() >= 0.01 && centre.abs() >= 3.0 * error && same_side >= NEARLY_ALL * count as f64;
    Ok(Controls {
        count,
        centre_error: error,
        between: between_recordings(&residuals, errors, sizes, 1.0),
        centre,
        floor: equal.floor.max(by_time.floor),
        excess: equal.excess.max(by_time.excess),
        is_chance: equal.is_chance || by_time.is_chance,
        common_factor: is_common.then(|| centre.exp()),
    })
}

/// The centre of values: one step from the median to the mean, in which values far away count less (Huber, 1964). It is nearly as certain
/// as the mean; the median would need half as many values again.
fn centre(values: &[f64]) -> f64 {
    let middle = median(values);
    let deviations: Vec<f64> = values.iter().map(|value| (value - middle).abs()).collect();
    let bound = HUBER * NORMAL_MAD * median(&deviations);
    if bound == 0.0 {
        return middle;
    }
    let inside = deviations.iter().filter(|deviation| **deviation <= bound).count() as f64;
    middle + values.iter().map(|value| (value - middle).clamp(-bound, bound)).sum::<f64>() / inside
}

/// Votes by size, none with more than a fifth of all.
fn votes_by_time(sizes: &[f64]) -> Vec<f64> {
    let most = LARGEST_VOTE * sizes.iter().map(|size| size.abs()).sum::<f64>();
    sizes.iter().map(|size| if most > 0.0 { size.abs().min(most) } else { 1.0 }).collect()
}

/// The variance between recordings by equal votes, and by time where that is more. `doubt` is the share of the usual one that it may be
/// chance.
fn between_recordings(residuals: &[f64], errors: &[f64], sizes: &[f64], doubt: f64) -> Between {
    let of_each = between(residuals, errors, &vec![1.0; residuals.len()], 0.0, doubt * CHANCE);
    let of_time = between(residuals, errors, &votes_by_time(sizes), of_each.variance, CHANCE_BY_TIME);
    Between { uncertainty: of_each.uncertainty.max(of_time.uncertainty), part: of_each.part, ..of_time }
}

/// A spread by weighted votes.
#[derive(Clone, Copy)]
struct Spread {
    floor: f64,
    excess: f64,
    is_chance: bool,
}

impl Spread {
    fn of(ratios: &[f64], errors: &[f64], weights: &[f64]) -> Spread {
        let centre = weighted_median(ratios, weights);
        let deviations: Vec<f64> = ratios.iter().map(|ratio| (ratio - centre).abs()).collect();
        let floor = NORMAL_MAD * weighted_median(&deviations, weights);
        let squares: Vec<f64> = errors.iter().map(|error| error * error).collect();
        let explained = weighted_median(&squares, weights);
        // Weights are worth (Σ w)²/Σ w² equal ones (Kish). A variance estimated with ν degrees has the relative standard error √(2/ν).
        let worth = weights.iter().sum::<f64>().powi(2) / weights.iter().map(|weight| weight * weight).sum::<f64>();
        let degrees = EFFICIENCY * (worth - 1.0).max(1.0);
        Spread {
            floor,
            excess: (floor * floor - explained).max(0.0).sqrt(),
            is_chance: floor * floor <= explained * (1.0 + 4.0 * (2.0 / degrees).sqrt()),
        }
    }
}

/// The value with half of the weight below: the mean of two if the half is between them.
fn weighted_median(values: &[f64], weights: &[f64]) -> f64 {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let half = weights.iter().sum::<f64>() / 2.0;
    let mut below = 0.0;
    for (slot, &at) in order.iter().enumerate() {
        below += weights[at];
        let next = order.get(slot + 1).map_or(at, |&next| next);
        if below > half * (1.0 + 1e-12) {
            return values[at];
        }
        if below >= half * (1.0 - 1e-12) {
            return values[at] / 2.0 + values[next] / 2.0;
        }
    }
    order.last().map_or(f64::NAN, |&at| values[at])
}

impl Controls {
    /// The noise floor as a share: how far ratios are apart.
    pub fn floor_share(&self) -> f64 {
        self.floor.exp_m1()
    }

    /// Returns the p that a quantity moved no more than the controls: the distance of its log ratio from their centre ÷ √(error² + τ² + the square of the
    /// centre's error), where τ² is the variance between recordings, by Student's distribution with the degrees of both (Satterthwaite). `degrees` are those of the
    /// error. A sum of regions has the τ² of one region: what makes recordings of a busy machine differ moves many regions together.
    pub fn p(&self, log_ratio: f64, error: f64, degrees: f64) -> f64 {
        let (spread, degrees) = self.spread(error, degrees);
        if spread > 0.0 {
            student_outside((log_ratio - self.centre) / spread, degrees)
        } else if log_ratio == self.centre {
            1.0
        } else {
            0.0
        }
    }

    /// Returns how much farther than `half`, the half width of the interval of the samples alone, the interval of the program reaches: both
    /// variances are added.
    pub fn half_width(&self, half: f64, error: f64, degrees: f64, level: f64) -> f64 {
        let (_, degrees) = self.spread(error, degrees);
        let student = student_quantile(0.5 + level / 2.0, degrees);
        half.hypot(student * self.between.variance.sqrt().hypot(self.centre_error))
    }

    /// The standard deviation of a log ratio around the centre, and its degrees of freedom.
    fn spread(&self, error: f64, degrees: f64) -> (f64, f64) {
        let own = error * error;
        let all = own + self.between.variance + self.centre_error * self.centre_error;
        let uncertainty = 2.0 * own * own / degrees.max(1.0) + self.between.uncertainty;
        let degrees = if uncertainty > 0.0 { 2.0 * all * all / uncertainty } else { f64::INFINITY };
        (all.sqrt(), degrees.max(1.0))
    }
}

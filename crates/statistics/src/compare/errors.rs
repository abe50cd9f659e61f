//! Standard errors of log ratios, each drawn towards those of the other quantities.

use super::estimate::Estimate;
use super::quantity::{Domain, Quantity, leaves};
use crate::many::moderation::Moderation;
use crate::numbers::distribution::student_quantile;
use crate::numbers::moments::median;
use std::ops::RangeInclusive;

/// Degrees of freedom that typical quantities add to each: next to none where quantities differ in their noise.
const DEGREES: RangeInclusive<f64> = 0.5..=40.0;
/// Fewest quantities that say what is typical.
const FEWEST: usize = 8;

/// Replaces the error of each region by the moderated one: the error of ten iterations is uncertain by a quarter, and of many regions the smallest
/// are small by chance (Smyth, 2004). Sums of regions keep theirs.
pub(crate) fn moderate(quantities: &[Quantity], estimates: &mut [Estimate], level: f64) {
    let is_leaf = leaves(quantities);
    for domain in [Domain::Gpu, Domain::Host] {
        let is_member = |at: &usize| {
            let error = estimates[*at].log_error;
            is_leaf[*at] && quantities[*at].domain == domain && error.is_finite() && error > 0.0
        };
        let members: Vec<usize> = (0..quantities.len()).filter(is_member).collect();
        if members.len() < FEWEST {
            continue;
        }
        let degrees: Vec<f64> = members.iter().map(|&at| estimates[at].log_degrees).collect();
        let variances: Vec<f64> = members.iter().map(|&at| estimates[at].log_error.powi(2)).collect();
        let prior = Moderation::new(median(&degrees)).prior_within(&variances, DEGREES);
        for (at, variance) in members.into_iter().zip(variances) {
            let estimate = &mut estimates[at];
            let degrees = estimate.log_degrees + prior.degrees;
            let moderated = (estimate.log_degrees * variance + prior.degrees * prior.variance) / degrees;
            let student = |degrees: f64| student_quantile(0.5 + level / 2.0, degrees.max(1.0));
            estimate.log_scale = (moderated / variance).sqrt() * student(degrees) / student(estimate.log_degrees);
            estimate.log_error = moderated.sqrt();
            estimate.log_degrees = degrees;
        }
    }
}

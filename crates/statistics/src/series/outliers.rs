//! Iterations far from the others.

use crate::numbers::moments::{mean, median};

/// Distance from the median, in standard deviations as the MAD estimates them, from which a value is an outlier (Iglewicz and Hoaglin,
/// 1993).
const FAR: f64 = 3.5;

/// Returns the positions of values more than 3.5 · 1.4826 MAD from the median, in order. If more than half of the values are equal, the
/// mean absolute deviation (· 1.2533) takes the place of the MAD. They are to be named, not removed. Nothing of fewer than four values.
pub fn outliers(values: &[f64]) -> Vec<usize> {
    if values.len() < 4 || values.iter().any(|value| !value.is_finite()) {
        return Vec::new();
    }
    let centre = median(values);
    let mut spread = crate::numbers::moments::mad(values);
    if spread == 0.0 {
        let deviations: Vec<f64> = values.iter().map(|value| (value - centre).abs()).collect();
        spread = 1.2533 * mean(&deviations);
    }
    let is_far = |value: f64| spread > 0.0 && (value - centre).abs() > FAR * spread;
    (0..values.len()).filter(|&at| is_far(values[at])).collect()
}

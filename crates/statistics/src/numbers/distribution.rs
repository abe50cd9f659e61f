//! Normal and Student's t distributions, over special functions of `statrs`.

use statrs::function::{beta, erf, gamma};
use std::f64::consts::PI;

/// Returns Φ(x), the share of a standard normal distribution below x; NaN for NaN.
pub fn normal_cdf(x: f64) -> f64 {
    0.5 * erf::erfc(-x / std::f64::consts::SQRT_2)
}

/// Returns Φ⁻¹(p): −∞ for p ≤ 0, ∞ for p ≥ 1, NaN for NaN.
pub fn normal_quantile(p: f64) -> f64 {
    if p.is_nan() {
        return f64::NAN;
    }
    if p <= 0.0 {
        return f64::NEG_INFINITY;
    }
    if p >= 1.0 {
        return f64::INFINITY;
    }
    let mut x = -std::f64::consts::SQRT_2 * erf::erfc_inv(2.0 * p);
    // One step of Halley's method makes the last digits of the tails right.
    let error = normal_cdf(x) - p;
    let density = (-x * x / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
    if density > 0.0 {
        let step = error / density;
        x -= step / (1.0 + x * step / 2.0);
    }
    x
}

/// Returns the share of Student's t distribution below t; `degrees` may be a fraction. NaN unless `degrees` is positive.
pub fn student_cdf(t: f64, degrees: f64) -> f64 {
    if t.is_nan() || degrees.is_nan() || degrees <= 0.0 {
        return f64::NAN;
    }
    if degrees > 1e7 {
        return normal_cdf(t);
    }
    let tail = 0.5 * student_outside(t, degrees);
    if t > 0.0 { 1.0 - tail } else { tail }
}

/// The share of Student's t distribution outside ±t: a two-sided p, exact in small tails, too.
pub(crate) fn student_outside(t: f64, degrees: f64) -> f64 {
    if t.is_nan() || degrees.is_nan() || degrees <= 0.0 {
        return f64::NAN;
    }
    if degrees > 1e7 {
        return normal_outside(t);
    }
    let share = degrees / (degrees + t * t);
    // Infinite t.
    if share <= 0.0 || share.is_nan() {
        return 0.0;
    }
    beta::checked_beta_reg(degrees / 2.0, 0.5, share.min(1.0)).unwrap_or(f64::NAN).clamp(0.0, 1.0)
}

/// The share of a standard normal distribution outside ±z.
pub(crate) fn normal_outside(z: f64) -> f64 {
    erf::erfc(z.abs() / std::f64::consts::SQRT_2)
}

/// Returns t with the share p of Student's distribution below: −∞ for p ≤ 0, ∞ for p ≥ 1. NaN unless `degrees` is positive.
pub fn student_quantile(p: f64, degrees: f64) -> f64 {
    if p.is_nan() || degrees.is_nan() || degrees <= 0.0 {
        return f64::NAN;
    }
    if p <= 0.0 {
        return f64::NEG_INFINITY;
    }
    if p >= 1.0 {
        return f64::INFINITY;
    }
    if degrees > 1e7 {
        return normal_quantile(p);
    }
    // By Newton's steps on the tail, where the share falls from 1 at 0, and by halving where a step leaves the interval that
    // contains the quantile: certain for every number of degrees.
    let outside = 2.0 * p.min(1.0 - p);
    let (mut low, mut high) = (0.0, 1.0);
    while student_outside(high, degrees) > outside && high < 1e300 {
        low = high;
        high *= 2.0;
    }
    let scale = gamma::ln_gamma((degrees + 1.0) / 2.0) - gamma::ln_gamma(degrees / 2.0) - (degrees * PI).ln() / 2.0;
    let mut t: f64 = high;
    for _ in 0..200 {
        let excess = student_outside(t, degrees) - outside;
        if excess > 0.0 {
            low = t
        } else {
            high = t
        }
        let density = (scale - (degrees + 1.0) / 2.0 * (t * t / degrees).ln_1p()).exp();
        let step = t + excess / (2.0 * density);
        if (step - t).abs() <= 4.0 * f64::EPSILON * t {
            break;
        }
        t = if low < step && step < high { step } else { low + (high - low) / 2.0 };
    }
    if p < 0.5 { -t } else { t }
}

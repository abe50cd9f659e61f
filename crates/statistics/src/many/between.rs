//! Variance between recordings: what unchanged quantities differ by beyond the errors of their own samples.

/// Distance in standard deviations from which a control counts no more: a region that is really slower is not taken for noise.
pub(crate) const MOST: f64 = 2.0;
/// Mean of min(z², [`MOST`]²) of a standard normal z.
const EXPECTED: f64 = 0.920_537;
/// Variance of the bounded square, and its slope by the logarithm of the variance of z.
const VARIANCE: f64 = 1.232_3;
const SLOPE: f64 = 0.738_5;

/// Variance of a random effect of each quantity of a recording, and how certain it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Between {
    /// Estimate of the variance; at least 0.
    pub(crate) variance: f64,
    /// The share of the estimate that counts: less than 1 where chance may explain it.
    pub(crate) part: f64,
    /// Variance of that estimate.
    pub(crate) uncertainty: f64,
}

/// Estimates the variance τ² of random effects from residuals with standard errors and weights: the τ² for which bounded squares residual² ÷
/// (error² + τ²) have the mean that they have of normal values (the equation of Paule and Mandel, 1982, with the bound of Huber's proposal 2,
/// 1964). It is at least `least`; what recordings with that variance would show, too, up to `chance` standard errors above it, counts only in
/// part.
pub(crate) fn between(residuals: &[f64], errors: &[f64], weights: &[f64], least: f64, chance: f64) -> Between {
    let rows = || residuals.iter().zip(errors).zip(weights);
    let all: f64 = weights.iter().sum();
    let squares = |variance: f64| {
        let square = |((residual, error), weight): ((&f64, &f64), &f64)| {
            let spread = error * error + variance;
            if spread > 0.0 { weight * (residual * residual / spread).min(MOST * MOST) } else { 0.0 }
        };
        rows().map(square).sum::<f64>() / all
    };
    let largest = residuals.iter().map(|residual| residual * residual).fold(0.0, f64::max);
    let (mut low, mut high) = (0.0, 4.0 * largest);
    if squares(0.0) > EXPECTED {
        for _ in 0..60 {
            let middle = f64::midpoint(low, high);
            if squares(middle) > EXPECTED { low = middle } else { high = middle }
        }
    }
    let uncertainty = |variance: f64| {
        let precision = |(error, weight): (&f64, &f64)| weight / (error * error + variance).max(f64::MIN_POSITIVE);
        let slope = SLOPE * errors.iter().zip(weights).map(precision).sum::<f64>();
        VARIANCE * weights.iter().map(|weight| weight * weight).sum::<f64>() / (slope * slope)
    };
    let (surplus, bound) = (low - least, chance * uncertainty(least).sqrt());
    // Nothing up to half of the bound, all from the bound on.
    let part = if surplus < bound { (2.0 * surplus / bound - 1.0).max(0.0) } else { 1.0 };
    Between { variance: least + part * surplus.max(0.0), part, uncertainty: part * part * uncertainty(low) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numbers::distribution::normal_quantile;
    use crate::numbers::random::Random;

    fn normal(random: &mut Random) -> f64 {
        normal_quantile(random.uniform().max(1e-16))
    }

    #[test]
    fn variance_beyond_unequal_errors_is_found() {
        let mut random = Random::new(1);
        let errors: Vec<f64> = (0..4_000).map(|at| if at % 2 == 0 { 0.001 } else { 0.05 }).collect();
        for between_runs in [0.0, 0.01, 0.03] {
            let residuals: Vec<f64> =
                errors.iter().map(|error| normal(&mut random) * error.hypot(between_runs)).collect();
            let found = between(&residuals, &errors, &vec![1.0; errors.len()], 0.0, 0.0);
            assert!((found.variance.sqrt() - between_runs).abs() < 0.0015, "{between_runs}: {}", found.variance.sqrt());
        }
    }

    #[test]
    fn few_changed_quantities_count_little() {
        let mut random = Random::new(2);
        let errors = [0.01; 100];
        let mut residuals: Vec<f64> = errors.iter().map(|error| normal(&mut random) * error).collect();
        residuals[..5].fill(0.5);
        assert!(between(&residuals, &errors, &vec![1.0; errors.len()], 0.0, 0.0).variance.sqrt() < 0.008);
    }

    #[test]
    fn nothing_and_equal_values_have_no_variance() {
        assert_eq!(between(&[0.0; 9], &[0.0; 9], &[1.0; 9], 0.0, 2.0).variance, 0.0);
        assert_eq!(between(&[0.0; 9], &[0.1; 9], &[1.0; 9], 0.0, 2.0).variance, 0.0);
    }
}

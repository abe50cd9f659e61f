//! Correlation of consecutive iterations, and how many independent ones they are worth.

use crate::numbers::moments::mean;

/// Returns the autocorrelation at a lag: Σ (xᵢ − mean)(xᵢ₊ₗ − mean) ÷ Σ (xᵢ − mean)². 0 for constant or too short series.
pub fn autocorrelation(series: &[f64], lag: usize) -> f64 {
    let (covariance, variance) = sums(series, lag);
    if variance > 0.0 && covariance.is_finite() { covariance / variance } else { 0.0 }
}

/// Estimates the correlation at lag 1 from several series of one process, such as runs or the two sides of a comparison. Numerator and
/// denominator are summed over the series. Short series underestimate it: (1 + 4ρ)/n is added, where n is the mean length (Marriott and
/// Pope, 1954). The result is from 0 to 0.98; a negative correlation counts as 0, since it would make intervals narrower.
pub fn correlation(series: &[&[f64]]) -> f64 {
    usable(signed_correlation(series).unwrap_or(0.0))
}

/// A correlation as comparisons use it.
pub(crate) fn usable(correlation: f64) -> f64 {
    correlation.clamp(0.0, 0.98)
}

/// As [`correlation`], with its sign; nothing of constant or too short series.
pub(crate) fn signed_correlation(series: &[&[f64]]) -> Option<f64> {
    let (mut covariance, mut variance, mut length, mut used) = (0.0, 0.0, 0usize, 0usize);
    for series in series.iter().filter(|series| series.len() > 2) {
        let (c, v) = sums(series, 1);
        covariance += c;
        variance += v;
        length += series.len();
        used += 1;
    }
    let raw = covariance / variance;
    raw.is_finite().then(|| raw + (1.0 + 4.0 * raw) * used as f64 / length as f64)
}

fn sums(series: &[f64], lag: usize) -> (f64, f64) {
    let centre = mean(series);
    let covariance = series.iter().zip(series.iter().skip(lag)).map(|(a, b)| (a - centre) * (b - centre)).sum();
    (covariance, series.iter().map(|value| (value - centre).powi(2)).sum())
}

/// Returns how many independent values have a mean as certain as that of `length` values with correlation ρ at lag 1 that falls as ρᵏ:
/// n ÷ (1 + 2 Σ (1 − k/n) ρᵏ). At least 1, at most `length`.
pub fn effective_size(length: usize, correlation: f64) -> f64 {
    let n = length as f64;
    let (mut power, mut sum) = (1.0, 1.0);
    for k in 1..length {
        power *= correlation.clamp(0.0, 1.0);
        sum += 2.0 * (1.0 - k as f64 / n) * power;
        if power < 1e-12 {
            break;
        }
    }
    (n / sum).clamp(n.min(1.0), n)
}

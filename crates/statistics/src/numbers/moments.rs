//! Centre and spread: mean, variance, median, MAD.

/// 1 ÷ Φ⁻¹(3/4): the MAD of a normal distribution times this is its standard deviation.
pub(crate) const NORMAL_MAD: f64 = 1.482_602_218_505_602;

/// Returns the arithmetic mean; NaN of nothing.
pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Returns the variance with divisor n − 1; 0 of fewer than two values.
pub fn variance(values: &[f64]) -> f64 {
    if values.len() < 2 {
        return 0.0;
    }
    let centre = mean(values);
    values.iter().map(|value| (value - centre).powi(2)).sum::<f64>() / (values.len() - 1) as f64
}

/// Returns the median, the mean of the two middle values of an even number; NaN of nothing.
pub fn median(values: &[f64]) -> f64 {
    let mut values = values.to_vec();
    median_of(&mut values)
}

/// The median of values that may be reordered.
pub(crate) fn median_of(values: &mut [f64]) -> f64 {
    let n = values.len();
    if n == 0 {
        return f64::NAN;
    }
    let (below, &mut upper, _) = values.select_nth_unstable_by(n / 2, f64::total_cmp);
    if n % 2 == 1 {
        return upper;
    }
    let lower = below.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    lower / 2.0 + upper / 2.0
}

/// Returns the median absolute deviation from the median, scaled so that it is the standard deviation of normal values
/// (× 1.4826); NaN of nothing. Half of the values may be anything without moving it without bound.
pub fn mad(values: &[f64]) -> f64 {
    let centre = median(values);
    let mut deviations: Vec<f64> = values.iter().map(|value| (value - centre).abs()).collect();
    NORMAL_MAD * median_of(&mut deviations)
}

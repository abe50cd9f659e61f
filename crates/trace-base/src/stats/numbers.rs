//! Rounding and description of numbers as numpy and pandas do them.

/// Rounds to `decimals` digits, halves to even, as numpy does.
pub fn rounded(value: f64, decimals: i32) -> f64 {
    let scale = 10_f64.powi(decimals);
    (value * scale).round_ties_even() / scale
}

/// Returns `part` of `whole` in percent, rounded; `None` if `whole` is 0.
pub fn percent(part: i64, whole: i64, decimals: i32) -> Option<f64> {
    (whole != 0).then(|| rounded(100.0 * micros(part) / micros(whole), decimals))
}

/// Returns the saturating sum: clocks of broken traces are that far apart.
pub fn total(values: impl IntoIterator<Item = i64>) -> i64 {
    values.into_iter().fold(0, i64::saturating_add)
}

/// Converts nanoseconds to µs.
pub fn micros(nanos: i64) -> f64 {
    nanos as f64 / 1e3
}

/// Converts µs to the nanoseconds of which [`micros`] made them: exactly up to 2^51 ns, 26 days.
pub fn nanos(micros: f64) -> i64 {
    (micros * 1e3).round() as i64
}

/// Returns the quantile `q` of ascending `values`, interpolated.
pub fn quantile(values: &[f64], q: f64) -> Option<f64> {
    let last = values.len().checked_sub(1)?;
    let position = q * last as f64;
    let below = (position.floor() as usize).min(last);
    let above = (below + 1).min(last);
    Some(values[below] + (values[above] - values[below]) * (position - below as f64))
}

/// Returns count, mean, standard deviation (n − 1), minimum, quartiles and maximum, as pandas does; sorts `values`.
pub fn describe(values: &mut [f64]) -> [Option<f64>; 8] {
    values.sort_by(f64::total_cmp);
    let count = values.len() as f64;
    let mean = (!values.is_empty()).then(|| values.iter().sum::<f64>() / count);
    let spread = mean.map(|mean| values.iter().map(|value| (value - mean).powi(2)).sum::<f64>());
    let deviation = spread.filter(|_| values.len() > 1).map(|spread| (spread / (count - 1.0)).sqrt());
    let [first, second, third] = [0.25, 0.5, 0.75].map(|share| quantile(values, share));
    [Some(count), mean, deviation, values.first().copied(), first, second, third, values.last().copied()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_round_to_even() {
        assert_eq!(rounded(0.125, 2), 0.12);
        assert_eq!(rounded(0.375, 2), 0.38);
        assert_eq!(percent(1, 3, 2), Some(33.33));
        assert_eq!(percent(0, 0, 2), None);
    }

    #[test]
    fn quantiles_are_interpolated() {
        assert_eq!(quantile(&[1.0, 2.0, 4.0, 8.0], 0.5), Some(3.0));
        assert_eq!(quantile(&[1.0, 2.0, 4.0, 8.0], 1.0), Some(8.0));
        assert_eq!(quantile(&[5.0], 0.25), Some(5.0));
        assert_eq!(quantile(&[], 0.5), None);
    }

    #[test]
    fn description_equals_that_of_pandas() {
        let of = |values: &[f64]| describe(&mut values.to_vec());
        // Around the mean 2.5: 0.5² + 1.5² + 3.5² + 1.5² = 17.
        let deviation = (17.0_f64 / 3.0).sqrt();
        let expected = [4.0, 2.5, deviation, 1.0, 1.0, 1.5, 3.0, 6.0].map(Some);
        assert_eq!(of(&[2.0, 1.0, 6.0, 1.0]), expected);
        assert_eq!(of(&[7.0])[..4], [Some(1.0), Some(7.0), None, Some(7.0)]);
        assert_eq!(of(&[])[..2], [Some(0.0), None]);
    }
}

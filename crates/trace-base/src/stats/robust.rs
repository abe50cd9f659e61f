//! Median and spread of values that a few outliers do not change.

use super::quantile;

/// The standard deviation of a normal distribution, in median absolute deviations and in mean absolute deviations.
const PER_MEDIAN_DEVIATION: f64 = 1.4826;
const PER_MEAN_DEVIATION: f64 = 1.2533;
/// The least spread, as a share of the median: less is noise of the clock.
const LEAST_SHARE: f64 = 1e-3;

/// Returns the median of values, and their absolute deviations from it, ascending; `None` without values.
fn absolute_deviations(mut values: Vec<f64>) -> Option<(f64, Vec<f64>)> {
    values.sort_unstable_by(f64::total_cmp);
    let median = quantile(&values, 0.5)?;
    values.iter_mut().for_each(|value| *value = (*value - median).abs());
    values.sort_unstable_by(f64::total_cmp);
    Some((median, values))
}

/// The centre of values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Centre {
    /// The median.
    pub median: f64,
    /// The robust standard deviation.
    pub spread: f64,
}

impl Centre {
    /// Computes the centre of the finite values; `None` without any. The spread is 1.4826 times the median absolute deviation;
    /// if more than half of the values are equal, 1.2533 times the mean absolute deviation; at least a thousandth of the median.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let (median, deviations) = absolute_deviations(values.into_iter().filter(|value| value.is_finite()).collect())?;
        let of_median = PER_MEDIAN_DEVIATION * quantile(&deviations, 0.5)?;
        let mean = deviations.iter().sum::<f64>() / deviations.len() as f64;
        let spread = if of_median > 0.0 { of_median } else { PER_MEAN_DEVIATION * mean };
        Some(Self { median, spread: spread.max(LEAST_SHARE * median.abs()) })
    }

    /// Computes the centre of all values, 0 and 0 without any. The spread is 1.4826 times the median absolute deviation, hence 0
    /// if more than half of the values are equal.
    pub fn by_median(values: &[f64]) -> Self {
        let (median, deviations) = absolute_deviations(values.to_vec()).unwrap_or_default();
        Self { median, spread: PER_MEDIAN_DEVIATION * quantile(&deviations, 0.5).unwrap_or(0.0) }
    }

    /// Returns the robust z-score of a value: how many spreads it is above the median. Without a spread, 0 for the median, and
    /// infinite for all other values.
    pub fn z(&self, value: f64) -> f64 {
        match value - self.median {
            0.0 => 0.0,
            difference => difference / self.spread,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outliers_do_not_change_the_centre() {
        let usual = [9.0, 10.0, 11.0, 9.5, 10.5];
        let centre = Centre::of(usual).unwrap();
        assert_eq!((centre.median, centre.spread), (10.0, 0.5 * PER_MEDIAN_DEVIATION));
        let with_outlier = Centre::of(usual.into_iter().chain([1e9, f64::NAN])).unwrap();
        assert!(with_outlier.z(1e9) > 1e6 && with_outlier.z(10.0).abs() < 1.0);
        assert_eq!(Centre::of([]), None);
    }

    #[test]
    fn one_value_among_equal_ones_is_far_away() {
        let centre = Centre::of((0..511).map(|_| 0.0).chain([3.0])).unwrap();
        assert!(centre.z(3.0) > 100.0 && centre.z(0.0) == 0.0);
        let close = Centre::of((0..511).map(|_| 100.0).chain([100.05])).unwrap();
        assert!(close.z(100.05) < 1.0, "half a thousandth is noise");
        assert_eq!(Centre::of([5.0, 5.0]).unwrap().z(5.0), 0.0);
    }

    #[test]
    fn spread_by_the_median_is_robust_against_the_outlier_itself() {
        let centre = Centre::by_median(&[10.0, 12.0, 14.0, 16.0, 100.0]);
        // Deviations from 14: 4, 2, 0, 2, 86; their median is 2.
        assert_eq!((centre.median, centre.spread), (14.0, 2.0 * PER_MEDIAN_DEVIATION));
        assert_eq!((centre.z(100.0), centre.z(14.0)), (86.0 / (1.4826 * 2.0), 0.0));
        let equal = Centre::by_median(&[5.0, 5.0, 5.0, 7.0]);
        assert_eq!((equal.median, equal.spread), (5.0, 0.0));
        assert_eq!([5.0, 7.0, 4.0].map(|value| equal.z(value)), [0.0, f64::INFINITY, f64::NEG_INFINITY]);
    }
}

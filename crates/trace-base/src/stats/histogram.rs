//! Histograms with round bins.

use crate::stats::micros;
use trace_view::{Mark, Points, Series};

/// Counts values (ns) in bars (µs) of a round width, 1, 2 or 5 times a power of ten: at most `most` between the smallest
/// and the largest value.
pub fn histogram(name: &str, values: &[i64], most: usize) -> Series {
    let (least, largest) = (values.iter().copied().min().unwrap_or(0), values.iter().copied().max().unwrap_or(0));
    let width = round_width(least, largest, most);
    let bin = |value: i64| value.div_euclid(width);
    let first = bin(least);
    let bars = if values.is_empty() { 0 } else { usize::try_from(bin(largest) - first).unwrap_or(0) + 1 };
    let mut counts = vec![0_u64; bars];
    for &value in values {
        counts[usize::try_from(bin(value) - first).unwrap_or(0)] += 1;
    }
    let middle = |bar: usize| micros((first + bar as i64).saturating_mul(width).saturating_add(width / 2));
    // Empty bars are omitted: they would only make the figure larger.
    let (x, y) = (0..bars).filter(|&bar| counts[bar] > 0).map(|bar| (middle(bar), counts[bar] as f64)).unzip();
    Series { name: name.to_owned(), mark: Mark::Bar, x: Points::Numbers(x), y }
}

/// Returns the smallest of 1, 2, 5, 10, … that makes at most `most` bars.
fn round_width(least: i64, largest: i64, most: usize) -> i64 {
    let most = i64::try_from(most.max(1)).unwrap_or(i64::MAX);
    let bars = |width: &i64| largest.div_euclid(*width).checked_sub(least.div_euclid(*width));
    let fits = |width: &i64| bars(width).is_some_and(|bars| bars < most);
    let decades = (0..18).map(|power| 10_i64.pow(power));
    decades.flat_map(|decade| [decade, 2 * decade, 5 * decade]).find(fits).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bars(values: &[i64], most: usize) -> (Vec<f64>, Vec<f64>) {
        let Series { x: Points::Numbers(x), y, .. } = histogram("", values, most) else { return Default::default() };
        (x, y)
    }

    #[test]
    fn every_value_is_in_one_bar_of_a_round_width() {
        // 0 to 9 µs in at most 5 bars: 2 µs each.
        let (x, y) = bars(&[0, 1999, 2000, 5000, 9000], 5);
        assert_eq!(x, [1.0, 3.0, 5.0, 9.0]);
        assert_eq!(y, [2.0, 1.0, 1.0, 1.0]);
        // Negative values have bars of their own.
        assert_eq!(bars(&[-1000, 0], 2), (vec![-0.5, 0.5], vec![1.0, 1.0]));
    }

    #[test]
    fn bars_never_exceed_the_limit() {
        for most in [1, 7, 300] {
            let values: Vec<i64> = (0..1000).map(|n| n * n * 977 % 1_234_567).collect();
            let (x, y) = bars(&values, most);
            assert!(x.len() <= most && y.iter().sum::<f64>() == 1000.0, "{most}");
        }
        assert_eq!(bars(&[], 300), (Vec::new(), Vec::new()));
        assert_eq!(bars(&[i64::MIN, i64::MAX], 2).1.iter().sum::<f64>(), 2.0);
    }
}

//! Bars of a waterfall: from a total over changes to another total.

use crate::format::number;

/// A bar between two values of the axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bar {
    /// The value at which it begins; of a total the lower end of the axis.
    pub from: f64,
    /// The value at which it ends.
    pub to: f64,
    /// Whether it is a total: the first or the last bar.
    pub is_total: bool,
}

/// The space below the least value, as a share of the range of the values.
const MARGIN: f64 = 0.6;

/// Returns the bars of the values: the first and the last are totals, those between are changes.
pub fn bars(values: &[f64]) -> Vec<Bar> {
    let low = floor(values);
    let mut at = 0.0;
    let last = values.len().saturating_sub(1);
    let bar = |(index, &value): (usize, &f64)| {
        let value = if value.is_finite() { value } else { 0.0 };
        if index == 0 || index == last {
            at = value;
            return Bar { from: low, to: value, is_total: true };
        }
        let from = at;
        at += value;
        Bar { from, to: at, is_total: false }
    };
    values.iter().enumerate().map(bar).collect()
}

/// Returns the ends of the intervals of the values, where their bars end.
pub fn ends(values: &[f64], intervals: &[Option<[f64; 2]>]) -> Vec<Option<[f64; 2]>> {
    let end = |((bar, &value), interval): ((&Bar, &f64), &Option<[f64; 2]>)| {
        let ends = interval.map(|ends| ends.map(|end| bar.to + end - value));
        ends.filter(|ends| ends.iter().all(|end| end.is_finite()))
    };
    bars(values).iter().zip(values).zip(intervals).map(end).collect()
}

/// Returns the interval of a value in words: `95 %: +1.2 … +3.4`.
pub fn interval_text(interval: [f64; 2], is_total: bool) -> String {
    let decimals = number::decimals(interval.into_iter());
    let [low, high] = interval.map(|end| {
        let sign = if end > 0.0 && !is_total { "+" } else { "" };
        format!("{sign}{}", number::float(end, decimals))
    });
    format!("95 %: {low} … {high}")
}

/// Returns the lower end of the axis: 0, or where the changes would be too small to be seen, a value near the totals.
pub fn floor(values: &[f64]) -> f64 {
    let mut at = 0.0;
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    let last = values.len().saturating_sub(1);
    for (index, &value) in values.iter().enumerate().filter(|(_, value)| value.is_finite()) {
        at = if index == 0 || index == last { value } else { at + value };
        (low, high) = (low.min(at), high.max(at));
    }
    let floor = low - MARGIN * (high - low);
    if low > high {
        0.0
    } else if low == high || floor <= 0.5 * low {
        low.min(0.0)
    } else {
        floor
    }
}

/// Tells whether the axis begins above 0, so that the bars of totals are cut.
pub fn is_cut(values: &[f64]) -> bool {
    floor(values) > 0.0
}

/// Returns what is written at each bar: the value of a total, a change with its sign; nothing for an absent value.
pub fn labels(values: &[f64]) -> Vec<String> {
    let last = values.len().saturating_sub(1);
    let is_total = |index: usize| index == 0 || index == last;
    let of = |totals: bool| {
        number::decimals(
            values.iter().enumerate().filter(|(index, _)| is_total(*index) == totals).map(|(_, &value)| value),
        )
    };
    let (of_totals, of_changes) = (of(true), of(false));
    let label = |(index, &value): (usize, &f64)| match value {
        _ if !value.is_finite() => String::new(),
        _ if is_total(index) => number::float(value, of_totals),
        _ if value > 0.0 => format!("+{}", number::float(value, of_changes)),
        _ => number::float(value, of_changes),
    };
    values.iter().enumerate().map(label).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_lead_from_total_to_total() {
        let bars = bars(&[10.0, 5.0, -3.0, 12.0]);
        let ends: Vec<(f64, f64, bool)> = bars.iter().map(|bar| (bar.from, bar.to, bar.is_total)).collect();
        let low = 10.0 - 0.6 * 5.0;
        assert_eq!(ends, [(low, 10.0, true), (10.0, 15.0, false), (15.0, 12.0, false), (low, 12.0, true)]);
    }

    #[test]
    fn intervals_stand_where_their_bars_end() {
        let intervals = [None, Some([4.0, 7.0]), None, Some([11.0, 14.0])];
        assert_eq!(ends(&[10.0, 5.0, -3.0, 12.0], &intervals), [None, Some([14.0, 17.0]), None, Some([11.0, 14.0])]);
        assert!(ends(&[10.0, 12.0], &[]).is_empty());
        assert_eq!(interval_text([-1.5, 2.0], false), "95 %: −1.5 … +2.0");
        assert_eq!(interval_text([11.0, 14.0], true), "95 %: 11 … 14");
    }

    #[test]
    fn changes_have_their_sign_and_their_own_decimals() {
        assert_eq!(
            labels(&[12_811.25, 4.0, -2.5, 0.0, -0.02, f64::NAN, 12_812.73]),
            ["12,811.2", "+4.00", "−2.50", "0.00", "−0.02", "", "12,812.7"]
        );
        assert!(labels(&[]).is_empty());
    }

    #[test]
    fn the_axis_begins_at_zero_if_changes_are_large() {
        assert_eq!(floor(&[10.0, 20.0, 30.0]), 0.0);
        assert_eq!(floor(&[10.0, -15.0, -5.0]), -5.0);
        assert_eq!(floor(&[411.0, 500.0, -250.0, 661.0]), 0.0, "an axis from 111 would save nothing");
        assert!(floor(&[100.0, 1.0, 101.0]) > 90.0);
        assert!(!is_cut(&[100.0, 100.0]), "no change needs room");
        assert!(is_cut(&[100.0, 1.0, 101.0]) && !is_cut(&[10.0, 20.0, 30.0]) && !is_cut(&[10.0, -15.0, -5.0]));
        assert_eq!(floor(&[]), 0.0);
        assert_eq!(floor(&[f64::NAN]), 0.0);
    }
}

//! Top names of a table: the tail is folded into the row `others`.

use crate::stats::{Moments, micros, quantile};
use std::collections::BTreeMap;

/// The row of folded names, as HTA calls it.
pub const OTHERS: &str = "others";

/// Rule that decides which names keep their row.
#[derive(Debug, Clone, Copy)]
pub struct Fold<'f> {
    /// Names at most; with fewer, all keep their row.
    pub most: usize,
    /// In descending order of sums, names above this quantile of the cumulative sums are folded.
    pub ratio: f64,
    /// Patterns: a name that contains one keeps its row for any sum.
    pub always: &'f [String],
    /// Whether to describe the names as HTA does.
    pub hta: bool,
}

impl Fold<'_> {
    /// Returns the durations by name, with folded names under [`OTHERS`].
    ///
    /// ```text
    /// most 3, ratio 0.5    sums      10   6   3   2   1
    ///                      cumulated 10  16  19  21  22     the quantile is 19
    /// rows                 10   6   3   others (2, 1)
    /// ```
    pub fn rows<'n>(&self, names: &'n BTreeMap<String, Moments>) -> BTreeMap<&'n str, Moments> {
        if names.len() <= self.most {
            return names.iter().map(|(name, &moments)| (name.as_str(), moments)).collect();
        }
        let mut longest: Vec<(&String, Moments)> = names.iter().map(|(name, &moments)| (name, moments)).collect();
        longest.sort_by_key(|(_, moments)| std::cmp::Reverse(moments.sum));
        let mut all: i64 = 0;
        let cumulative: Vec<f64> = longest
            .iter()
            .map(|(_, moments)| {
                all = all.saturating_add(moments.sum);
                micros(all)
            })
            .collect();
        let mut ascending = cumulative.clone();
        ascending.sort_by(f64::total_cmp);
        let most = quantile(&ascending, self.ratio).unwrap_or(0.0);
        let mut rows: BTreeMap<&str, Moments> = BTreeMap::new();
        for (position, ((name, moments), cumulative)) in longest.into_iter().zip(cumulative).enumerate() {
            let always = self.always.iter().any(|text| name.contains(text.as_str()));
            // Differs from HTA: without `always` it exempts names whose sum is negative, which its rounding makes.
            let exempt = self.hta && self.always.is_empty() && moments.sum < 0;
            let is_folded = !always && !exempt && (cumulative > most || position >= self.most);
            let row = rows.entry(if is_folded { OTHERS } else { name }).or_default();
            // Differs from HTA: it describes the sums of the names, so that mean, maximum and minimum are sums.
            if self.hta { row.add(moments.sum) } else { row.merge(moments) }
        }
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_sums_are_folded_unless_always_kept() {
        let mut names: BTreeMap<String, Moments> = BTreeMap::new();
        for (name, durations) in [("a", &[7, 3][..]), ("b", &[6]), ("c", &[3]), ("d", &[2]), ("e wanted", &[1])] {
            let moments = names.entry(name.to_owned()).or_default();
            durations.iter().for_each(|&duration| moments.add(duration));
        }
        let always = ["wanted".to_owned()];
        let rows = |always, hta| Fold { most: 3, ratio: 0.5, always, hta }.rows(&names);
        let exact = rows(&[], false);
        assert_eq!(exact.keys().copied().collect::<Vec<_>>(), ["a", "b", "c", OTHERS]);
        assert_eq!((exact["a"].max, exact[OTHERS].count, exact[OTHERS].sum), (7, 2, 3));
        // HTA's maximum is the sum of the name.
        assert_eq!(rows(&[], true)["a"].max, 10);
        assert_eq!(rows(&always, false).keys().copied().collect::<Vec<_>>(), ["a", "b", "c", "e wanted", OTHERS]);
        assert_eq!(Fold { most: 5, ratio: 0.0, always: &[], hta: true }.rows(&names).len(), 5);
    }

    /// Sums 10, 6, 3, −1: cumulated 10, 16, 19, 18, the median 17; of two names at most.
    #[test]
    fn negative_sums_keep_their_rows_under_hta_only() {
        let mut names: BTreeMap<String, Moments> = BTreeMap::new();
        for (name, duration) in [("a", 10), ("b", 6), ("c", 3), ("rounded", -1)] {
            names.entry(name.to_owned()).or_default().add(duration);
        }
        let rows = |hta, always| {
            let rows = Fold { most: 2, ratio: 0.5, always, hta }.rows(&names);
            rows.into_iter().map(|(name, moments)| (name.to_owned(), moments.sum)).collect::<Vec<_>>()
        };
        let of = |rows: &[(&str, i64)]| rows.iter().map(|(name, sum)| ((*name).to_owned(), *sum)).collect::<Vec<_>>();
        assert_eq!(rows(true, &[]), of(&[("a", 10), ("b", 6), ("others", 3), ("rounded", -1)]));
        assert_eq!(rows(false, &[]), of(&[("a", 10), ("b", 6), ("others", 2)]));
        assert_eq!(rows(true, &["c".to_owned()]), of(&[("a", 10), ("b", 6), ("c", 3), ("others", -1)]));
    }
}

//! Measures of many ranks as a heat map: which ranks differ from the others, in what.

use crate::stats::Centre;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use trace_view::format::{bytes, list, seconds};
use trace_view::{Axis, Colours, HeatMap, Labelled, Points, Unit, grouped};

/// With more ranks than this, an answer draws a heat map instead of bars, lines or subplots per rank, and tables show the ranks
/// that differ most.
pub const MOST_RANKS: usize = 32;
/// A rank is an outlier from this robust z-score on.
const OUTLIER_Z: f64 = 5.0;
/// The robust z-score at which colours end.
const STRONGEST: f64 = 10.0;
/// The most measures that are drawn: those with the largest deviations.
const MOST_MEASURES: usize = 24;
/// The most outliers that a sentence names, and that a heat map labels.
const MOST_NAMED: usize = 4;
const MOST_LABELLED: usize = 24;

/// Measures by rank.
///
/// ```text
///              rank 0   rank 1   rank 2
/// idle_time      12 µs    11 µs   380 µs      z = (380 − 12) / spread
/// nccl · sum    207 µs        —    38 µs      a gap
/// ```
#[derive(Debug, Clone, Default)]
pub struct RankMap {
    ranks: BTreeSet<i64>,
    /// In order of their first value.
    measures: Vec<Measure>,
    by_name: HashMap<String, usize>,
}

#[derive(Debug, Clone)]
struct Measure {
    name: String,
    unit: Unit,
    values: BTreeMap<i64, f64>,
}

/// How far a rank is from the others.
#[derive(Debug, Clone, PartialEq)]
pub struct Outlier {
    /// The rank.
    #[doc(hidden)]
    pub rank: i64,
    /// The measure in which it deviates most.
    #[doc(hidden)]
    pub measure: String,
    /// Its value, and the median of all ranks, with their unit.
    #[doc(hidden)]
    pub value: String,
    #[doc(hidden)]
    pub median: String,
    /// The robust z-score.
    #[doc(hidden)]
    pub z: f64,
}

impl RankMap {
    /// Creates a map of these ranks, without measures: a rank without a value is a gap.
    pub fn of(ranks: impl IntoIterator<Item = i64>) -> Self {
        Self { ranks: ranks.into_iter().collect(), ..Self::default() }
    }

    /// Returns the ranks, ascending.
    pub fn ranks(&self) -> Vec<i64> {
        self.ranks.iter().copied().collect()
    }

    /// Tells whether there are more ranks than bars, lines or subplots can show.
    pub fn is_large(&self) -> bool {
        self.ranks.len() > MOST_RANKS
    }

    /// Sets a measure of a rank; a value that is not finite is none.
    pub fn set(&mut self, measure: &str, unit: Unit, rank: i64, value: f64) {
        self.ranks.insert(rank);
        let index = match self.by_name.get(measure) {
            Some(&index) => index,
            None => {
                let index = self.measures.len();
                self.by_name.insert(measure.to_owned(), index);
                self.measures.push(Measure { name: measure.to_owned(), unit, values: BTreeMap::new() });
                index
            }
        };
        if value.is_finite() {
            self.measures[index].values.insert(rank, value);
        }
    }

    /// Returns the largest deviation of each rank that is an outlier, the farthest first.
    pub fn outliers(&self) -> Vec<Outlier> {
        let mut farthest: BTreeMap<i64, (f64, &Measure, Centre)> = BTreeMap::new();
        for measure in &self.measures {
            let Some(centre) = measure.centre() else { continue };
            for (&rank, &value) in &measure.values {
                let z = centre.z(value);
                if z.abs() >= OUTLIER_Z && farthest.get(&rank).is_none_or(|(other, ..)| z.abs() > other.abs()) {
                    farthest.insert(rank, (z, measure, centre));
                }
            }
        }
        let outlier = |(rank, (z, measure, centre)): (i64, (f64, &Measure, Centre))| Outlier {
            rank,
            measure: measure.name.clone(),
            value: measure.values.get(&rank).map_or_else(String::new, |value| amount(*value, measure.unit)),
            median: amount(centre.median, measure.unit),
            z,
        };
        let mut outliers: Vec<Outlier> = farthest.into_iter().map(outlier).collect();
        outliers.sort_by(|one, other| other.z.abs().total_cmp(&one.z.abs()));
        outliers
    }

    /// Returns the sentence that names the ranks which differ from the others.
    pub fn sentence(&self) -> String {
        let (outliers, ranks) = (self.outliers(), grouped(self.ranks.len()));
        let limit = format!("{OUTLIER_Z} robust standard deviations");
        if outliers.is_empty() {
            return format!("No rank of {ranks} stands out: all are within {limit} of the median.");
        }
        let named = outliers.iter().take(MOST_NAMED).map(|outlier| {
            let Outlier { rank, measure, value, median, z } = outlier;
            format!("rank {rank} ({measure} {value}, median {median}, z {})", score(*z))
        });
        let more = outliers.len().saturating_sub(MOST_NAMED);
        let more = (more > 0).then(|| format!("{} more", grouped(more)));
        let verb = if outliers.len() == 1 { "rank is" } else { "ranks are" };
        format!(
            "{} of {ranks} {verb} {limit} or more from the median: {}. `--rank {}` looks closer.",
            grouped(outliers.len()),
            list(&named.chain(more).collect::<Vec<_>>()),
            outliers[0].rank,
        )
    }

    /// Draws how far each rank is from the median of all ranks in each measure; the hover text has the value.
    pub fn deviations(&self, title: &str) -> HeatMap {
        let ranks = self.ranks();
        let mut rows: Vec<(&Measure, Vec<f64>)> = self.measures.iter().map(|one| (one, one.scores(&ranks))).collect();
        rows.retain(|(measure, _)| !measure.values.is_empty());
        let mut notes = vec!["colour: distance from the median of all ranks, in robust standard deviations".to_owned()];
        if rows.len() > MOST_MEASURES {
            let farthest = |scores: &[f64]| scores.iter().fold(0.0_f64, |far, z| far.max(z.abs()));
            let mut order: Vec<usize> = (0..rows.len()).collect();
            order.sort_by(|&one, &other| farthest(&rows[other].1).total_cmp(&farthest(&rows[one].1)));
            let selected: BTreeSet<usize> = order.into_iter().take(MOST_MEASURES).collect();
            notes.push(format!("{MOST_MEASURES} of {} rows, those that differ most", grouped(rows.len())));
            let mut index = 0..;
            rows.retain(|_| index.next().is_some_and(|index| selected.contains(&index)));
        }
        let detail = |measure: &Measure, rank: &i64| {
            measure.values.get(rank).map_or_else(String::new, |value| amount(*value, measure.unit))
        };
        let drawn = |rank: i64| rows.iter().any(|(measure, _)| measure.values.contains_key(&rank));
        let mut labelled: Vec<i64> = self.outliers().iter().map(|outlier| outlier.rank).collect();
        labelled.retain(|&rank| drawn(rank));
        labelled.truncate(MOST_LABELLED);
        labelled.sort_unstable();
        HeatMap {
            title: title.to_owned(),
            subtitle: notes.join(" · "),
            x: Axis { title: "rank".to_owned(), whole: true, ..Axis::default() },
            columns: Points::Numbers(ranks.iter().map(|&rank| rank as f64).collect()),
            rows: Points::Names(rows.iter().map(|(measure, _)| measure.name.clone()).collect()),
            details: rows.iter().map(|(of, _)| ranks.iter().map(|rank| detail(of, rank)).collect()).collect(),
            values: rows.into_iter().map(|(_, scores)| scores).collect(),
            meaning: "robust z".to_owned(),
            colours: Colours::Differences,
            range: Some((-STRONGEST, STRONGEST)),
            labelled: Labelled {
                columns: labelled.iter().filter_map(|rank| ranks.binary_search(rank).ok()).collect(),
                rows: Vec::new(),
            },
            from_top: true,
            ..HeatMap::default()
        }
    }
}

impl Measure {
    fn centre(&self) -> Option<Centre> {
        Centre::of(self.values.values().copied())
    }

    /// Returns the robust z-scores of these ranks, rounded to a tenth; NaN for a gap.
    fn scores(&self, ranks: &[i64]) -> Vec<f64> {
        let centre = self.centre();
        let score = |rank: &i64| match (centre, self.values.get(rank)) {
            (Some(centre), Some(&value)) => (centre.z(value) * 10.0).round() / 10.0,
            _ => f64::NAN,
        };
        ranks.iter().map(score).collect()
    }
}

/// Formats a value with its unit: `2.31 ms`, `12.5 %`, `1,284`.
pub(super) fn amount(value: f64, unit: Unit) -> String {
    let plain = |value: f64| match value.abs() {
        whole if whole.fract() == 0.0 && whole < 1e15 => grouped(value as i64),
        large if large >= 100.0 => grouped(value.round() as i64),
        tens if tens >= 10.0 => format!("{value:.1}").replace('-', "−"),
        _ => format!("{value:.2}").replace('-', "−"),
    };
    match (unit.seconds(), unit) {
        (Some(in_seconds), _) => seconds(value * in_seconds),
        (None, Unit::Bytes) if value >= 0.0 => bytes(value as u64),
        (None, unit) => format!("{} {}", plain(value), unit.symbol()).trim_end().to_owned(),
    }
}

/// Formats a z-score: one decimal, none from 10 on.
fn score(z: f64) -> String {
    let text = if z.abs() < 10.0 { format!("{z:.1}") } else { grouped(z.round() as i64) };
    text.replace('-', "−")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 40 ranks: rank 7 is idle for ten times as long, rank 9 has no value.
    fn map() -> RankMap {
        let mut map = RankMap::of(0..40);
        for rank in (0..40).filter(|rank| *rank != 9) {
            let idle = if rank == 7 { 2_310.0 } else { 200.0 + (rank % 5) as f64 };
            map.set("idle_time", Unit::Micros, rank, idle);
            map.set("share", Unit::Percent, rank, 12.5 + (rank % 3) as f64 / 4.0);
        }
        map
    }

    #[test]
    fn outliers_are_named_with_value_and_median() {
        let sentence = map().sentence();
        assert!(sentence.starts_with("1 of 40 rank is 5 robust standard deviations or more"), "{sentence}");
        assert!(sentence.contains("rank 7 (idle_time 2.31 ms, median 202 µs, z 1,"), "{sentence}");
        assert!(sentence.ends_with("`--rank 7` looks closer."), "{sentence}");
        let mut calm = RankMap::of(0..3);
        (0..3).for_each(|rank| calm.set("x", Unit::None, rank, rank as f64));
        assert!(calm.sentence().starts_with("No rank of 3 stands out"));
    }

    #[test]
    fn heat_map_has_scores_details_and_gaps() {
        let drawn = map().deviations("Idle time");
        assert_eq!((drawn.values.len(), drawn.values[0].len()), (2, 40));
        assert!(drawn.values[0][7] > 100.0 && drawn.values[0][9].is_nan());
        assert_eq!((drawn.details[0][7].as_str(), drawn.details[0][9].as_str()), ("2.31 ms", ""));
        assert_eq!(drawn.details[1][1], "12.8 %");
        assert_eq!(drawn.labelled.columns, [7]);
    }

    #[test]
    fn of_many_measures_those_that_differ_most_are_drawn() {
        let mut map = RankMap::of(0..40);
        for measure in 0..60 {
            for rank in 0..40 {
                let far = if measure == 50 && rank == 3 { 1e3 } else { 0.0 };
                map.set(&format!("kernel {measure}"), Unit::Micros, rank, 10.0 + (rank % 7) as f64 + far);
            }
        }
        let drawn = map.deviations("Kernels");
        assert_eq!(drawn.values.len(), 24);
        assert!(drawn.subtitle.ends_with("24 of 60 rows, those that differ most"), "{}", drawn.subtitle);
        let Points::Names(names) = &drawn.rows else { panic!() };
        assert!(names.contains(&"kernel 50".to_owned()));
    }

    #[test]
    fn amounts_have_their_unit() {
        for (value, unit, text) in [
            (12.0, Unit::Count, "12"),
            (1_284.4, Unit::None, "1,284"),
            (23.597, Unit::GigabytesPerSecond, "23.6 GB/s"),
            (-0.5, Unit::Percent, "−0.50 %"),
            (2048.0, Unit::Bytes, "2 KiB"),
        ] {
            assert_eq!(amount(value, unit), text);
        }
    }
}

//! A value of many ranks over time as a heat map.

use super::RankMap;
use trace_view::{Axis, Colours, HeatMap, Labelled, Points, Unit};

/// The number of intervals of time.
const INTERVALS: usize = 120;
/// The most ranks that are labelled.
const MOST_LABELLED: usize = 24;

/// The largest value of each rank in each interval of time; a value holds until the next of its series.
#[derive(Debug, Clone)]
pub struct RankTimeline {
    ranks: Vec<i64>,
    start: f64,
    end: f64,
    values: Vec<Vec<f64>>,
}

impl RankTimeline {
    /// Creates a timeline of ranks, ascending, whose moments are all in `start..=end`, in ms.
    pub fn of(ranks: Vec<i64>, (start, end): (f64, f64)) -> Self {
        let values = vec![vec![f64::NAN; INTERVALS]; ranks.len()];
        Self { ranks, start, end, values }
    }

    /// Adds a series of a rank, which may have several: moments in ms with their values, ascending.
    pub fn add(&mut self, rank: i64, points: &[(f64, f64)]) {
        let (start, length) = (self.start, self.length());
        let interval = |at: f64| (((at - start) / length) as usize).min(INTERVALS - 1);
        let Ok(row) = self.ranks.binary_search(&rank) else { return };
        for (index, &(at, value)) in points.iter().enumerate() {
            let until = points.get(index + 1).map_or(at, |next| next.0);
            for largest in &mut self.values[row][interval(at)..=interval(until).max(interval(at))] {
                *largest = largest.max(value);
            }
        }
    }

    fn length(&self) -> f64 {
        if self.end > self.start { (self.end - self.start) / INTERVALS as f64 } else { 1.0 }
    }

    /// Draws it; `map` has all ranks, and its outliers are labelled.
    pub fn drawn(&self, map: &RankMap, title: &str, meaning: &str, unit: Unit) -> HeatMap {
        let Self { ranks, start, end, values } = self;
        let length = self.length();
        let mut labelled: Vec<i64> =
            map.outliers().into_iter().map(|outlier| outlier.rank).take(MOST_LABELLED).collect();
        labelled.sort_unstable();
        HeatMap {
            title: title.to_owned(),
            subtitle: "the largest value of each interval".to_owned(),
            x: Axis { title: "Time".to_owned(), unit: Unit::Millis, ..Axis::default() },
            y: Axis { title: "rank".to_owned(), whole: true, ..Axis::default() },
            columns: Points::Numbers(
                (0..INTERVALS).map(|index| start.min(*end) + length * (index as f64 + 0.5)).collect(),
            ),
            rows: Points::Numbers(ranks.iter().map(|&rank| rank as f64).collect()),
            values: values.clone(),
            meaning: meaning.to_owned(),
            unit,
            colours: Colours::Amounts,
            labelled: Labelled {
                columns: Vec::new(),
                rows: labelled.iter().filter_map(|rank| ranks.binary_search(rank).ok()).collect(),
            },
            from_top: true,
            ..HeatMap::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_have_the_largest_value_that_holds_in_them() {
        let mut timeline = RankTimeline::of(vec![3, 4, 5], (0.0, 120.0));
        timeline.add(3, &[(0.0, 1.0), (60.0, 7.0), (60.1, 2.0), (120.0, 0.0)]);
        timeline.add(5, &[(30.0, 4.0)]);
        let drawn = timeline.drawn(&RankMap::of([3, 4, 5]), "Queue", "queue length", Unit::Count);
        assert_eq!((drawn.values.len(), drawn.values[0].len()), (3, INTERVALS));
        assert_eq!((drawn.values[0][10], drawn.values[0][60], drawn.values[0][90]), (1.0, 7.0, 2.0));
        assert!(drawn.values[1].iter().all(|value| value.is_nan()));
        assert_eq!(drawn.values[2].iter().filter(|value| value.is_finite()).count(), 1);
        assert_eq!(drawn.columns.len(), INTERVALS);
    }
}

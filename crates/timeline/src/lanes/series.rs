//! A counter over time, and what of it a window shows.

use super::Window;
use super::forest::Forest;

/// The value of a counter from a moment on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// The moment, in ns.
    pub time: i64,
    /// The value from then on.
    pub value: f64,
}

/// A counter over time.
#[derive(Debug, Clone, Default)]
pub struct Series {
    points: Vec<Point>,
    forest: Forest,
    max: f64,
}

/// Samples of a counter, in columns: at most one per 2^k ns.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Samples {
    /// Moment of the first point in a window, in ns.
    pub start: Vec<i64>,
    /// Largest value in the window.
    pub max: Vec<f64>,
    /// Value of the last point in it.
    pub last: Vec<f64>,
    /// Number of points in it.
    pub count: Vec<u32>,
}

/// An integer that orders like a finite value; what is not finite counts as 0.
fn order(value: f64) -> i64 {
    let bits = if value.is_finite() { value.to_bits() as i64 } else { 0 };
    if bits < 0 { bits ^ i64::MAX } else { bits }
}

impl Series {
    /// Creates a counter; of several points of one moment the last counts.
    pub fn new(mut points: Vec<Point>) -> Self {
        points.sort_by_key(|point| point.time);
        points.dedup_by(|later, earlier| {
            let same = later.time == earlier.time;
            if same {
                *earlier = *later;
            }
            same
        });
        points.shrink_to_fit();
        let forest = Forest::new(points.len(), |position| order(points[position].value));
        let max = points.iter().map(|point| point.value).filter(|value| value.is_finite()).fold(0.0, f64::max);
        Self { points, forest, max }
    }

    /// Returns the points, by time.
    pub fn points(&self) -> &[Point] {
        &self.points
    }

    /// Returns the largest value; 0 without points.
    pub fn max(&self) -> f64 {
        self.max
    }

    /// Returns the place behind the points from `position` on that are at `last` or before; fast if there are about as many as guessed. The
    /// first of them is.
    fn after(&self, position: usize, last: i64, guess: usize) -> usize {
        let is_inside = |at: usize| self.points.get(at).is_some_and(|point| point.time <= last);
        let (mut low, mut step) = (position, guess.max(1));
        while is_inside(low + step) {
            low += step;
            step *= 2;
        }
        let high = (low + step).min(self.points.len());
        low + self.points[low..high].partition_point(|point| point.time <= last)
    }

    /// Memory, in bytes.
    pub fn bytes(&self) -> usize {
        self.points.capacity() * size_of::<Point>() + self.forest.bytes()
    }
}

impl Samples {
    /// Number of samples.
    pub fn len(&self) -> usize {
        self.start.len()
    }

    /// Tells whether there are no samples.
    pub fn is_empty(&self) -> bool {
        self.start.is_empty()
    }

    /// Adds what a window shows of a counter, with the point before the window; returns the number of samples.
    pub fn add(&mut self, series: &Series, window: &Window) -> usize {
        let (points, before) = (&series.points, self.len());
        let value = |position: usize| order(points[position].value);
        let finite = |position: usize| Some(points[position].value).filter(|value| value.is_finite()).unwrap_or(0.0);
        let first = points.partition_point(|point| point.time < window.start());
        if let Some(point) = first.checked_sub(1) {
            self.push(points[point].time, finite(point), finite(point), 1);
        }
        // Windows have about as many points as the one before.
        let (mut position, mut guess) = (first, 1);
        while position < points.len() && points[position].time < window.end() {
            let last = window.last_moment(points[position].time);
            let behind = series.after(position, last, guess);
            let largest = series.forest.largest(position, behind, value);
            self.push(points[position].time, finite(largest), finite(behind - 1), (behind - position) as u32);
            guess = behind - position;
            position = behind;
        }
        self.len() - before
    }

    fn push(&mut self, start: i64, max: f64, last: f64, count: u32) {
        self.start.push(start);
        self.max.push(max);
        self.last.push(last);
        self.count.push(count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_keep_the_largest_and_the_last_value() {
        let at = |time, value| Point { time, value };
        let points = vec![at(0, 1.0), at(3, 5.0), at(5, 2.0), at(5, 3.0), at(9, f64::NAN), at(20, -2.0)];
        let series = Series::new(points);
        assert_eq!((series.points().len(), series.max()), (5, 5.0));
        let mut samples = Samples::default();
        samples.add(&series, &Window::new(0, 0, 32, 4));
        assert_eq!(
            (samples.start, samples.max, samples.last, samples.count),
            (vec![0, 9, 20], vec![5.0, 0.0, -2.0], vec![3.0, 0.0, -2.0], vec![3, 1, 1])
        );
        let mut samples = Samples::default();
        assert_eq!(samples.add(&series, &Window::new(0, 4, 8, 4)), 2);
        assert_eq!((samples.start, samples.last), (vec![3, 5], vec![5.0, 3.0]));
    }

    #[test]
    fn windows_have_all_their_points() {
        // Dense, then a gap, then sparse.
        let times = (0..500).chain((10_000..90_000).step_by(777)).chain(90_000..90_100);
        let series = Series::new(times.map(|time| Point { time, value: time as f64 }).collect());
        for columns in [1, 3, 50, 1_000, 100_000] {
            let mut samples = Samples::default();
            samples.add(&series, &Window::new(0, 0, 100_000, columns));
            assert_eq!(samples.count.iter().sum::<u32>() as usize, series.points().len(), "{columns}");
            assert!(samples.start.is_sorted() && samples.max == samples.last, "{columns}");
        }
    }

    #[test]
    fn order_is_that_of_values() {
        let values = [-1e300, -2.0, -0.5, 0.0, 1e-300, 0.5, 7.0, 1e300];
        assert!(values.is_sorted_by(|one, other| order(*one) < order(*other)));
    }
}

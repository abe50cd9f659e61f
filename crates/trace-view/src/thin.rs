//! Thinning of lines with very many points, without visible loss.

use crate::{Figure, Mark, Points, Series, grouped};

impl Figure {
    /// Reduces all lines together to about `most` points: divides each into segments of equal length along the first axis and
    /// keeps the first, lowest, highest and last point of each segment.
    ///
    /// ```text
    /// points    .  :·.' ..  |  the segment keeps  .  '  .  .
    ///           first, lowest, highest, last, in their order
    /// ```
    ///
    /// Bars, and lines with few points, stay unchanged. The subtitle says how many points are left.
    pub fn thin_out(&mut self, most: usize) {
        let is_line = |series: &&mut Series| series.mark != Mark::Bar && matches!(series.x, Points::Numbers(_));
        let before = self.series.iter_mut().filter(is_line).map(|series| series.y.len()).sum();
        let lines = self.series.iter_mut().filter(is_line).count();
        let mut thinning = Thinning::of(lines, before, most);
        self.series.iter_mut().filter(is_line).for_each(|series| thinning.line(series));
        if let Some(note) = thinning.note() {
            self.append_to_subtitle(&note);
        }
    }
}

/// Thins out the lines of a figure one after the other, as [`Figure::thin_out`] does all of them: for lines that are not in
/// memory together.
#[derive(Debug)]
pub struct Thinning {
    /// Segments of each line; `None` if nothing is thinned out.
    segments: Option<usize>,
    before: usize,
    after: usize,
}

impl Thinning {
    /// Prepares to thin out `lines` lines, of `points` points in all, to about `most` points.
    pub fn of(lines: usize, points: usize, most: usize) -> Self {
        let segments = (points > most).then(|| (most / lines.max(1) / SEGMENT_POINTS).max(1));
        Self { segments, before: points, after: 0 }
    }

    /// Thins out a line.
    pub fn line(&mut self, series: &mut Series) {
        if let Some(segments) = self.segments {
            thin(series, segments);
            self.after += series.y.len();
        }
    }

    /// Returns the note on how many points are left of those of all lines; `None` if nothing was thinned out.
    pub fn note(&self) -> Option<String> {
        let Self { segments, before, after } = *self;
        segments.map(|_| format!("{} of {} points, every peak kept", grouped(after), grouped(before)))
    }
}

/// The most points kept of a segment.
const SEGMENT_POINTS: usize = 4;

/// Keeps at most [`SEGMENT_POINTS`] points of each of `segments` segments of a line.
fn thin(series: &mut Series, segments: usize) {
    let Points::Numbers(x) = &mut series.x else { return };
    if series.y.len() <= segments * SEGMENT_POINTS {
        return;
    }
    let finite = || x.iter().copied().filter(|x| x.is_finite());
    let (start, end) = (finite().fold(f64::INFINITY, f64::min), finite().fold(f64::NEG_INFINITY, f64::max));
    if start > end {
        return;
    }
    let segment = |x: f64| {
        let index = ((x - start) / (end - start).max(f64::MIN_POSITIVE)) * segments as f64;
        (index as usize).min(segments - 1)
    };
    let mut retained: Vec<usize> = Vec::with_capacity(segments * SEGMENT_POINTS);
    let mut from = 0;
    while from < x.len() {
        let here = segment(x[from]);
        let run = x[from..].iter().take_while(|x| segment(**x) == here).count();
        keep(&series.y, from..from + run.max(1), &mut retained);
        from += run.max(1);
    }
    *x = retained.iter().map(|&at| x[at]).collect();
    series.y = retained.iter().map(|&at| series.y[at]).collect();
}

/// Appends the indices of the first, lowest, highest and last point of a run, in order and without duplicates, and of a gap if
/// there is one.
fn keep(y: &[f64], run: std::ops::Range<usize>, retained: &mut Vec<usize>) {
    let finite = || run.clone().filter(|&at| y[at].is_finite());
    let lowest = finite().min_by(|&a, &b| y[a].total_cmp(&y[b]));
    // The first of equal peaks, as for the lowest: `max_by` returns the last.
    let highest = finite().rev().max_by(|&a, &b| y[a].total_cmp(&y[b]));
    let gap = run.clone().find(|&at| !y[at].is_finite());
    let mut indices: Vec<usize> =
        [Some(run.start), lowest, highest, gap, Some(run.end - 1)].into_iter().flatten().collect();
    indices.sort_unstable();
    indices.dedup();
    retained.extend(indices);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Axis;

    fn line(x: Vec<f64>, y: Vec<f64>) -> Series {
        Series { name: "queue".to_owned(), mark: Mark::Step, x: Points::Numbers(x), y }
    }

    fn figure(series: Vec<Series>) -> Figure {
        Figure { series, subtitle: "control".to_owned(), x: Axis::default(), ..Figure::default() }
    }

    fn xs(series: &Series) -> &[f64] {
        match &series.x {
            Points::Numbers(x) => x,
            Points::Names(_) => &[],
        }
    }

    #[test]
    fn thinning_keeps_peaks_and_ends() {
        let count = 1_000_000;
        let x: Vec<f64> = (0..count).map(|at| at as f64).collect();
        let mut y: Vec<f64> = (0..count).map(|at| (at % 7) as f64).collect();
        (y[123_456], y[654_321]) = (1e6, -1e6);
        let mut thinned = figure(vec![line(x, y)]);
        thinned.thin_out(4_000);
        let series = &thinned.series[0];
        assert!((2_000..=4_000).contains(&series.y.len()), "{}", series.y.len());
        let at = |value: f64| series.y.iter().position(|y| *y == value).map(|index| xs(series)[index]);
        assert_eq!((at(1e6), at(-1e6)), (Some(123_456.0), Some(654_321.0)));
        assert_eq!((xs(series).first(), xs(series).last()), (Some(&0.0), Some(&999_999.0)));
        assert!(xs(series).is_sorted());
        let subtitle = format!("control · {} of 1,000,000 points, every peak kept", grouped(series.y.len()));
        assert_eq!(thinned.subtitle, subtitle);
    }

    #[test]
    fn thinning_divides_points_and_skips_short_lines() {
        let long = || line((0..10_000).map(f64::from).collect(), (0..10_000).map(|at| f64::from(at % 3)).collect());
        let short = line(vec![0.0, 5.0], vec![1.0, 2.0]);
        let bars = Series { mark: Mark::Bar, ..long() };
        let mut thinned = figure(vec![long(), short.clone(), long(), bars.clone()]);
        thinned.thin_out(600);
        assert!(thinned.series[0].y.len() <= 200 && thinned.series[2].y.len() <= 200);
        assert_eq!((&thinned.series[1], &thinned.series[3]), (&short, &bars));
        let few = figure(vec![short]);
        let mut same = few.clone();
        same.thin_out(600);
        assert_eq!(same, few);
    }

    #[test]
    fn thinning_keeps_gaps_and_equal_positions() {
        let mut y = vec![1.0; 1_000];
        (y[500], y[501]) = (f64::NAN, f64::INFINITY);
        let mut still = figure(vec![line(vec![3.0; 1_000], y)]);
        still.thin_out(8);
        assert!(still.series[0].y.iter().any(|y| y.is_nan()) && still.series[0].y.len() <= 5);
        let mut lost = figure(vec![line(vec![f64::NAN; 1_000], vec![1.0; 1_000])]);
        lost.thin_out(8);
        assert_eq!(lost.series[0].y.len(), 1_000);
    }
}

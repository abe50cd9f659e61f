//! The samples of both sides as histograms over each other.

use super::quantities::BOTH;
use super::sampling::Sampling;
use crate::error::ExplainReason;
use crate::explain::Explanation;
use crate::explain::explanation::word;
use crate::{Error, Result};
use call_tree::Sample;
use trace_view::{Axis, Figure, Mark, Points, Series, Unit};

/// Bins of a histogram.
const FEWEST_BINS: usize = 5;
const MOST_BINS: usize = 40;
/// Names that an error lists.
const LISTED: usize = 8;

impl Explanation {
    /// Returns how the samples of both sides are spread: time of each iteration (mean over ranks; of several runs all of them), or of each
    /// rank of one iteration, as outlines of two histograms with the same bins. `part` is `step`, a class (`compute`, `idle`, …), or the name of an operator or
    /// kernel as tables show it.
    ///
    /// # Errors
    /// [`ExplainReason::UnknownPart`](crate::error::ExplainReason) if nothing has this name.
    pub fn histogram(&self, part: &str) -> Result<Figure> {
        let values = self.part_values(part)?;
        let all = || values.iter().flatten().copied();
        let (low, high) =
            all().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
        let (unit, per_us) = if high.abs() >= 10_000.0 { (Unit::Millis, 1e-3) } else { (Unit::Micros, 1.0) };
        // Of n values about 2 n^(1/3) bins (Rice).
        let count = values.iter().map(Vec::len).max().unwrap_or(0);
        let bins = ((2.0 * (count as f64).cbrt()).ceil() as usize).clamp(FEWEST_BINS, MOST_BINS);
        let wide = if high > low { (high - low) / bins as f64 } else { 1.0 };
        let begin = |bin: usize| (low + wide * bin as f64) * per_us;
        let series = BOTH.map(|side| {
            let mut counts = vec![0.0; bins + 2];
            for value in &values[side] {
                // The bins are 1 to `bins`; those around them are empty and close the outline.
                counts[1 + (((value - low) / wide) as usize).min(bins - 1)] += 1.0;
            }
            let x = std::iter::once(begin(0)).chain((0..=bins).map(begin)).collect();
            Series { name: self.sides[side].name(), mark: Mark::Step, x: Points::Numbers(x), y: counts }
        });
        Ok(Figure {
            title: format!("Samples of {part}"),
            subtitle: self.caption(),
            x: Axis { title: "time in one iteration".to_owned(), unit, ..Axis::default() },
            y: Axis {
                title: if self.is_paired() { "ranks" } else { "iterations" }.to_owned(),
                unit: Unit::Count,
                whole: true,
                ..Axis::default()
            },
            series: series.to_vec(),
            ..Figure::default()
        })
    }

    /// Values of a part in each iteration, µs.
    fn part_values(&self, part: &str) -> Result<[Vec<f64>; 2]> {
        let of_samples = |of: &dyn Fn(&Sample) -> i64| {
            BOTH.map(|side| Sampling::of(self, side).values(self.found.samples[side].iter().map(of).enumerate()))
        };
        let classes = Sample::CLASSES.into_iter().find(|class| word(*class) == part.replace(' ', "_"));
        let values = match (part, classes) {
            ("step", _) => of_samples(&|sample| sample.step_ns),
            ("idle", _) => of_samples(&|sample| sample.idle_ns),
            (_, Some(class)) => of_samples(&|sample| sample.classes_ns[class as usize]),
            _ => {
                let groups = self.groups().iter().filter(|group| group.operator == part || group.kernel == part);
                let ids: Vec<usize> = groups.flat_map(|group| group.regions.iter().copied()).collect();
                if ids.is_empty() {
                    return Err(self.unknown_part(part));
                }
                BOTH.map(|side| Sampling::of(self, side).values(ids.iter().flat_map(|&id| self.shares(id, side))))
            }
        };
        Ok(values.map(|values| values.into_iter().map(|ns| ns / 1e3).collect()))
    }

    fn unknown_part(&self, part: &str) -> Error {
        let mut known: Vec<String> = vec!["step".to_owned()];
        known.extend(self.classes.iter().map(|class| class.class.to_owned()));
        for group in self.groups() {
            let name = if group.operator.is_empty() { &group.kernel } else { &group.operator };
            if !known.contains(name) && known.len() < LISTED {
                known.push(name.clone());
            }
        }
        ExplainReason::UnknownPart { part: part.to_owned(), known }.into()
    }
}

//! Iterations that take far longer or shorter than the others of their run, with what made them so.

use super::quantities::BOTH;
use super::sampling::Sampling;
use crate::explain::Explanation;
use crate::explain::explanation::{CAUSES, word};
use call_tree::Sample;

/// An iteration far from the others of its run.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Outlier {
    /// Label of the run.
    pub label: String,
    /// Number of the iteration.
    pub iteration: i64,
    /// Its step, mean over ranks, µs.
    pub step_us: f64,
    /// Median of the steps of its run, µs.
    pub median_us: f64,
    /// The class, or the cause of idle time, that differs most from its median.
    pub part: String,
    /// That difference, µs.
    pub part_us: f64,
}

impl Explanation {
    /// Returns the iterations that are more than 3.5 standard deviations (by the MAD) from the median of their run. They are named, not
    /// left out.
    pub fn outliers(&self) -> Vec<Outlier> {
        BOTH.into_iter().flat_map(|side| self.outliers_of(side)).collect()
    }

    fn outliers_of(&self, side: usize) -> Vec<Outlier> {
        let sampling = Sampling::by_iteration(self, side);
        let values = |of: &dyn Fn(&Sample) -> i64| -> Vec<f64> {
            sampling.values(self.found.samples[side].iter().map(of).enumerate())
        };
        let steps = values(&|sample| sample.step_ns);
        let mut parts: Vec<(String, Vec<f64>)> = Sample::CLASSES
            .into_iter()
            .map(|class| (word(class).replace('_', " "), values(&|sample| sample.classes_ns[class as usize])))
            .collect();
        for (index, cause) in CAUSES.into_iter().enumerate() {
            parts.push((format!("idle: {cause}"), values(&|sample| sample.causes_ns[index])));
        }
        let labels: Vec<&str> = self.sides[side].label.split(',').collect();
        let mut outliers = Vec::new();
        let mut first = 0;
        for run in sampling.iterations.chunk_by(|one, other| one.0 == other.0) {
            let of_run = first..first + run.len();
            let steps = &steps[of_run.clone()];
            for at in statistics::outliers(steps) {
                let far = |values: &[f64]| values[first + at] - statistics::median(&values[of_run.clone()]);
                let part = parts.iter().map(|(name, values)| (name, far(values)));
                let Some((part, ns)) = part.max_by(|one, other| one.1.abs().total_cmp(&other.1.abs())) else {
                    continue;
                };
                let (number, iteration) = run[at];
                outliers.push(Outlier {
                    label: labels.get(number as usize).copied().unwrap_or_default().to_owned(),
                    iteration,
                    step_us: steps[at] / 1e3,
                    median_us: statistics::median(steps) / 1e3,
                    part: part.clone(),
                    part_us: ns / 1e3,
                });
            }
            first += run.len();
        }
        outliers
    }
}

//! Noise of the step, or of one operator.

use crate::certainty::ALPHA;

/// The change that numbers of samples are asked for.
pub(super) const CHANGE: f64 = 0.01;

/// How much the step, or an operator, varies. Shares are of the mean; absent where samples are too few or all values zero.
#[derive(Debug, Clone, PartialEq)]
pub struct OperatorNoise {
    /// Its name.
    pub name: String,
    /// Sum of its durations in an iteration in µs, the mean of all iterations, each run with the same weight.
    pub mean_us: f64,
    /// Standard deviation of iterations inside of a run, ÷ the mean of their run; of several runs the root of the mean square.
    pub within: Option<f64>,
    /// Correlation of an iteration with the next one, from 0.
    pub correlation: f64,
    /// How many independent iterations those of a run are worth; of several runs the mean.
    pub effective: f64,
    /// Standard deviation of the means of runs, ÷ their mean; absent with one run.
    pub between: Option<f64>,
    /// Iterations a side that show a change of 1 % between two recordings in 4 of 5 comparisons; absent above 100,000.
    pub iterations_needed: Option<usize>,
    /// Runs a side that show a change of 1 % between two programs in 4 of 5 comparisons; absent with one run, or above 100,000.
    pub runs_needed: Option<usize>,
    /// The smallest change that as many runs a side as were measured show in 4 of 5 comparisons of programs; absent with one run.
    pub smallest_change: Option<f64>,
}

impl OperatorNoise {
    /// Measures series of iterations, one for each run.
    pub(super) fn of(name: String, series: &[&[f64]]) -> Self {
        let means: Vec<f64> = series.iter().map(|run| statistics::mean(run)).collect();
        let mean_us = statistics::mean(&means);
        let of_run = |(run, mean): (&&[f64], &f64)| {
            (run.len() > 1 && *mean > 0.0).then(|| statistics::variance(run) / (mean * mean))
        };
        let squares: Vec<f64> = series.iter().zip(&means).filter_map(of_run).collect();
        let within = (!squares.is_empty()).then(|| statistics::mean(&squares).sqrt());
        let between = (series.len() > 1 && mean_us > 0.0).then(|| statistics::variance(&means).sqrt() / mean_us);
        let correlation = statistics::correlation(series);
        let sizes: Vec<f64> = series.iter().map(|run| statistics::effective_size(run.len(), correlation)).collect();
        // Independent iterations × how many correlated ones are worth one, if there are many.
        let worth = (1.0 + correlation) / (1.0 - correlation);
        let iterations = within.and_then(|within| statistics::needed(within, CHANGE, ALPHA));
        let runs = series.len() as f64;
        let smallest =
            |between: f64| statistics::smallest_change(between * (2.0 / runs).sqrt(), 2.0 * runs - 2.0, ALPHA);
        Self {
            name,
            mean_us,
            within,
            correlation,
            effective: statistics::mean(&sizes),
            between,
            iterations_needed: iterations.map(|needed| (needed as f64 * worth).ceil() as usize),
            runs_needed: between.and_then(|between| statistics::needed(between, CHANGE, ALPHA)),
            smallest_change: between.map(smallest),
        }
    }
}

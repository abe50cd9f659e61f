//! Builder of the noise floor, and the noise of one operator.

use super::measured::MeasuredNoise;
use crate::certainty::ALPHA;
use crate::diff::iteration_times::{IterationTimes, STEP, TimesQuery};
use crate::exec::checkpoint::guarded;
use crate::filter::Filter;
use crate::{DeviceType, Iteration, LabeledTrace, Pick, Rank, RecordingsOnce, Result, Warning};
use regex::Regex;
use std::collections::BTreeSet;

/// The change that numbers of samples are asked for.
pub(super) const CHANGE: f64 = 0.01;

/// Measures how much the step and each operator vary within a run, between its iterations, and between runs of one program.
///
/// Ranks of an iteration are averaged, since collectives couple them. All ranks and iterations count unless setters say otherwise.
///
/// # Example
/// ```
/// use trace::prelude::*;
/// use trace::Noise;
///
/// # fn main() -> trace::Result<()> {
/// let control = TraceSet::load("../../notebooks/data/recorded_cpu/control")?;
/// let noise = Noise::of_runs(vec![control.into()]).warmup(0).run()?;
/// assert!(noise.step().within.is_some_and(|within| within > 0.0));
/// assert_eq!(noise.step().between, None, "one run knows nothing of others");
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Noise {
    runs: Vec<LabeledTrace>,
    ranks: Option<Pick<Rank>>,
    iterations: Option<Pick<Iteration>>,
    device_type: DeviceType,
    use_short_name: bool,
    filter: Option<Filter>,
    marker: Option<Regex>,
    warmup: Option<usize>,
}

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

impl Noise {
    /// Measures runs of one program, each a fresh process.
    pub fn of_runs(runs: Vec<LabeledTrace>) -> Self {
        Self {
            runs,
            ranks: None,
            iterations: None,
            device_type: DeviceType::ALL,
            use_short_name: false,
            filter: None,
            marker: None,
            warmup: None,
        }
    }

    /// Selects ranks; all by default.
    #[must_use]
    pub fn ranks(mut self, ranks: impl Into<Pick<Rank>>) -> Self {
        self.ranks = Some(ranks.into());
        self
    }

    /// Selects iterations; all by default.
    #[must_use]
    pub fn iterations(mut self, iterations: impl Into<Pick<Iteration>>) -> Self {
        self.iterations = Some(iterations.into());
        self
    }

    /// Selects the device whose events are measured; all by default.
    #[must_use]
    pub fn device_type(mut self, device_type: DeviceType) -> Self {
        self.device_type = device_type;
        self
    }

    /// Sets whether names are shortened ([`shorten_name`](crate::shorten_name)) and equal short names merged.
    #[must_use]
    pub fn use_short_name(mut self, yes: bool) -> Self {
        self.use_short_name = yes;
        self
    }

    /// Selects the events that pass a filter; the step stays whole. All by default.
    #[must_use]
    pub fn filter(mut self, filter: impl Into<Filter>) -> Self {
        self.filter = Some(filter.into());
        self
    }

    /// Takes every annotation, operator or module whose name matches as an iteration, numbered from 0 in each rank, instead of the
    /// profiler's steps.
    #[must_use]
    pub fn marker(mut self, marker: Regex) -> Self {
        self.marker = Some(marker);
        self
    }

    /// Leaves the first iterations of each run out. By default those before the first change point of the step, if it is in the
    /// first third, and none where iterations are selected.
    #[must_use]
    pub fn warmup(mut self, iterations: usize) -> Self {
        self.warmup = Some(iterations);
        self
    }

    /// Returns the runs without copies of earlier ones, and what was left out.
    fn distinct(&self) -> Result<(Vec<&LabeledTrace>, Vec<Warning>)> {
        let (mut once, mut runs, mut warnings) = (RecordingsOnce::default(), Vec::new(), Vec::new());
        for run in &self.runs {
            match once.copy_of_earlier(run)? {
                Some(warning) => warnings.push(warning),
                None => runs.push(run),
            }
        }
        Ok((runs, warnings))
    }

    /// Measures the runs, each recording once. Each selected rank is read once; besides the ranks that run at once, only sums by name and iteration are held.
    ///
    /// # Errors
    /// If a rank or iteration does not exist, no iteration is left, the filter does not fit the events, or the ranks do not fit the
    /// memory budget.
    pub fn run(&self) -> Result<MeasuredNoise> {
        guarded(|| {
            let query = TimesQuery {
                ranks: self.ranks.as_ref(),
                iterations: self.iterations.as_ref(),
                device: self.device_type,
                short: self.use_short_name,
                filter: self.filter.as_ref(),
                marker: self.marker.as_ref(),
                warmup: self.warmup,
            };
            let (runs, warnings) = self.distinct()?;
            let runs: Vec<IterationTimes> = runs.into_iter().map(|run| query.times(run)).collect::<Result<_>>()?;
            let steps: Vec<&[f64]> = runs.iter().map(|run| &run.step_us[..]).collect();
            let mut rows = vec![OperatorNoise::of(STEP.to_owned(), &steps)];
            let names: BTreeSet<&String> = runs.iter().flat_map(|run| run.operators.keys()).collect();
            for name in names {
                let absent: Vec<Vec<f64>> = runs.iter().map(|run| vec![0.0; run.len()]).collect();
                let values = |(run, absent): (&'_ IterationTimes, &'_ Vec<f64>)| {
                    run.operators.get(name).map_or_else(|| absent.clone(), |operator| operator.us.clone())
                };
                let series: Vec<Vec<f64>> = runs.iter().zip(&absent).map(values).collect();
                rows.push(OperatorNoise::of(name.clone(), &series.iter().map(Vec::as_slice).collect::<Vec<_>>()));
            }
            Ok(MeasuredNoise::new(rows, runs, self.use_short_name, warnings))
        })
    }
}

impl OperatorNoise {
    /// Measures series of iterations, one for each run.
    fn of(name: String, series: &[&[f64]]) -> Self {
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

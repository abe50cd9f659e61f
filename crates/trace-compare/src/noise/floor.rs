//! Builder of the noise floor.

use super::measured::MeasuredNoise;
use super::operator_noise::OperatorNoise;
use crate::diff::IterationMarker;
use crate::diff::iteration_times::{IterationTimes, STEP, TimesQuery};
use crate::exec::checkpoint::guarded;
use crate::filter::Filter;
use crate::{DeviceType, Iteration, LabeledTrace, Pick, Rank, RecordingsOnce, Result, Warning};
use regex::Regex;
use std::collections::BTreeSet;

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
    marker: IterationMarker,
    warmup: Option<usize>,
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
            marker: IterationMarker::default(),
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
        self.marker = IterationMarker::Named(marker);
        self
    }

    /// Takes a recording without the profiler's steps as one iteration, even where one call repeats and launches most of its work.
    #[must_use]
    pub fn whole_recordings(mut self) -> Self {
        self.marker = IterationMarker::Recorded;
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
            let (runs, mut warnings) = self.distinct()?;
            let runs: Vec<LabeledTrace> = runs.into_iter().cloned().collect();
            let (marker, found) = self.marker.resolved([(&runs, self.ranks.as_ref()), (&[], None)])?;
            warnings.extend(found);
            let query = TimesQuery {
                ranks: self.ranks.as_ref(),
                iterations: self.iterations.as_ref(),
                device: self.device_type,
                short: self.use_short_name,
                filter: self.filter.as_ref(),
                marker: marker.names(),
                warmup: self.warmup,
            };
            let runs: Vec<IterationTimes> = runs.iter().map(|run| query.times(run)).collect::<Result<_>>()?;
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

//! Builder of the noise floor.

use super::measured::MeasuredNoise;
use super::operator_noise::OperatorNoise;
use crate::diff::iteration_times::{IterationTimes, STEP, TimesQuery, side_iterations};
use crate::diff::{Select, SelectEvents, resolved_marker};
use crate::exec::checkpoint::guarded;
use crate::phases::{SideIterations, choose_phase};
use crate::{LabeledTrace, RecordingsOnce, Result, Warning};
use std::collections::BTreeSet;

/// Measures how much the step and each operator vary within a run, between its iterations, and between runs of one program.
///
/// Ranks of an iteration are averaged, since collectives couple them. All ranks and iterations count unless others are selected ([`SelectEvents`]).
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
    selection: Select,
    use_short_name: bool,
}

impl SelectEvents for Noise {
    fn selection_mut(&mut self) -> &mut Select {
        &mut self.selection
    }
}

impl Noise {
    /// Measures runs of one program, each a fresh process.
    pub fn of_runs(runs: Vec<LabeledTrace>) -> Self {
        Self { runs, selection: Select::default(), use_short_name: false }
    }

    /// Sets whether names are shortened ([`shorten_name`](crate::shorten_name)) and equal short names merged.
    #[must_use]
    pub fn use_short_name(mut self, yes: bool) -> Self {
        self.use_short_name = yes;
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
            let (marker, found) = resolved_marker(&self.selection, [&runs, &[]])?;
            warnings.extend(found);
            let (select, short, marker) = (&self.selection, self.use_short_name, marker.names());
            let query = TimesQuery { select, side: 0, short, marker, phase: None };
            let all = query.times_of_runs(&runs, None)?;
            let sides = [side_iterations(&all), SideIterations::default()];
            let phases = choose_phase(sides.each_ref(), self.selection.wanted_phase())?;
            let runs = match &phases {
                Some(choice) => query.times_of_runs(&runs, Some(&choice.iterations[0]))?,
                None => all,
            };
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
            Ok(MeasuredNoise::new(rows, runs, self.use_short_name, warnings, phases))
        })
    }
}

//! The measured noise: rows, a figure, and what there is to say.

use super::operator_noise::OperatorNoise;
use super::sentences::sentences;
use crate::diff::iteration_times::IterationTimes;
use crate::frame::columns::{NAME, SHORT_NAME, declaration};
use crate::phases::{PhaseChoice, phase_sentence};
use crate::present::{Field, frame_columns};
use crate::{Result, Warning};
use polars::prelude::DataFrame;
use trace_view::{Axis, Figure, Mark, Points, Series as Drawn, Unit};

/// Operators of the figure that does not say how many.
const BARS: usize = 15;

const COLUMNS: [Field<OperatorNoise>; 9] = [
    Field::known_word(declaration(NAME), |row| Some(&row.name)),
    Field::known_number(declaration("mean_duration"), |row| Some(row.mean_us)),
    Field::known_number(declaration("within_percent"), |row| row.within.map(percent)),
    Field::known_number(declaration("between_percent"), |row| row.between.map(percent)),
    Field::known_number(declaration("autocorrelation"), |row| row.within.map(|_| row.correlation)),
    Field::known_number(declaration("effective_iterations"), |row| Some(row.effective)),
    Field::known_whole(declaration("iterations_for_1_percent"), |row| i64::try_from(row.iterations_needed?).ok()),
    Field::known_whole(declaration("runs_for_1_percent"), |row| i64::try_from(row.runs_needed?).ok()),
    Field::known_number(declaration("smallest_change_percent"), |row| row.smallest_change.map(percent)),
];

/// The answer of [`Noise::run`](crate::Noise::run).
#[derive(Debug, Clone)]
pub struct MeasuredNoise {
    rows: Vec<OperatorNoise>,
    runs: Vec<IterationTimes>,
    short: bool,
    warnings: Vec<Warning>,
    phases: Option<PhaseChoice>,
}

impl MeasuredNoise {
    /// The first row is the step, the others are sorted by their time, longest first.
    pub(super) fn new(
        mut rows: Vec<OperatorNoise>,
        runs: Vec<IterationTimes>,
        short: bool,
        warnings: Vec<Warning>,
        phases: Option<PhaseChoice>,
    ) -> Self {
        if let Some((_, operators)) = rows.split_first_mut() {
            operators.sort_by(|a, b| b.mean_us.total_cmp(&a.mean_us).then_with(|| a.name.cmp(&b.name)));
        }
        Self { rows, runs, short, warnings, phases }
    }

    /// Returns the noise of the step.
    pub fn step(&self) -> &OperatorNoise {
        &self.rows[0]
    }

    /// Returns the noise of each operator, that with the longest time first.
    pub fn operators(&self) -> &[OperatorNoise] {
        &self.rows[1..]
    }

    /// Returns warnings: runs that were left out, since each recording counts once.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// Returns the labels of the runs, each with its iterations that were left out as warm-up.
    pub fn warm_up(&self) -> Vec<(&str, &[i64])> {
        self.runs.iter().map(|run| (run.label.as_str(), run.warm_up.as_slice())).collect()
    }

    /// Returns what there is to say: of which phases iterations are, within a run, between runs, how many of either a change of 1 % needs, what was left out.
    pub fn sentences(&self) -> Vec<String> {
        let phases = self.phases.as_ref().and_then(|choice| phase_sentence(&choice.phases, choice.compared));
        let phases = phases.map(|sentence| sentence.text);
        phases.into_iter().chain(sentences(self.step(), self.operators(), &self.runs)).collect()
    }

    /// Returns a row for the step, then one for each operator, that with the longest time first.
    ///
    /// # Columns
    /// `name` or `short_name`, `mean_duration` (µs in an iteration), `within_percent` and `between_percent` (standard deviation of
    /// iterations in a run, of means of runs), `autocorrelation` (of an iteration with the next), `effective_iterations` (how many
    /// independent ones those of a run are worth), `iterations_for_1_percent` and `runs_for_1_percent` (a side, to show such a change in
    /// 4 of 5 comparisons), `smallest_change_percent` (that as many runs a side show). Null where it is not known.
    ///
    /// # Errors
    /// If polars refuses.
    pub fn frame(&self) -> Result<DataFrame> {
        let name = if self.short { SHORT_NAME } else { NAME }.to_owned();
        Ok(DataFrame::new(self.rows.len(), frame_columns(&self.rows, &COLUMNS, &[name]))?)
    }

    /// Draws the noise of the step and of the operators with the longest times: within a run, and between runs if there are several.
    pub fn figure(&self) -> Figure {
        let shown = &self.rows[..self.rows.len().min(BARS + 1)];
        let names: Vec<String> = shown.iter().map(|row| row.name.clone()).collect();
        let bars = |name: &str, of: fn(&OperatorNoise) -> Option<f64>| Drawn {
            name: name.to_owned(),
            mark: Mark::Bar,
            x: Points::Names(names.clone()),
            y: shown.iter().map(|row| of(row).map_or(f64::NAN, percent)).collect(),
        };
        let mut series = vec![bars("between iterations of a run", |row| row.within)];
        if self.runs.len() > 1 {
            series.push(bars("between runs", |row| row.between));
        }
        let labels: Vec<String> = self.runs.iter().map(|run| run.label.clone()).collect();
        Figure {
            title: "Noise of the Step and of the Longest Operators".to_owned(),
            subtitle: trace_view::format::list(&labels),
            y: Axis { title: "Standard Deviation".to_owned(), unit: Unit::Percent, ..Axis::default() },
            series,
            ..Figure::default()
        }
    }
}

fn percent(share: f64) -> f64 {
    100.0 * share
}

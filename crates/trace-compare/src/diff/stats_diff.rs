//! The comparison of two sides by name with all their iterations or runs: what is certain of it.

use super::compared_stats::ComparedStats;
use super::distinct_runs::DistinctRuns;
use super::found_steps::resolved_marker;
use super::iteration_times::{IterationTimes, TimesQuery, side_iterations};
use super::labeled_trace::LabeledTrace;
use super::select::{Select, SelectEvents};
use super::stats_rows::StatsSide;
use crate::certainty::Judging;
use crate::dataset::Recording;
use crate::exec::checkpoint::guarded;
use crate::phases::choose_phase;
use crate::{Result, Warning};
use statistics::{Options, Scope, TestKind};
use std::collections::BTreeSet;

/// Compares the time of each operator in an iteration, with intervals and verdicts.
///
/// A side is one run, or several recordings of the same program, each a fresh process. Samples are iterations, whose ranks are averaged
/// since collectives couple them; with several runs on both sides samples are runs. With one iteration a side and the same ranks, samples
/// are the ranks, in pairs. All ranks and iterations count unless others are selected ([`SelectEvents`]).
///
/// # Example
/// ```
/// use trace::prelude::*;
/// use trace::StatsDiff;
///
/// # fn main() -> trace::Result<()> {
/// let control = TraceSet::load("../../notebooks/data/recorded_cpu/control")?.with_label("control");
/// let test = TraceSet::load("../../notebooks/data/recorded_cpu/test")?.with_label("test");
/// let compared = StatsDiff::new(&control, &test).warmup(0).run()?;
/// assert_eq!(compared.answer.samples, [5, 5]);
/// assert_eq!(compared.frame.column("name")?.str()?.get(0), Some("ProfilerStep"));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct StatsDiff {
    sides: [Vec<LabeledTrace>; 2],
    labels: Option<[String; 2]>,
    selection: Select,
    use_short_name: bool,
    judging: Judging,
    seed: u64,
}

impl SelectEvents for StatsDiff {
    fn selection_mut(&mut self) -> &mut Select {
        &mut self.selection
    }
}

impl StatsDiff {
    /// Compares one run with another.
    pub fn new(control: impl Into<LabeledTrace>, test: impl Into<LabeledTrace>) -> Self {
        Self::of_runs(vec![control.into()], vec![test.into()])
    }

    /// Compares several runs of one program with several runs of another.
    pub fn of_runs(control: Vec<LabeledTrace>, test: Vec<LabeledTrace>) -> Self {
        Self {
            sides: [control, test],
            labels: None,
            selection: Select::default(),
            use_short_name: false,
            judging: Judging::default(),
            seed: 0,
        }
    }

    /// Names the sides: by default a side of one run has its label, and one of several is called control or test.
    #[must_use]
    pub fn labels(mut self, control: impl Into<String>, test: impl Into<String>) -> Self {
        self.labels = Some([control.into(), test.into()]);
        self
    }

    /// Sets whether names are shortened ([`shorten_name`](crate::shorten_name)) and equal short names merged.
    #[must_use]
    pub fn use_short_name(mut self, yes: bool) -> Self {
        self.use_short_name = yes;
        self
    }

    /// Selects the test that p and q come from; Mann–Whitney by default.
    #[must_use]
    pub fn method(mut self, method: TestKind) -> Self {
        self.judging.method = method;
        self
    }

    /// Sets the smallest change that matters, as a share of what changed, from 0 to 1; 0.01 by default.
    #[must_use]
    pub fn relevant(mut self, share: f64) -> Self {
        self.judging.relevant = share;
        self
    }

    /// Sets the seed of resampling; 0 by default.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Returns warnings: runs that were recorded or loaded differently from the first of control.
    pub fn warnings(&self) -> Vec<Warning> {
        let Some(first) = self.sides[0].first() else { return Vec::new() };
        let recording = Recording::of(first.trace());
        let others = self.sides.iter().flatten().skip(1);
        let unlike = |run: &LabeledTrace| recording.unlike(first.label(), &Recording::of(run.trace()), run.label());
        let mut warnings: Vec<Warning> = Vec::new();
        for warning in others.flat_map(unlike) {
            if !warnings.iter().any(|known| known.says(&warning)) {
                warnings.push(warning);
            }
        }
        warnings
    }

    /// Compares the sides. Each selected rank is read once; besides the ranks that run at once, only sums by name and iteration are held.
    ///
    /// # Errors
    /// If a rank or iteration does not exist, no iteration is left, the filter does not fit the events, the ranks do not fit the
    /// memory budget, or all runs of test are recordings of control ([`ExplainReason::OneRecording`](crate::error::ExplainReason::OneRecording)).
    pub fn run(&self) -> Result<ComparedStats> {
        guarded(|| {
            let [control, test] = &self.sides;
            let distinct = DistinctRuns::of([control, test], self.selection.is_same_on_both())?.required()?;
            let runs = distinct.sides.each_ref().map(Vec::as_slice);
            let (marker, found) = resolved_marker(&self.selection, runs)?;
            let (select, short, marker) = (&self.selection, self.use_short_name, marker.names());
            let times = |side: usize, phase: Option<&[BTreeSet<i64>]>| {
                TimesQuery { select, side, short, marker, phase: None }.times_of_runs(runs[side], phase)
            };
            let [control, test] = [times(0, None), times(1, None)];
            let mut sides = [control?, test?];
            let [one, other] = sides.each_ref().map(|runs| side_iterations(runs));
            let phases = choose_phase([&one, &other], self.selection.wanted_phase())?;
            if let Some(choice) = &phases {
                let [control, test] = &choice.iterations;
                sides = [times(0, Some(control))?, times(1, Some(test))?];
            }
            let scope = if sides.iter().all(|runs| runs.len() > 1) { Scope::Program } else { Scope::Recording };
            let paired = are_paired(&sides);
            let options = Options { seed: self.seed, ..self.judging.options(scope, paired) };
            let labels = self.side_labels();
            let [control, test] = sides;
            let [first, second] = labels;
            let sides = [StatsSide { label: first, runs: control }, StatsSide { label: second, runs: test }];
            let mut compared = ComparedStats::of(&sides, self.use_short_name, &options, &self.warnings())?;
            compared.name_phases(phases);
            compared.warnings.splice(0..0, distinct.warnings.into_iter().chain(found));
            Ok(compared)
        })
    }

    /// Returns distinct names of the sides.
    fn side_labels(&self) -> [String; 2] {
        let [control, test] = self.labels.clone().unwrap_or_else(|| {
            let label = |side: usize, word: &str| match &self.sides[side][..] {
                [one] => one.label().to_owned(),
                _ => word.to_owned(),
            };
            [label(0, "control"), label(1, "test")]
        });
        if control == test { [format!("{control}_control"), format!("{test}_test")] } else { [control, test] }
    }
}

/// Whether samples are ranks in pairs: one iteration of one run a side, and the same ranks on both, more than one.
fn are_paired([control, test]: &[Vec<IterationTimes>; 2]) -> bool {
    let ([control], [test]) = (&control[..], &test[..]) else { return false };
    !control.step_of_ranks.is_empty() && !test.step_of_ranks.is_empty() && control.ranks == test.ranks
}

//! Builder of explanations.

use super::explanation::Explanation;
use super::plan::ExplainPlan;
use super::sides::PlannedSide;
use super::stacks::{has_graphs, has_stacks};
use super::state::ExplainState;
use crate::certainty::Judging;
use crate::companion::Companions;
use crate::dataset::Recording;
use crate::diff::{DistinctRuns, Select, SelectEvents, SelectSetting, SideRanks, compared_elsewhere, resolved_marker};
use crate::exec::allocator::return_free_memory;
use crate::exec::batches::Batches;
use crate::exec::checkpoint::{self, guarded};
use crate::exec::memory::{Budget, Task};
use crate::filter::Filter;
use crate::{CompareRuns, DiffSide, LabeledTrace, Result, Trace, TraceSet, Warning};
use statistics::TestKind;

/// Explains where the difference of two steps comes from.
///
/// A side is one run, or several recordings of the same program. All ranks and iterations count unless others are selected
/// ([`SelectEvents`]); every iteration of every rank is one sample, and times are means over samples: each run counts the same, in it
/// each iteration, and in that each rank. A filter chooses the regions of which a GPU event passes: only these are shown and counted as
/// regions. All events take part in the alignment, and step, classes and idle time stay whole:
/// [`Explanation::chosen_us`] says how much of the change the chosen regions hold.
///
/// # Example
/// ```
/// use trace::prelude::*;
///
/// # fn main() -> trace::Result<()> {
/// let control = TraceSet::load("../../notebooks/data/control")?.with_label("control");
/// let test = TraceSet::load("../../notebooks/data/test")?.with_label("test");
/// let explanation = Explain::new(&control, &test).warmup(1).run()?;
/// let parts: f64 = explanation.classes.iter().map(|class| class.delta_us).sum();
/// assert!((parts - explanation.step.delta_us).abs() < 1e-6);
/// assert_eq!(explanation.regions()?.column("grade")?.len(), explanation.region_count());
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Explain {
    control: Vec<LabeledTrace>,
    test: Vec<LabeledTrace>,
    groups: [Option<String>; 2],
    selection: Select,
    companions: Vec<LabeledTrace>,
    slowest: bool,
    keeps_events: bool,
    needs_two_recordings: bool,
    /// Runs that are left out as copies of others, and iterations that were found.
    copies: Vec<Warning>,
    judging: Judging,
}

impl SelectEvents for Explain {
    fn selection_mut(&mut self) -> &mut Select {
        &mut self.selection
    }
}

impl Explain {
    /// Compares one run with another.
    pub fn new(control: impl Into<LabeledTrace>, test: impl Into<LabeledTrace>) -> Self {
        Self::of_runs(vec![control.into()], vec![test.into()])
    }

    /// Compares several runs of one program with several runs of another.
    pub fn of_runs(control: Vec<LabeledTrace>, test: Vec<LabeledTrace>) -> Self {
        Self {
            control,
            test,
            groups: [None, None],
            selection: Select::default(),
            companions: Vec::new(),
            slowest: false,
            keeps_events: false,
            needs_two_recordings: false,
            copies: Vec::new(),
            judging: Judging::default(),
        }
    }

    /// Names the groups of runs of both sides. Without a name, several runs are called by their first and last one.
    #[must_use]
    pub fn groups(mut self, control: Option<String>, test: Option<String>) -> Self {
        self.groups = [control, test];
        self
    }

    /// Lends the operators of a run that was recorded without graphs, or of their capture, to the kernels that graphs launch, beside
    /// those of other companions: by their order and names within each
    /// graph. A kernel without a partner stays as it is; [`SideSummary::lending`](crate::SideSummary::lending) says how many got
    /// operators.
    #[must_use]
    pub fn companion(mut self, companion: impl Into<LabeledTrace>) -> Self {
        self.companions.push(companion.into());
        self
    }

    /// Of the selected ranks, takes only the slowest of each iteration of each run.
    #[must_use]
    pub fn slowest_rank(mut self) -> Self {
        self.slowest = true;
        self
    }

    /// Keeps the place of every GPU event, for [`Explanation::events`] and [`Explanation::write_events`]. The explanation then
    /// holds its traces.
    #[must_use]
    pub fn keep_events(mut self) -> Self {
        self.keeps_events = true;
        self
    }

    /// The test that p comes from; Mann–Whitney by default.
    #[must_use]
    pub fn method(mut self, method: TestKind) -> Self {
        self.judging.method = method;
        self
    }

    /// The smallest change that matters, as a share of what changed, from 0 to 1; 0.01 by default. A change counts if its whole
    /// interval lies beyond it, and there is no relevant change if its whole interval lies inside.
    #[must_use]
    pub fn relevant(mut self, share: f64) -> Self {
        self.judging.relevant = share;
        self
    }

    /// Makes it an error that all runs of test are recordings of control ([`ExplainReason::OneRecording`](crate::error::ExplainReason::OneRecording)): without,
    /// the explanation of one recording is all zero, and says so.
    #[must_use]
    pub fn require_two_recordings(mut self) -> Self {
        self.needs_two_recordings = true;
        self
    }

    /// Computes the explanation. Runs that are the same recording count once, with a warning.
    ///
    /// # Errors
    /// If a rank or iteration does not exist, no event matches the marker, the filter does not fit the events, or memory does not
    /// suffice.
    pub fn run(&self) -> Result<Explanation> {
        guarded(|| self.distinct()?.run_distinct())
    }

    fn run_distinct(&self) -> Result<Explanation> {
        let plan = self.planned(self.keeps_events)?;
        let ranks = |runs: &[LabeledTrace], side: DiffSide| -> Vec<(DiffSide, usize, Trace)> {
            let of_run = |(run, of): (usize, &LabeledTrace)| -> Vec<(DiffSide, usize, Trace)> {
                of.trace().traces().iter().map(|trace| (side, run, trace.clone())).collect()
            };
            runs.iter().enumerate().flat_map(of_run).collect()
        };
        let mut all = ranks(&self.control, DiffSide::Control);
        all.extend(ranks(&self.test, DiffSide::Test));
        let (elsewhere, all): (SideRanks, SideRanks) =
            all.into_iter().partition(|(_, _, trace)| trace.elsewhere().is_some());
        let need = |(_, _, trace): &(DiffSide, usize, Trace)| trace.bytes_needed(BYTES_PER_EVENT);
        let map = |(side, run, trace): &(DiffSide, usize, Trace)| CompareRuns::map(&plan, *side, *run, trace);
        let merge = |mut one: ExplainState, other: ExplainState| {
            one.merge(other);
            Ok(one)
        };
        let task = Task::Answer("explain");
        let budgets = self.control.iter().chain(&self.test).map(|run| run.trace().budget());
        let budget = budgets.collect::<Result<Vec<_>>>()?.into_iter().reduce(Budget::smaller);
        let budget = budget.map_or_else(Budget::now, Ok)?;
        let mut state = Batches::within(budget, task).merged(&all, need, map, merge)?.unwrap_or_default();
        if !elsewhere.is_empty() {
            for other in compared_elsewhere(&plan, [&self.control, &self.test], &elsewhere)? {
                state.merge(other);
            }
        }
        // The events of ranks are gone, and the memory of the threads that read them is none that this one can use.
        return_free_memory();
        budget.check(task, state.largest().saturating_mul(FOLDED))?;
        let mut explanation = plan.explained(state)?;
        if self.keeps_events {
            explanation.hold_traces([&self.control, &self.test]);
        }
        Ok(explanation)
    }

    /// Returns the plan of the explanation, which maps each rank on its own. It keeps no events.
    ///
    /// # Errors
    /// If a rank or iteration does not exist, the filter does not fit the events, or events cannot be read.
    pub fn plan(&self) -> Result<ExplainPlan> {
        guarded(|| self.distinct()?.planned(false))
    }

    /// Returns the query with each recording once.
    fn distinct(&self) -> Result<Self> {
        let mut distinct = DistinctRuns::of([&self.control, &self.test], self.selection.is_same_on_both())?;
        if self.needs_two_recordings {
            distinct = distinct.required()?;
        }
        let DistinctRuns { sides: [control, test], warnings: copies, only } = distinct;
        let mut query = Self { control, test, copies, ..self.clone() };
        if let (Some([first, second]), Some(run)) = (only, self.control.first()) {
            query.copies.insert(0, Recording::of(run.trace()).same(&first, &second));
        }
        let (marker, found) = resolved_marker(&self.selection, [&query.control, &query.test])?;
        query.selection = query.selection.marker(marker);
        query.copies.extend(found);
        Ok(query)
    }

    fn planned(&self, keeps_events: bool) -> Result<ExplainPlan> {
        self.selection.without("explain", &[SelectSetting::DeviceType])?;
        let control = PlannedSide::of(0, &self.control, &self.selection)?;
        let test = PlannedSide::of(1, &self.test, &self.selection)?;
        let marker = self.selection.iteration_marker().names();
        let [control_group, test_group] = self.groups.clone();
        let (control, test) = (control.in_group(control_group), test.in_group(test_group));
        let labelled: Vec<TraceSet> = self.companions.iter().map(|run| run.trace().with_label(run.label())).collect();
        let companion = Companions::of(&labelled, marker)?;
        let lends_stacks = companion.as_ref().is_some_and(Companions::has_stacks);
        let has_stacks = |runs, planned| has_some_stacks(runs, planned, lends_stacks);
        let without_stacks = has_stacks(&self.control, &control)? != has_stacks(&self.test, &test)?;
        Ok(ExplainPlan {
            control,
            test,
            warmup: self.selection.warmup_iterations(),
            marker: marker.map(|marker| marker.as_str().to_owned()),
            phase: self.selection.phase_name().map(str::to_owned),
            slowest: self.slowest,
            companion,
            without_stacks,
            keeps_events,
            condition: self.selection.events_filter().map(Filter::to_string),
            warnings: self.warnings(),
            method: self.judging.method.word().to_owned(),
            relevant: self.judging.relevant,
        })
    }

    /// Returns the warnings about the recordings, see [`TraceDiff::warnings`](crate::TraceDiff::warnings): of several runs a side each
    /// difference once, with the first two runs that show it.
    pub fn warnings(&self) -> Vec<Warning> {
        let mut warnings = self.copies.clone();
        for test in &self.test {
            for control in &self.control {
                for warning in crate::TraceDiff::new(control.clone(), test.clone()).warnings() {
                    let is_marked = self.selection.iteration_marker().names().is_some()
                        && matches!(warning, Warning::NoProfilerStep { .. });
                    if !is_marked && !warnings.iter().any(|known: &Warning| known.says(&warning)) {
                        warnings.push(warning);
                    }
                }
            }
        }
        warnings
    }
}

/// Tells whether a rank that is compared has frames of Python or of modules, or gets some for its graphs.
fn has_some_stacks(runs: &[LabeledTrace], planned: &PlannedSide, lends_stacks: bool) -> Result<bool> {
    for (run, planned) in runs.iter().zip(&planned.runs) {
        for trace in run.trace().traces().iter().filter(|trace| planned.selected(trace.rank()) == Some(true)) {
            checkpoint::check()?;
            if has_stacks(trace)? || lends_stacks && has_graphs(trace)? {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Working memory for each event of a rank while it is reduced, in bytes: the event, its place in the order of its thread, the frames
/// around it.
const BYTES_PER_EVENT: usize = 300;
/// Memory of the folded trees of both sides, in bytes for each byte of the largest partial result.
const FOLDED: usize = 30;

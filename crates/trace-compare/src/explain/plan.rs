//! The plan of an explanation: what is computed of each rank, without the traces.

use super::choice::Chosen;
use super::comparability::unlike;
use super::explanation::{Explanation, Origin};
use super::gpu_rows::device_work;
use super::phase_choice::{iterations_of, leave_others_out};
use super::phase_match::PhaseMatch;
use super::phases::{match_shapes, phases_of};
use super::sides::{PlannedRun, PlannedSide, Recorded};
use super::state::{ExplainState, NAME, RankState, wrong};
use crate::certainty::{EventMix, Judging};
use crate::collective::Collectives;
use crate::companion::{Companions, Iterations, recording};
use crate::diff::{finished, mapped, merged};
use crate::exec::checkpoint;
use crate::phases::{Wanted, choose_phase};
use crate::{CompareRuns, DiffSide, Error, Result, Trace, Warning};
use call_tree::{Labels, Portable, Reducer};
use polars::prelude::DataFrame;
use regex::Regex;
use serde::{Deserialize, Serialize};
use statistics::TestKind;

/// The plan of an explanation: [`map`](Self::map) turns each rank into a partial result without its events, [`merge`](Self::merge)
/// merges them in any order and grouping, and [`finish`](Self::finish) makes the explanation. It is serializable, so that each rank
/// can be mapped where it is. A filter must be a text to be serialized, not a polars expression.
///
/// # Example
/// ```
/// use trace::prelude::*;
/// use trace::{DiffSide, ExplainPlan};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let control = TraceSet::load("../../notebooks/data/control")?;
/// let test = TraceSet::load("../../notebooks/data/test")?;
/// let explain = Explain::new(&control, &test);
/// let sent = serde_json::to_string(&explain.plan()?)?;
///
/// // On any machine that has the rank:
/// let plan: ExplainPlan = serde_json::from_str(&sent)?;
/// let mut states = Vec::new();
/// for (side, trace) in [(DiffSide::Control, &control), (DiffSide::Test, &test)] {
///     for (run, rank) in plan.ranks(side) {
///         states.push(plan.map(side, run, &trace.rank(rank)?)?);
///     }
/// }
///
/// let explanation = plan.finish(&plan.merge(&states)?)?;
/// assert_eq!(explanation.step, explain.run()?.step);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ExplainPlan {
    pub(super) control: PlannedSide,
    pub(super) test: PlannedSide,
    /// `None` leaves it to the step times.
    pub(super) warmup: Option<usize>,
    pub(super) marker: Option<String>,
    /// The phase to compare, by its letter or name; `None` for that with the most iterations.
    pub(super) phase: Option<String>,
    pub(super) slowest: bool,
    /// Lends operators to the kernels of graphs.
    pub(super) companion: Option<Companions>,
    /// Frames of modules and Python are left out, since only one side has some.
    pub(super) without_stacks: bool,
    pub(super) keeps_events: bool,
    /// The condition that chooses regions: `where dur > 100us`.
    pub(super) condition: Option<String>,
    pub(super) warnings: Vec<Warning>,
    /// Word of the test that p comes from.
    pub(super) method: String,
    /// The smallest change that matters, as a share.
    pub(super) relevant: f64,
}

impl ExplainPlan {
    /// Returns the ranks of a side to map, each with the place of its run: also those that are not selected, whose GPU work is
    /// counted as left out.
    pub fn ranks(&self, side: DiffSide) -> Vec<(usize, i64)> {
        let runs = self.side(side).runs.iter().enumerate();
        runs.flat_map(|(number, run)| run.ranks.iter().map(move |&(rank, _)| (number, rank))).collect()
    }

    /// Computes the partial result of one rank of the run at place `run` of a side, as bytes.
    ///
    /// # Errors
    /// If its events cannot be read, it has no iterations, or the filter does not fit them.
    pub fn map(&self, side: DiffSide, run: usize, rank: &Trace) -> Result<Vec<u8>> {
        mapped(self, side, run, rank)
    }

    /// Merges partial results of this plan. None at all give that of no rank.
    ///
    /// # Errors
    /// [`Error::WrongState`](crate::Error::WrongState) if one is damaged, or of another version or plan.
    pub fn merge(&self, states: &[impl AsRef<[u8]>]) -> Result<Vec<u8>> {
        merged(self, states)
    }

    /// Makes the explanation from the merged partial result of all ranks: the same as [`Explain::run`](crate::Explain::run).
    ///
    /// # Errors
    /// As [`ExplainPlan::merge`]; if a rank is missing, or no iteration is left.
    pub fn finish(&self, state: &[u8]) -> Result<Explanation> {
        finished(self, state)
    }

    fn side(&self, side: DiffSide) -> &PlannedSide {
        match side {
            DiffSide::Control => &self.control,
            DiffSide::Test => &self.test,
        }
    }

    /// Reduces one rank.
    pub(super) fn reduce(&self, side: DiffSide, number: usize, trace: &Trace) -> Result<RankState> {
        let side = self.side(side);
        let planned = side.runs.get(number).and_then(|run| Some((run, run.selected(trace.rank())?)));
        let Some((run, is_selected)) = planned else {
            return Err(wrong(format!("run {number} of the plan has no rank {}", trace.rank())));
        };
        if !is_selected {
            let (ns, events) = device_work(trace, run.compat)?;
            return Ok(RankState::Other { ns, events });
        }
        // Only a plan that was changed outside has one that cannot be compiled.
        let marker = self.marker.as_deref().map(Regex::new).transpose();
        let marker = marker.map_err(|_| wrong("its marker is no regular expression".to_owned()))?;
        let iterations = Iterations { numbers: side.iterations.clone(), warmup: self.warmup.unwrap_or(0), marker };
        let passes = run.filter.as_ref().map(|filter| filter.mask(trace)).transpose()?;
        let (mut labels, mut collectives) = (Labels::default(), Collectives::default());
        let mut recording = recording(trace, run.compat, &iterations, &mut labels, &mut collectives)?;
        let companion = self.companion.as_ref();
        let borrowed = companion.map(|companion| companion.lend(trace, &mut recording, &mut labels));
        checkpoint::check()?;
        if recording.windows.is_empty() && recording.others.is_empty() {
            self.check_steps(run)?;
        }
        let keep_communication = run.number_selected() > 1;
        let reducer =
            Reducer { without_stacks: self.without_stacks, keep_events: self.keeps_events, keep_communication };
        let is_chosen = |row: u32| passes.as_ref().is_some_and(|passes| passes.get(row as usize) == Some(true));
        let partial = reducer.partial(&recording, &labels, is_chosen);
        if !keep_communication {
            collectives = Collectives::default();
        }
        let phases = iterations.marker.as_ref().map(|marker| phases_of(&recording, &labels, marker));
        let (partial, phases) = (Box::new(Portable::of(partial, &labels)), phases.unwrap_or_default());
        let mix = EventMix::of(trace)?;
        Ok(RankState::Compared { partial, phases, collectives, borrowed: borrowed.unwrap_or_default(), mix })
    }

    /// Refuses a rank without iterations, unless no rank of its run has some: then a recording counts as one.
    fn check_steps(&self, run: &PlannedRun) -> Result<()> {
        let label = run.label.clone();
        match &self.marker {
            Some(marker) => Err(Error::NoMarker { label, marker: marker.clone() }),
            None if run.available.is_empty() => Ok(()),
            None => Err(Error::NoIterationLeft {
                label,
                warmup: self.warmup.unwrap_or(0),
                available: run.available.clone(),
            }),
        }
    }

    /// Makes the explanation.
    pub(super) fn explained(&self, state: ExplainState) -> Result<Explanation> {
        let ExplainState { control, test } = state;
        let mut labels = Labels::default();
        let mut side =
            |side: &PlannedSide, state| side.recorded(state, self.warmup, self.companion.as_ref(), &mut labels);
        let (mut control, mut test): (Recorded, Recorded) = (side(&self.control, control)?, side(&self.test, test)?);
        let is_chosen = self.control.has_chosen_iterations() || self.test.has_chosen_iterations();
        let wanted = match &self.phase {
            Some(phase) => Wanted::Phase(phase),
            None if is_chosen => Wanted::Iterations,
            None => Wanted::Usual,
        };
        let [one, other] = [&control, &test].map(|side| iterations_of(side, &labels));
        let chosen = choose_phase([&one, &other], wanted)?;
        for (number, (side, recorded)) in
            [(&self.control, &mut control), (&self.test, &mut test)].into_iter().enumerate()
        {
            if let Some(chosen) = &chosen {
                leave_others_out(chosen, number, recorded);
            }
            side.leave_out(recorded, self.warmup, self.slowest);
        }
        let matched = match_shapes([&mut control, &mut test])?;
        let phases = PhaseMatch::of(chosen, matched);
        if phases.is_some() {
            self.control.count(&mut control);
            self.test.count(&mut test);
        }
        checkpoint::check()?;
        let mut found = call_tree::explain_partials(control.partials, test.partials, &labels);
        found.without_stacks = self.without_stacks;
        checkpoint::check()?;
        for (coverage, others) in found.coverage.iter_mut().zip([control.others, test.others]) {
            for (reason, ns, events) in others.reasons() {
                coverage.leave_out(reason, ns, events);
            }
        }
        let regions = std::mem::take(&mut found.chosen);
        let names = [control.summary.name(), test.summary.name()];
        let mut warnings = self.warnings.clone();
        warnings.extend(unlike(&found, &labels, [&control.mix, &test.mix], [&names[0], &names[1]]));
        let origin = Origin {
            sides: [control.summary, test.summary],
            ranks: [control.ranks, test.ranks],
            warnings,
            chosen: self.condition.clone().map(|text| Chosen { text, regions }),
            is_marked: self.marker.is_some(),
            phases,
            keeps_events: self.keeps_events,
            judging: Judging { method: TestKind::of(&self.method).unwrap_or_default(), relevant: self.relevant },
        };
        Ok(Explanation::of(found, labels, origin))
    }
}

/// Where the difference of two steps comes from: call trees and divided steps of all ranks of all runs.
impl CompareRuns for ExplainPlan {
    const NAME: &'static str = NAME;
    const SUMMARY: &'static str = "Where the difference of two steps comes from: a step's time divided exactly.";
    type State = ExplainState;
    type Answer = Explanation;

    fn map(&self, side: DiffSide, run: usize, rank: &Trace) -> Result<ExplainState> {
        let mut state = ExplainState::default();
        let ranks = if side == DiffSide::Control { &mut state.control } else { &mut state.test };
        ranks.insert((run, rank.rank()), self.reduce(side, run, rank)?);
        Ok(state)
    }

    fn merge(&self, one: &mut ExplainState, other: ExplainState) {
        one.merge(other);
    }

    fn finish(&self, state: ExplainState) -> Result<Explanation> {
        self.explained(state)
    }

    fn frame(answer: Explanation) -> Result<DataFrame> {
        answer.regions()
    }

    fn key(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

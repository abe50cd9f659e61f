//! The sides of an explanation: which ranks of their runs are compared, and what their partial results make together.

use super::collectives::Met;
use super::side_summary::SideSummary;
use super::state::{Phases, RankState, wrong};
use super::warm_up::leave_warm_up;
use crate::certainty::EventMix;
use crate::collective::Collectives;
use crate::companion::{Companions, Lending, LoanCount};
use crate::diff::{ByDefault, Select};
use crate::filter::TraceFilter;
use crate::{Compat, Error, LabeledTrace, Result, Trace};
use call_tree::{Coverage, Labels, Partial, Reason};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A side, without its traces.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct PlannedSide {
    pub(super) runs: Vec<PlannedRun>,
    /// Name of the group of its runs.
    group: Option<String>,
    /// Numbers of the iterations to take; `None` for all.
    pub(super) iterations: Option<Vec<i64>>,
    /// Whether all were selected: then none is left out as warm-up by default.
    every_iteration: bool,
}

/// A run of a side.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct PlannedRun {
    pub(super) label: String,
    pub(super) compat: Compat,
    /// Its ranks, and whether each is compared.
    pub(super) ranks: Vec<(i64, bool)>,
    /// Iterations that the profiler counted.
    pub(super) available: Vec<i64>,
    /// Chooses regions.
    pub(super) filter: Option<TraceFilter>,
}

/// One side, ready to be compared.
pub(super) struct Recorded {
    pub(super) partials: Vec<Partial>,
    /// Names of their iterations, if a marker chose them.
    pub(super) phases: Vec<Phases>,
    pub(super) ranks: Vec<RecordedRank>,
    pub(super) summary: SideSummary,
    /// GPU work of ranks that are not compared, as left out.
    pub(super) others: Coverage,
    /// Events of the ranks that are compared, by category.
    pub(super) mix: EventMix,
}

/// A rank of a run.
#[derive(Debug, Clone)]
pub(super) struct RecordedRank {
    /// Place of the run in its side.
    pub(super) run: usize,
    pub(super) rank: i64,
    /// Its events, if they are needed.
    pub(super) trace: Option<Trace>,
    /// Place of its recording in its side; `None` if the rank is not selected.
    pub(super) recording: Option<usize>,
}

impl RecordedRank {
    /// Gives up the events.
    pub(super) fn forget(&mut self) {
        self.trace = None;
    }
}

impl PlannedSide {
    /// Plans a side. Iterations of a marker are not known yet.
    pub(super) fn of(side: usize, runs: &[LabeledTrace], select: &Select) -> Result<Self> {
        let iterations = select.iteration_pick(side);
        let planned = |run: &LabeledTrace| -> Result<PlannedRun> {
            if select.iteration_marker().names().is_none() && iterations.is_some() {
                // Names those there are.
                run.window(iterations)?;
            }
            let traces = run.trace().traces();
            let picked = select.ranks_of(side, run, ByDefault::All)?;
            let is_picked = |trace: &Trace| picked.iter().any(|one| one.rank() == trace.rank());
            let filter = select.events_filter().map(|filter| filter.of(traces)).transpose()?;
            filter.as_ref().map_or(Ok(()), TraceFilter::check)?;
            Ok(PlannedRun {
                label: run.label().to_owned(),
                compat: run.trace().compat(),
                ranks: traces.iter().map(|trace| (trace.rank(), is_picked(trace))).collect(),
                available: run.iterations(),
                filter,
            })
        };
        let runs = runs.iter().map(planned).collect::<Result<_>>()?;
        let iterations = iterations.map(|pick| pick.numbers().to_vec());
        Ok(Self { runs, group: None, iterations, every_iteration: select.has_every_iteration(side) })
    }

    /// Names the group of its runs.
    pub(super) fn in_group(self, group: Option<String>) -> Self {
        Self { group, ..self }
    }

    /// Brings the partial results of its ranks together, in the order of runs and ranks.
    pub(super) fn recorded(
        &self,
        mut states: BTreeMap<(usize, i64), RankState>,
        warmup: Option<usize>,
        companion: Option<&Companions>,
        labels: &mut Labels,
    ) -> Result<Recorded> {
        let (mut partials, mut ranks, mut others) = (Vec::new(), Vec::new(), Coverage::default());
        let (mut phases, mut mix): (Vec<Phases>, EventMix) = (Vec::new(), EventMix::default());
        let (mut met, mut borrowed) = (Met::default(), LoanCount::default());
        for (number, run) in self.runs.iter().enumerate() {
            let (first, mut collectives) = (partials.len(), Collectives::default());
            for &(rank, is_selected) in &run.ranks {
                let recording = is_selected.then_some(partials.len());
                ranks.push(RecordedRank { run: number, rank, trace: None, recording });
                match states.remove(&(number, rank)) {
                    Some(RankState::Compared {
                        partial,
                        phases: of_marker,
                        collectives: of_rank,
                        borrowed: of_one,
                        mix: of_events,
                    }) if is_selected => {
                        mix.merge(&of_events);
                        borrowed.add(of_one);
                        let mut partial = partial.join(labels);
                        if partial.rank() != rank {
                            return Err(wrong(format!("rank {rank} of {} is another one", run.label)));
                        }
                        partial.belong_to(number as u32);
                        partials.push(partial);
                        phases.push(of_marker);
                        collectives.merge(of_rank);
                    }
                    Some(RankState::Other { ns, events }) if !is_selected => {
                        others.leave_out(Reason::AnotherRank, ns, events);
                    }
                    _ => return Err(wrong(format!("rank {rank} of {} is missing", run.label))),
                }
            }
            self.check_selected(run, &partials[first..], warmup.unwrap_or(0))?;
            met.add(&collectives, &mut partials[first..]);
        }
        let lending = companion.map(|companion| Lending::of(companion.labels(), borrowed));
        let summary = SideSummary { lending, ..self.summary(&partials, &ranks, &met) };
        Ok(Recorded { partials, phases, ranks, summary, others, mix })
    }

    fn summary(&self, partials: &[Partial], ranks: &[RecordedRank], met: &Met) -> SideSummary {
        let (compared, iterations, samples) = counted(partials, ranks);
        SideSummary {
            label: self.runs.iter().map(|run| run.label.as_str()).collect::<Vec<_>>().join(","),
            runs: self.runs.len(),
            group: self.group.clone(),
            ranks: compared,
            iterations,
            samples,
            warm_up: Vec::new(),
            collectives: met.matched,
            collectives_apart: met.apart,
            lending: None,
        }
    }

    /// Leaves the iterations of each run out that are warm-up, unless the query says which count, and with `slowest` all ranks but the slowest
    /// of each iteration.
    pub(super) fn leave_out(&self, recorded: &mut Recorded, warmup: Option<usize>, slowest: bool) {
        let is_left_to_us = warmup.is_none() && !self.has_chosen_iterations();
        for run in 0..self.runs.len() {
            let of_run = recorded.ranks.iter().filter(|rank| rank.run == run).filter_map(|rank| rank.recording);
            let (first, last) = of_run.fold((usize::MAX, 0), |(first, last), at| (first.min(at), last.max(at + 1)));
            let partials = recorded.partials.get_mut(first..last).unwrap_or_default();
            recorded.summary.warm_up.push(if is_left_to_us { leave_warm_up(partials) } else { 0 });
            if slowest {
                keep_slowest(partials);
            }
        }
        self.count(recorded);
    }

    /// Whether the query says which iterations count.
    pub(super) fn has_chosen_iterations(&self) -> bool {
        self.iterations.is_some() || self.every_iteration
    }

    /// Counts the samples again after iterations were left out.
    pub(super) fn count(&self, recorded: &mut Recorded) {
        let (ranks, iterations, samples) = counted(&recorded.partials, &recorded.ranks);
        recorded.summary = SideSummary { ranks, iterations, samples, ..recorded.summary.clone() };
    }

    /// Refuses iterations that no rank has, and a selection without any.
    fn check_selected(&self, run: &PlannedRun, partials: &[Partial], warmup: usize) -> Result<()> {
        let mut available: Vec<i64> = partials.iter().flat_map(Partial::all_iterations).collect();
        available.sort_unstable();
        available.dedup();
        let label = run.label.clone();
        if available.is_empty() {
            return Ok(());
        }
        let wanted = self.iterations.as_deref().unwrap_or_default();
        if let Some(&iteration) = wanted.iter().find(|number| !available.contains(number)) {
            return Err(Error::UnknownIteration { label, iteration, available });
        }
        if partials.iter().all(|partial| partial.iterations().next().is_none()) {
            return Err(Error::NoIterationLeft { label, warmup, available });
        }
        Ok(())
    }
}

impl PlannedRun {
    /// Tells whether a rank is compared; `None` for one that the run does not have.
    pub(super) fn selected(&self, rank: i64) -> Option<bool> {
        self.ranks.iter().find(|(number, _)| *number == rank).map(|&(_, is_selected)| is_selected)
    }

    /// Number of ranks that are compared.
    pub(super) fn number_selected(&self) -> usize {
        self.ranks.iter().filter(|(_, is_selected)| *is_selected).count()
    }
}

impl Recorded {
    /// The partial results of the ranks of a run.
    pub(super) fn partials_of(&mut self, run: usize) -> impl Iterator<Item = &mut Partial> {
        let recordings: Vec<usize> =
            self.ranks.iter().filter(|rank| rank.run == run).filter_map(|rank| rank.recording).collect();
        self.partials
            .iter_mut()
            .enumerate()
            .filter(move |(index, _)| recordings.contains(index))
            .map(|(_, partial)| partial)
    }
}

/// Ranks, iterations and number of samples that count.
fn counted(partials: &[Partial], ranks: &[RecordedRank]) -> (Vec<i64>, Vec<i64>, usize) {
    let samples = |partial: &Partial| partial.iterations().count();
    let counts = |rank: &&RecordedRank| rank.recording.is_some_and(|at| samples(&partials[at]) > 0);
    let mut all: Vec<i64> = ranks.iter().filter(counts).map(|rank| rank.rank).collect();
    let with_steps = partials.iter().filter(|partial| !partial.is_whole());
    let mut numbers: Vec<i64> = with_steps.flat_map(Partial::iterations).map(|(number, _)| number).collect();
    for list in [&mut all, &mut numbers] {
        list.sort_unstable();
        list.dedup();
    }
    (all, numbers, partials.iter().map(samples).sum())
}

/// Leaves the iterations of all ranks of a run out, but the slowest of each number; of equal ones that of the first rank. Whole
/// recordings count as one iteration.
fn keep_slowest(ranks: &mut [Partial]) {
    let mut slowest: BTreeMap<i64, (i64, usize)> = BTreeMap::new();
    for (rank, partial) in ranks.iter().enumerate() {
        for (iteration, length) in partial.iterations() {
            let known = slowest.entry(iteration).or_insert((length, rank));
            if length > known.0 {
                *known = (length, rank);
            }
        }
    }
    for (rank, partial) in ranks.iter_mut().enumerate() {
        partial.keep(Reason::AnotherRank, |iteration| slowest.get(&iteration).is_some_and(|&(_, of)| of == rank));
    }
}

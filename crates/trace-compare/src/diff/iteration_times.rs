//! Time of each operator in each iteration of a run: the samples of statistics on operators.

use super::labeled_trace::LabeledTrace;
use super::pairs::{WHOLE, iterations_of};
use super::select::{ByDefault, Select};
use super::sums::{ByName, Selected, SideSums};
use crate::certainty::{EventMix, InputShapes};
use crate::dataset::MarkedIterations;
use crate::domain::EventKind;
use crate::exec::batches::Batches;
use crate::exec::checkpoint::cancellable;
use crate::exec::memory::Task;
use crate::filter::TraceFilter;
use crate::frame::columns::{CAT, DUR, INPUT_DIMS, INPUT_TYPE, NAME, STREAM};
use crate::frame::{IntColumn, StepName, TextColumn, inputs_text, once_per_text};
use crate::phases::{IterationWork, SideIterations, Work};
use crate::{By, Error, Result, Trace, Window};
use call_tree::kernel_name;
use polars::prelude::{Categorical32Type, PlSmallStr};
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::BuildHasher;
use trace_view::format::{counted, numbered};

/// The name of the step among operators.
pub(crate) const STEP: &str = "ProfilerStep";

/// The events that are samples.
#[derive(Clone, Copy)]
pub(crate) struct TimesQuery<'a> {
    pub select: &'a Select,
    /// 0 for control, 1 for test.
    pub side: usize,
    /// Whether names are shortened.
    pub short: bool,
    /// Iterations are spans of events that match, instead of the profiler's steps.
    pub(crate) marker: Option<&'a Regex>,
    /// Iterations of the phase that is compared; all by default.
    pub(crate) phase: Option<&'a BTreeSet<i64>>,
}

/// The iterations of one run. Ranks of an iteration are averaged: collectives couple them.
#[derive(Debug, Clone)]
pub(crate) struct IterationTimes {
    pub label: String,
    pub ranks: Vec<i64>,
    /// The iterations that are samples, ascending; nothing for a recording without iterations, which is one sample.
    pub iterations: Option<Vec<i64>>,
    /// Iterations that were left out as warm-up.
    pub(crate) warm_up: Vec<i64>,
    /// Iterations that only some of the ranks have, and that are left out.
    pub(crate) partial: usize,
    /// The step in each iteration, in µs.
    pub(crate) step_us: Vec<f64>,
    /// Operators by name.
    pub operators: BTreeMap<String, OperatorTimes>,
    /// The step on each rank in µs, if there is one iteration and several ranks; else empty.
    pub(crate) step_of_ranks: Vec<f64>,
    /// Shapes of the inputs of operators, where they were recorded.
    pub inputs: InputShapes,
    /// Events by category.
    pub mix: EventMix,
    /// GPU work of its iterations, also of those of other phases and of the warm-up that is found; empty without iterations.
    pub(crate) work: Vec<IterationWork>,
    /// Names of kernels as they are shown, by their names in `work`.
    pub(crate) kernels: BTreeMap<String, String>,
}

/// One operator in the iterations of a run.
#[derive(Debug, Clone, Default)]
pub(crate) struct OperatorTimes {
    /// Whether all its events ran on a stream.
    pub(crate) on_gpu: bool,
    /// Events in each iteration, the mean of the ranks.
    pub counts: Vec<f64>,
    /// Sum of their durations in each iteration in µs, the mean of the ranks.
    pub us: Vec<f64>,
    /// The same sum on each rank, if there is one iteration and several ranks; else empty.
    pub of_ranks: Vec<f64>,
    /// Hashes of the shapes and types of inputs that occur, where they were recorded.
    pub shapes: BTreeSet<u64>,
}

impl IterationTimes {
    /// Number of samples.
    pub(crate) fn len(&self) -> usize {
        self.step_us.len()
    }

    /// Says which iterations are no samples.
    pub(crate) fn left_out(&self) -> Option<String> {
        let mut parts = Vec::new();
        if !self.warm_up.is_empty() {
            parts.push(format!("{} as warm-up", numbered("iteration", &self.warm_up)));
        }
        if self.partial > 0 {
            parts.push(format!("{} that only some ranks have", counted(self.partial, "iteration")));
        }
        (!parts.is_empty()).then(|| format!("Left out of {}: {}.", self.label, parts.join(", ")))
    }
}

/// One rank of a run.
struct RankTimes {
    /// Duration of each iteration in ns.
    steps: BTreeMap<i64, i64>,
    sums: SideSums,
    shapes: BTreeMap<String, BTreeSet<u64>>,
    inputs: InputShapes,
    mix: EventMix,
    /// Time of kernels in ns by name and iteration, whatever the filter.
    kernels: BTreeMap<String, BTreeMap<i64, i64>>,
    /// Names of annotations that mark iterations.
    names: BTreeMap<i64, String>,
}

impl TimesQuery<'_> {
    /// Reads the iterations of runs; `phase` are those of each that count, by default all.
    ///
    /// # Errors
    /// As [`Self::times`].
    pub(crate) fn times_of_runs(
        &self,
        runs: &[LabeledTrace],
        phase: Option<&[BTreeSet<i64>]>,
    ) -> Result<Vec<IterationTimes>> {
        let query = |run: usize| TimesQuery { phase: phase.map(|phase| &phase[run]), ..*self };
        runs.iter().enumerate().map(|(number, run)| query(number).times(run)).collect()
    }

    /// Reads the iterations of a run, rank by rank.
    ///
    /// # Errors
    /// If a rank or iteration does not exist, no event matches the marker, no iteration is left, or the filter does not fit the events.
    pub(crate) fn times(&self, run: &LabeledTrace) -> Result<IterationTimes> {
        let ranks = self.select.ranks_of(self.side, run, ByDefault::All)?;
        let window = self.select.window(self.side, run, &ranks, self.marker, ByDefault::All)?;
        let filter = self.select.events_filter().map(|filter| filter.of(run.trace().traces())).transpose()?;
        let batches = Batches::within(run.trace().budget()?, Task::Answer("compare_traces"));
        let need = |rank: &Trace| rank.bytes_needed(Selected::BYTES_PER_ROW);
        let of_ranks = batches.each(&ranks, need, |rank| self.of_rank(run, rank, &window, filter.as_ref()))?;
        self.joined(run, ranks.iter().map(Trace::rank).collect(), &window, of_ranks)
    }

    fn of_rank(
        &self,
        run: &LabeledTrace,
        rank: &Trace,
        window: &Window,
        filter: Option<&TraceFilter>,
    ) -> Result<RankTimes> {
        let selected =
            Selected { compat: run.trace().compat(), window, by: Some(By::Iteration), filter, marker: self.marker };
        let marked = self.marker.map(|marker| MarkedIterations::of(rank, marker)).transpose()?;
        let steps = match (window, &marked) {
            (Window::Whole, _) => [(WHOLE, rank.info().span())].into(),
            (_, Some(marked)) => (0..).zip(marked.durations()).collect(),
            _ => steps(run, rank)?,
        };
        let (shapes, inputs) = shapes(rank)?;
        let sums = selected.sums(rank)?;
        let kernels = match filter {
            Some(_) => Selected { filter: None, ..selected }.sums(rank)?.kernels(),
            None => sums.kernels(),
        };
        let names = (0..).zip(marked.iter().flat_map(|marked| marked.names().iter().cloned())).collect();
        Ok(RankTimes { steps, sums, shapes, inputs, mix: EventMix::of(rank)?, kernels, names })
    }

    /// Averages the ranks of each iteration that all of them have.
    fn joined(
        &self,
        run: &LabeledTrace,
        ranks: Vec<i64>,
        window: &Window,
        of_ranks: Vec<RankTimes>,
    ) -> Result<IterationTimes> {
        let is_wanted = |iteration: &i64| iterations_of(window).is_none_or(|numbers| numbers.contains(iteration));
        let any: BTreeSet<i64> =
            of_ranks.iter().flat_map(|rank| rank.steps.keys().copied()).filter(is_wanted).collect();
        let in_all = |iteration: &i64| of_ranks.iter().all(|rank| rank.steps.contains_key(iteration));
        let mut iterations: Vec<i64> = any.iter().copied().filter(in_all).collect();
        let partial = any.len() - iterations.len();
        let mean_us = |sum: i128| sum as f64 / 1e3 / of_ranks.len().max(1) as f64;
        let step = |iteration: &i64| {
            mean_us(of_ranks.iter().filter_map(|rank| rank.steps.get(iteration)).map(|&ns| i128::from(ns)).sum())
        };
        let left_out = |warmup: usize| {
            let (label, available) = (run.label().to_owned(), any.iter().copied().collect());
            Error::NoIterationLeft { label, warmup, available }
        };
        if iterations.is_empty() {
            let (label, available) = (run.label().to_owned(), any.into_iter().collect());
            return Err(Error::NoIterationSelected { label, available });
        }
        let first = self.select.warmup_iterations().unwrap_or(0);
        if first >= iterations.len() {
            return Err(left_out(first));
        }
        let mut remaining = iterations.split_off(first);
        let kernels = shown_kernels(&of_ranks);
        let work = if window == &Window::Whole { Vec::new() } else { work_of(&remaining, &of_ranks, |at| step(&at)) };
        remaining.retain(|iteration| self.phase.is_none_or(|phase| phase.contains(iteration)));
        // Selected iterations are all wanted.
        if self.select.warmup_iterations().is_none() && !self.select.has_iterations(self.side) {
            let found = statistics::warm_up(&remaining.iter().map(step).collect::<Vec<f64>>(), 0);
            let counted = remaining.split_off(found);
            iterations.extend(std::mem::replace(&mut remaining, counted));
        }
        if remaining.is_empty() {
            return Err(left_out(iterations.len()));
        }
        let step_us: Vec<f64> = remaining.iter().map(step).collect();
        let positions: BTreeMap<i64, usize> =
            remaining.iter().enumerate().map(|(at, &iteration)| (iteration, at)).collect();
        let count = of_ranks.len().max(1) as f64;
        let step_of_ranks: Vec<f64> = match remaining[..] {
            [only] if of_ranks.len() > 1 => {
                of_ranks.iter().map(|rank| rank.steps.get(&only).map_or(0.0, |&ns| ns as f64 / 1e3)).collect()
            }
            _ => Vec::new(),
        };
        let mut operators: BTreeMap<String, OperatorTimes> = BTreeMap::new();
        let (mut inputs, mut mix) = (InputShapes::default(), EventMix::default());
        for rank in of_ranks.iter() {
            inputs.merge(&rank.inputs);
            mix.merge(&rank.mix);
            for (name, shapes) in &rank.shapes {
                let name = if self.short { crate::shorten_name(name) } else { name.clone() };
                operators.entry(name).or_default().shapes.extend(shapes);
            }
        }
        let mut add = |rank_index: usize, times: ByName, on_gpu: bool| {
            for (name, groups) in cancellable(times) {
                if StepName::of(&name) != StepName::Other {
                    continue;
                }
                let operator = operators.entry(name).or_default();
                if operator.us.is_empty() {
                    (operator.us, operator.counts) = (vec![0.0; remaining.len()], vec![0.0; remaining.len()]);
                    operator.of_ranks = vec![0.0; step_of_ranks.len()];
                    operator.on_gpu = true;
                }
                operator.on_gpu &= on_gpu;
                for (group, sum) in groups {
                    if let Some(&at) = positions.get(&group) {
                        operator.us[at] += sum.nanos() as f64 / 1e3 / count;
                        operator.counts[at] += sum.count as f64 / count;
                        if let Some(of_rank) = operator.of_ranks.get_mut(rank_index) {
                            *of_rank += sum.nanos() as f64 / 1e3;
                        }
                    }
                }
            }
        };
        for (rank_index, rank) in of_ranks.into_iter().enumerate() {
            let [cpu, gpu] = rank.sums.on_each(self.select.device(), self.short);
            add(rank_index, cpu, false);
            add(rank_index, gpu, true);
        }
        operators.retain(|_, operator| operator.counts.iter().any(|&count| count > 0.0));
        Ok(IterationTimes {
            label: run.label().to_owned(),
            ranks,
            iterations: iterations_of(window).is_some().then_some(remaining),
            warm_up: iterations,
            partial,
            step_us,
            work,
            kernels,
            operators,
            step_of_ranks,
            inputs,
            mix,
        })
    }
}

/// Returns the names of kernels as they are shown, by their names in the work of iterations.
fn shown_kernels(of_ranks: &[RankTimes]) -> BTreeMap<String, String> {
    let names = of_ranks.iter().flat_map(|rank| rank.kernels.keys());
    names.map(|name| (kernel_name(name), trace_view::tidy(&crate::shorten_name(name)))).collect()
}

/// Returns the work of iterations, the sum over ranks; `step_us` is the length of one.
fn work_of(iterations: &[i64], of_ranks: &[RankTimes], step_us: impl Fn(i64) -> f64) -> Vec<IterationWork> {
    let mut work: BTreeMap<i64, Work> = iterations.iter().map(|&iteration| (iteration, Work::new())).collect();
    for (name, times) in of_ranks.iter().flat_map(|rank| &rank.kernels) {
        let name = kernel_name(name);
        for (iteration, ns) in times {
            if let Some(work) = work.get_mut(iteration) {
                *work.entry(name.clone()).or_default() += ns;
            }
        }
    }
    let name = |iteration: i64| of_ranks.iter().find_map(|rank| rank.names.get(&iteration)).cloned();
    work.into_iter()
        .map(|(iteration, work)| {
            let step_ns = step_us(iteration) * 1e3;
            IterationWork { run: 0, iteration, step_ns, work, name: name(iteration) }
        })
        .collect()
}

/// Returns what the runs of a side say of phases.
pub(crate) fn side_iterations(runs: &[IterationTimes]) -> SideIterations {
    let of_run = |(run, times): (usize, &IterationTimes)| -> Vec<IterationWork> {
        times.work.iter().map(|one| IterationWork { run, ..one.clone() }).collect()
    };
    SideIterations {
        runs: runs.len(),
        iterations: runs.iter().enumerate().flat_map(of_run).collect(),
        kernels: runs.iter().flat_map(|run| run.kernels.clone()).collect(),
    }
}

/// Returns the duration of each step on the CPU in ns, by number.
fn steps(run: &LabeledTrace, rank: &Trace) -> Result<BTreeMap<i64, i64>> {
    let columns: [PlSmallStr; 4] = [NAME, CAT, STREAM, DUR].map(Into::into);
    let events = rank.frame_of(&columns)?;
    let (stream, durations) = (IntColumn::of(&events, STREAM)?, IntColumn::of(&events, DUR)?);
    let names = events.column(NAME)?.as_materialized_series().cat::<Categorical32Type>()?;
    let cats = events.column(CAT)?.as_materialized_series().cat::<Categorical32Type>()?;
    let is_annotation = |cat: &str| EventKind::of_category(cat) == EventKind::DeviceAnnotation;
    let mut number = once_per_text(names.get_mapping(), |name| match StepName::of(name) {
        StepName::Number(number) => Some(number),
        _ => None,
    });
    let mut is_copy = once_per_text(cats.get_mapping(), is_annotation);
    let mut steps = BTreeMap::new();
    let codes = names.physical().iter().zip(cats.physical().iter());
    for (row, (name, cat)) in cancellable(codes.enumerate()) {
        if let Some(number) = name.and_then(&mut number)
            && stream.get(row).is_none()
            && !cat.is_some_and(&mut is_copy)
        {
            steps.entry(number).or_insert_with(|| run.trace().compat().counted(durations.get(row).unwrap_or(0)));
        }
    }
    Ok(steps)
}

/// Hashes of the shapes and types of inputs by name, and the shapes as texts; nothing where they were not recorded.
type Shapes = (BTreeMap<String, BTreeSet<u64>>, InputShapes);

fn shapes(rank: &Trace) -> Result<Shapes> {
    let columns: [PlSmallStr; 3] = [NAME, INPUT_DIMS, INPUT_TYPE].map(Into::into);
    let events = rank.frame_of(&columns)?;
    let (names, types) = (TextColumn::of(&events, NAME)?, TextColumn::of(&events, INPUT_TYPE).ok());
    let (mut found, mut inputs): Shapes = (BTreeMap::new(), InputShapes::default());
    let Ok(dims) = TextColumn::of(&events, INPUT_DIMS) else { return Ok((found, inputs)) };
    let mut calls: BTreeSet<[Option<u32>; 3]> = BTreeSet::new();
    let mut last = None;
    for row in cancellable(0..events.height()) {
        let call = [names.code(row), dims.code(row), types.as_ref().and_then(|types| types.code(row))];
        // Only calls of operators have shapes.
        if call[0].is_some() && call[1].is_some() && last.replace(call) != Some(call) {
            calls.insert(call);
        }
    }
    let state = foldhash::fast::FixedState::default();
    for [name, shapes, of_type] in calls {
        let of_type = types.as_ref().map_or("", |types| types.text(of_type));
        let (name, call) = (names.text(name), inputs_text([dims.text(shapes), of_type]));
        if !call.is_empty() {
            found.entry(name.to_owned()).or_default().insert(state.hash_one(&call));
            inputs.add(name, &call);
        }
    }
    Ok((found, inputs))
}

//! A flame graph and its builder.

use super::calls::{Collector, FlameTime, Names};
use crate::collective::Collectives;
use crate::companion::{Iterations, recording};
use crate::exec::checkpoint::{check, guarded};
use crate::exec::memory::Task;
use crate::timeline::{QuerySide, QuerySides};
use crate::{LabeledTrace, Result, Select, SelectEvents, SelectSetting, Trace};
use call_tree::Labels;
use timeline::{Call, Flame};

/// Memory for each event of a rank while its calls are collected, in bytes.
const BYTES_PER_EVENT: usize = 300;

/// Settings that a flame graph does not have.
const NOT_SELECTABLE: [SelectSetting; 5] = [
    SelectSetting::Marker,
    SelectSetting::DeviceType,
    SelectSetting::Filter,
    SelectSetting::Warmup,
    SelectSetting::Phase,
];

/// Builds the flame graph of a step, or the difference of two.
///
/// Times are those of a step: the mean over iterations and ranks.
///
/// # Example
/// ```
/// use trace::prelude::*;
/// use trace::{FlameQuery, FlameTime};
///
/// # fn main() -> trace::Result<()> {
/// let control = TraceSet::load("../../notebooks/data/control")?.with_label("control");
/// let flame = FlameQuery::new(&control).ranks(3).time(FlameTime::Attributed).run()?;
/// assert_eq!(flame.total_ns()[0], flame.step_ns()[0]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct FlameQuery {
    sides: QuerySides,
    time: FlameTime,
    remarks: Vec<String>,
}

/// Of each side the first rank and all iterations by default.
impl SelectEvents for FlameQuery {
    fn selection_mut(&mut self) -> &mut Select {
        &mut self.sides.select
    }
}

/// A flame graph: stacks of calls with the time of a step.
pub struct FlameGraph {
    pub(super) labels: Vec<String>,
    pub(super) about: Vec<String>,
    pub(super) time: FlameTime,
    pub(super) names: Vec<String>,
    pub(super) merged: Flame,
    pub(super) in_time: Flame,
    /// Sentences behind the summary.
    pub(super) remarks: Vec<String>,
    steps_ns: Vec<i64>,
}

impl std::fmt::Debug for FlameGraph {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "FlameGraph({})", self.title())
    }
}

impl FlameQuery {
    /// Shows one trace.
    pub fn new(trace: impl Into<LabeledTrace>) -> Self {
        Self { sides: QuerySides::of([trace.into()]), time: FlameTime::default(), remarks: Vec::new() }
    }

    /// Shows the difference of two traces.
    pub fn compare(control: impl Into<LabeledTrace>, test: impl Into<LabeledTrace>) -> Self {
        let sides = QuerySides::of([control.into(), test.into()]);
        Self { sides, time: FlameTime::default(), remarks: Vec::new() }
    }

    /// What widths are; the part of the step by default.
    #[must_use]
    pub fn time(mut self, time: FlameTime) -> Self {
        self.time = time;
        self
    }

    /// Adds a sentence to the summary, such as which run of several is shown.
    #[must_use]
    pub fn remark(mut self, sentence: impl Into<String>) -> Self {
        self.remarks.push(sentence.into());
        self
    }

    /// Builds the flame graph.
    ///
    /// # Errors
    /// If there is no such rank or iteration, or the events cannot be read any more;
    /// [`Error::Interrupted`](crate::Error::Interrupted).
    pub fn run(&self) -> Result<FlameGraph> {
        guarded(|| {
            self.sides.select.without("flame graph", &NOT_SELECTABLE)?;
            let mut names = Names::default();
            let (mut calls, mut about, mut steps_ns) = (Vec::new(), Vec::new(), Vec::new());
            for (number, side) in self.sides.each().enumerate() {
                let (found, words, step) = side_calls(side, number, self.time, &mut names)?;
                let before = calls.len() as u32;
                let moved = |call: Call| Call { parent: call.parent.map(|parent| parent + before), ..call };
                calls.extend(found.into_iter().map(moved));
                about.push(words);
                steps_ns.push(step);
            }
            check()?;
            let merged = Flame::merged(&calls);
            // Two sides have one order only if their stacks are merged.
            let in_time = if steps_ns.len() > 1 { merged.clone() } else { Flame::neighbours(&calls) };
            Ok(FlameGraph {
                labels: self.sides.traces.iter().map(|trace| trace.label().to_owned()).collect(),
                about,
                time: self.time,
                names: names.into_texts(),
                merged,
                in_time,
                remarks: self.remarks.clone(),
                steps_ns,
            })
        })
    }
}

/// Returns the calls of a side with their part of a step, what they are of in words, and the length of a step.
fn side_calls(
    side: QuerySide<'_>,
    number: usize,
    time: FlameTime,
    names: &mut Names,
) -> Result<(Vec<Call>, String, i64)> {
    let set = side.trace.trace();
    let wanted = side.iterations()?;
    let traces = side.traces()?;
    let ranks: Vec<i64> = traces.iter().map(Trace::rank).collect();
    let iterations = Iterations { numbers: wanted.clone(), ..Iterations::default() };
    let mut labels = Labels::default();
    let (mut steps, mut length) = (0, 0_i64);
    let mut collector = Collector::new(names, number);
    let budget = set.budget()?;
    for trace in &traces {
        check()?;
        budget.check(Task::Answer("flame graph"), trace.bytes_needed(BYTES_PER_EVENT))?;
        let recording = recording(trace, set.compat(), &iterations, &mut labels, &mut Collectives::default())?;
        let (number, ns) = collector.add(&recording, &labels, time);
        steps += number;
        length = length.saturating_add(ns);
    }
    let mut calls = collector.calls;
    let steps = steps.max(1);
    per_step(&mut calls, steps);
    let of = trace_view::format::numbered("rank", &ranks);
    let words = match (&wanted, steps) {
        (Some(wanted), _) => format!("{of}, {}", trace_view::format::numbered("iteration", wanted)),
        (None, 1) => of,
        (None, steps) => format!("{of}, mean of {steps} steps"),
    };
    Ok((calls, words, length.div_euclid(steps)))
}

/// Divides times by a number of steps, so that their sum is the rounded sum, to the ns.
fn per_step(calls: &mut [Call], steps: i64) {
    let (mut sum, mut assigned) = (0_i64, 0_i64);
    for call in calls {
        sum = sum.saturating_add(call.own.max(0));
        let part = sum.div_euclid(steps);
        call.own = part - assigned;
        assigned = part;
    }
}

impl FlameGraph {
    /// Returns the time of a step on each side, in ns: the sum of all widths, except of CPU time, where the box of the main thread is as
    /// wide as the step, and of GPU time.
    pub fn step_ns(&self) -> &[i64] {
        &self.steps_ns
    }

    /// Returns the sum of all widths of each side, in ns; of one trace the second is 0.
    pub fn total_ns(&self) -> [i64; 2] {
        self.merged.total()
    }

    /// Returns the number of different stacks.
    pub fn stack_count(&self) -> usize {
        self.merged.len()
    }
}

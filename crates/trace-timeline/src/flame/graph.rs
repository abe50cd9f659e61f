//! A flame graph and its builder.

use super::calls::{FlameTime, divided};
use super::collector::{Collector, Names};
use crate::collective::Collectives;
use crate::companion::{Companions, Iterations, Lending, LoanCount, borrowed_in_words, in_words, recording};
use crate::exec::checkpoint::{check, guarded};
use crate::exec::context::Inherited;
use crate::exec::fork_join::join;
use crate::exec::memory::Task;
use crate::timeline::{QuerySide, QuerySides};
use crate::{LabeledTrace, Result, Select, SelectEvents, SelectSetting, Trace, TraceSet};
use call_tree::Labels;
use timeline::{Calls, Flame};

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
    companions: Vec<TraceSet>,
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
        Self::of(QuerySides::of([trace.into()]))
    }

    /// Shows the difference of two traces.
    pub fn compare(control: impl Into<LabeledTrace>, test: impl Into<LabeledTrace>) -> Self {
        Self::of(QuerySides::of([control.into(), test.into()]))
    }

    fn of(sides: QuerySides) -> Self {
        Self { sides, time: FlameTime::default(), remarks: Vec::new(), companions: Vec::new() }
    }

    /// Takes a recording of the same program without graphs, or of the capture of its graphs, beside others: its calls are below the
    /// launches of graphs, each marked `(borrowed)`, and a sentence says how many kernels borrow.
    #[must_use]
    pub fn companion(mut self, companion: impl Into<LabeledTrace>) -> Self {
        let companion = companion.into();
        self.companions.push(companion.trace().with_label(companion.label()));
        self
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
            let (mut calls, mut about, mut steps_ns): (Calls, Vec<_>, Vec<_>) = Default::default();
            let mut borrowed: Vec<Lending> = Vec::new();
            for (number, side) in self.sides.each().enumerate() {
                let (found, words, step, count) = side_calls(side, number, self.time, &mut names, &self.companions)?;
                if calls.is_empty() {
                    calls = found;
                } else {
                    calls.append(&found);
                }
                about.push(words);
                steps_ns.push(step);
                borrowed.push(Lending::of(&in_words(&self.companions), count));
            }
            check()?;
            let labels: Vec<String> = self.sides.traces.iter().map(|trace| trace.label().to_owned()).collect();
            let mut remarks = self.remarks.clone();
            // Stacks of CPU time have no kernels.
            if !self.companions.is_empty() && self.time != FlameTime::Cpu {
                let sides: Vec<(&Lending, &str)> = borrowed.iter().zip(labels.iter().map(String::as_str)).collect();
                remarks.push(borrowed_in_words(&sides));
            }
            // Two sides have one order only if their stacks are merged.
            let (merged, in_time) = if steps_ns.len() > 1 {
                let merged = Flame::merged(&calls);
                (merged.clone(), merged)
            } else {
                let concurrently = Inherited::here().threads() > 1;
                join(concurrently, || Flame::merged(&calls), || Flame::neighbours(&calls))
            };
            Ok(FlameGraph {
                labels,
                about,
                time: self.time,
                names: names.into_texts(),
                merged,
                in_time,
                remarks,
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
    companions: &[TraceSet],
) -> Result<(Calls, String, i64, LoanCount)> {
    let set = side.trace.trace();
    let wanted = side.iterations()?;
    let traces = side.traces()?;
    let ranks: Vec<i64> = traces.iter().map(Trace::rank).collect();
    let iterations = Iterations { numbers: wanted.clone(), ..Iterations::default() };
    let mut labels = Labels::default();
    let (mut steps, mut length, mut count) = (0, 0_i64, LoanCount::default());
    let mut collector = Collector::new(names, number as u8);
    let budget = set.budget()?;
    for trace in &traces {
        check()?;
        budget.check(Task::Answer("flame graph"), trace.bytes_needed(BYTES_PER_EVENT))?;
        let mut recording = recording(trace, set.compat(), &iterations, &mut labels, &mut Collectives::default())?;
        let (divisions, lenders) = join(
            Inherited::here().threads() > 1 && !companions.is_empty(),
            || divided(&recording, &labels, time),
            || Companions::of_rank(companions, trace),
        );
        let (lenders, _) = lenders?;
        if !companions.is_empty() {
            count.add(lenders.lend(trace, &mut recording, &mut labels));
        }
        let (number, ns) = collector.add(&recording, &labels, time, &divisions);
        steps += number;
        length = length.saturating_add(ns);
    }
    let mut calls = collector.calls;
    let steps = steps.max(1);
    calls.divide(steps);
    let of = trace_view::format::numbered("rank", &ranks);
    let words = match (&wanted, steps) {
        (Some(wanted), _) => format!("{of}, {}", trace_view::format::numbered("iteration", wanted)),
        (None, 1) => of,
        (None, steps) => format!("{of}, mean of {steps} steps"),
    };
    Ok((calls, words, length.div_euclid(steps), count))
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use trace_testkit::{Stream, TraceBuilder};

    #[test]
    fn calls_of_a_capture_are_below_the_launch_of_its_graph() {
        let module = "nn.Module: Decoder_0";
        let replay = TraceBuilder::new()
            .complete("python_function", module, 100, 1, 0..40)
            .runtime("hipGraphLaunch", 1, 5..15)
            .kernel("gemm", Stream(7), 20..40)
            .correlation(1)
            .kernel("gelu_kernel", Stream(8), 40..45)
            .correlation(1);
        let capture = TraceBuilder::new()
            .runtime("hipStreamBeginCapture", 8, 1..2)
            .complete("python_function", module, 100, 1, 5..60)
            .operator("aten::linear", 10..30)
            .operator("aten::mm", 12..28)
            .runtime("hipLaunchKernel", 9, 15..16)
            .arg("kernel", "\"gemm\"")
            .operator("aten::gelu", 40..50)
            .runtime("hipLaunchKernel", 10, 42..44)
            .arg("kernel", "\"gelu_kernel\"")
            .runtime("hipStreamEndCapture", 11, 70..71);
        let [replay, capture] = [replay, capture].map(|trace| TraceSet::from_bytes(trace.json()).unwrap());
        let stacks = |query: FlameQuery| {
            let (flame, mut written) = (query.time(FlameTime::Gpu).run().unwrap(), Vec::new());
            flame.write_folded(&mut written).unwrap();
            (String::from_utf8(written).unwrap(), flame.remarks)
        };
        let (bare, _) = stacks(FlameQuery::new(&replay));
        assert!(bare.contains("hipGraphLaunch;gemm 20000"), "{bare}");
        let (found, remarks) = stacks(FlameQuery::new(&replay).companion(capture.with_label("capture")));
        let mut lines: Vec<&str> = found.lines().collect();
        lines.sort_unstable();
        let expected = [
            "nn.Module: Decoder_0;hipGraphLaunch;aten::gelu (borrowed);gelu_kernel 5000",
            "nn.Module: Decoder_0;hipGraphLaunch;aten::linear (borrowed);aten::mm (borrowed);gemm 20000",
        ];
        assert_eq!(lines, expected);
        assert_eq!(remarks, ["Kernels of graphs with operators from capture: 2 of 2."]);
    }
}

//! Division of the time of a rank among its steps.
//!
//! ```text
//! annotations   |- prefill -|      |- decode -|   |- decode -|
//! GPU              |-- prefill --|     |- decode -|   |- decode -|
//! steps         |--- prefill ----|-- decode ------|--- decode ----|
//! ```
//!
//! A step ends with its annotation and the work that it launched. It begins where the step before ended if requests wait for its tokens,
//! else with its annotation, but not before the step before ended: so steps do not overlap, and what requests wait for counts.

use crate::describe::exclusive_times;
use crate::interval::Span;
use crate::stats::total;
use crate::{DeviceTime, ServedPhase, ServedStep};

/// Start of the launch and end of a kernel, copy or fill.
pub(super) type Work = (i64, i64);

/// What marks a step.
pub(super) struct Mark {
    pub(super) begin: i64,
    pub(super) end: i64,
    pub(super) name: String,
    pub(super) served: Option<ServedStep>,
}

/// A step with its time, on the clock of the trace.
#[derive(Debug, Clone, PartialEq)]
pub struct TimedStep {
    /// Text of the annotation that marks it.
    pub name: String,
    /// What the annotation says of it; `None` if it is not that of a server.
    pub served: Option<ServedStep>,
    /// Begin in ns.
    pub start_ns: i64,
    /// How long it took, `span_ns`, and what the GPU did meanwhile.
    pub device: DeviceTime,
    /// Number of graphs that it launched.
    pub graph_launches: usize,
    /// Requests or tokens for which the graph was captured that it runs, as its annotation says or as captures say.
    pub graph_size: Option<u64>,
}

impl TimedStep {
    /// Returns its phase.
    pub fn phase(&self) -> ServedPhase {
        self.served.map_or(ServedPhase::Unknown, |step| step.phase)
    }

    /// Returns its end in ns.
    pub fn end_ns(&self) -> i64 {
        self.start_ns.saturating_add(self.device.span_ns)
    }
}

impl DeviceTime {
    /// Measures a window of the merged intervals of each type.
    pub(super) fn within(kinds: &[Vec<Span>; 4], from: i64, to: i64) -> Self {
        let clipped = kinds.each_ref().map(|spans| -> Vec<Span> {
            let first = spans.partition_point(|span| span.end <= from);
            let inside = spans[first..].iter().take_while(|span| span.start < to);
            inside.map(|span| Span { start: span.start.max(from), end: span.end.min(to) }).collect()
        });
        let times = exclusive_times(&clipped);
        let [computation_ns, communication_ns, memory_ns, other_ns] = times;
        let (span_ns, busy_ns) = (to.saturating_sub(from), total(times));
        let idle_ns = span_ns.saturating_sub(busy_ns);
        Self { span_ns, busy_ns, idle_ns, computation_ns, communication_ns, memory_ns, other_ns }
    }

    /// Returns the sum with another window.
    pub(super) fn plus(self, other: Self) -> Self {
        Self {
            span_ns: self.span_ns.saturating_add(other.span_ns),
            busy_ns: self.busy_ns.saturating_add(other.busy_ns),
            idle_ns: self.idle_ns.saturating_add(other.idle_ns),
            computation_ns: self.computation_ns.saturating_add(other.computation_ns),
            communication_ns: self.communication_ns.saturating_add(other.communication_ns),
            memory_ns: self.memory_ns.saturating_add(other.memory_ns),
            other_ns: self.other_ns.saturating_add(other.other_ns),
        }
    }
}

/// Divides time among steps, whose marks are in order and do not overlap; `work` and `graph_launches` are by launch.
pub(super) fn timed(marks: Vec<Mark>, work: &[Work], graph_launches: &[i64], kinds: &[Vec<Span>; 4]) -> Vec<TimedStep> {
    let mut steps = Vec::with_capacity(marks.len());
    let mut before: Option<i64> = None;
    for Mark { begin, end, name, served } in marks {
        let of_step = |from: usize, to: usize| from..to.max(from);
        let launched = of_step(
            work.partition_point(|&(launch, _)| launch < begin),
            work.partition_point(|&(launch, _)| launch < end),
        );
        let graphs = of_step(
            graph_launches.partition_point(|&launch| launch < begin),
            graph_launches.partition_point(|&launch| launch < end),
        );
        let (from, to) = match (served, before) {
            // Marked by something else: as long as what marks it, as in all answers.
            (None, _) => (begin, end),
            (Some(served), before) => {
                let done = work[launched].iter().map(|&(_, end)| end).fold(end, i64::max).max(before.unwrap_or(end));
                let from = match before {
                    Some(before) if served.phase.generates() => before,
                    Some(before) => begin.max(before),
                    None => begin,
                };
                (from, done)
            }
        };
        before = Some(to);
        steps.push(TimedStep {
            name,
            served,
            start_ns: from,
            device: DeviceTime::within(kinds, from, to),
            graph_launches: graphs.len(),
            graph_size: served.and_then(|step| step.graph_size),
        });
    }
    steps
}

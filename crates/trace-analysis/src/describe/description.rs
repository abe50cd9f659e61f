//! The description of a trace, as plain data.

use super::finding::Finding;
use super::measure::DeviceTime;
use crate::Compat;
use crate::analysis::Headlines;
use crate::collective::Stragglers;
use crate::dataset::Recording;
use serde::Serialize;

/// An overview of a loaded trace, over all its rows including those of the last iteration, which the analyses of
/// [`TraceAnalysis`](crate::TraceAnalysis) leave out. All times are integer nanoseconds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Description {
    /// The label of the trace.
    pub label: String,
    /// How it was loaded.
    pub compat: Compat,
    /// Rows of all ranks.
    pub events: usize,
    /// From the start of the first event of any rank to the end of the last.
    pub span_ns: i64,
    /// The number of ranks of the job, if a file states it.
    pub world_size: Option<i64>,
    /// The names of the devices, each once; the kind of device if the files do not name them.
    pub devices: Vec<String>,
    /// The data recorded besides times: `shapes`, `stacks`, `modules`, `flops`, `memory`.
    pub profiler_flags: Vec<String>,
    /// One per rank, ascending.
    pub ranks: Vec<RankSummary>,
    /// One per iteration, ascending.
    pub iterations: Vec<IterationSummary>,
    /// The ranks that other ranks wait for in collectives, over the rows that analyses see.
    pub stragglers: Stragglers,
    /// What analyses say in short, over the rows that they see; steps are those of each rank.
    pub headlines: Headlines,
    /// CPU operators of all ranks by name, the largest sum first.
    pub operators: Vec<OperatorTotal>,
    /// Kernels, copies and fills of all ranks by name, the largest sum first.
    pub kernels: Vec<KernelTotal>,
    /// Anomalies, each with its meaning and its fix.
    pub findings: Vec<Finding>,
}

/// The summary of one rank.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RankSummary {
    /// The rank.
    pub rank: i64,
    /// The file it was read from.
    pub file: String,
    /// Its number of events.
    pub events: usize,
    /// Start of its first event, relative to the first event of all ranks.
    pub start_ns: i64,
    /// From the start of its first event to the end of its last.
    pub span_ns: i64,
    /// Its iterations, ascending.
    pub iterations: Vec<i64>,
    /// Its GPU streams, ascending.
    pub streams: Vec<i64>,
    /// The kind of GPU, as [`RankInfo::device`](crate::RankInfo::device).
    pub device_type: String,
    /// How busy its device is; `None` if it recorded no work.
    pub device: Option<DeviceTime>,
}

/// The summary of one iteration over the ranks: durations of its ProfilerStep on the CPU.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct IterationSummary {
    /// The number.
    pub iteration: i64,
    /// The number of ranks that have it.
    pub ranks: usize,
    /// Mean over the ranks, rounded down.
    pub mean_ns: i64,
    /// The shortest duration.
    pub shortest_ns: i64,
    /// The longest duration.
    pub longest_ns: i64,
    /// The rank with the longest duration; of ties the smallest. `None` of one rank, and where the longest exceeds the shortest by less
    /// than 1 % of the mean. A rank that waits for other ranks may have the longest step: [`Description::stragglers`] names those it
    /// waits for.
    pub longest_on: Option<i64>,
}

/// The totals of one operator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OperatorTotal {
    /// Its name.
    pub name: String,
    /// The number of events.
    pub count: u64,
    /// Sum of durations, nested calls included.
    pub total_ns: i64,
    /// The longest duration.
    pub longest_ns: i64,
}

/// The totals of one kernel.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct KernelTotal {
    /// Its name.
    pub name: String,
    /// Its operation class.
    pub kernel_type: &'static str,
    /// The number of events.
    pub count: u64,
    /// Sum of durations.
    pub total_ns: i64,
    /// The longest duration.
    pub longest_ns: i64,
    /// Share of the sum of all kernels, 0 to 100.
    pub percent: f64,
}

impl Description {
    /// Returns how the trace was recorded.
    pub(super) fn recording(&self) -> Recording {
        let Self { world_size, devices, profiler_flags, .. } = self;
        Recording {
            world_size: *world_size,
            devices: devices.clone(),
            flags: profiler_flags.clone(),
            ..Recording::default()
        }
    }
}

//! Questions put to one trace: one file each, one row each in [`CATALOG`].
//!
//! A question is asked rank by rank ([`Analysis::map`]), what the ranks say is merged in any order, and
//! [`Analysis::finish`] makes the answer. Help, completion and magics read the catalog; none knows a question by name.

mod answer;
mod aten_op_kernels_and_delay;
mod catalog;
mod comm_comp_overlap;
mod cuda_kernel_launch_stats;
mod frequent_cuda_kernel_sequences;
mod gpu_kernel_breakdown;
mod gpu_kernels_with_user_annotations;
mod gpu_user_annotation_breakdown;
mod idle_time_breakdown;
mod launching;
mod memory_bw_summary;
mod memory_bw_time_series;
mod potential_stragglers;
mod profiler_steps;
mod queue_length_summary;
mod queue_length_time_series;
mod rank;
mod temporal_breakdown;
mod time_blocked_on_full_queue;
mod trace_analysis;
mod trace_with_counters;

pub use answer::{Answer, AnswerTable};
pub use aten_op_kernels_and_delay::AtenOpKernelsAndDelay;
pub use catalog::{Entry, Parameter, ParameterKind, TableSchema};
pub use comm_comp_overlap::CommCompOverlap;
pub use cuda_kernel_launch_stats::CudaKernelLaunchStats;
pub use frequent_cuda_kernel_sequences::FrequentCudaKernelSequences;
pub use gpu_kernel_breakdown::GpuKernelBreakdown;
pub use gpu_kernels_with_user_annotations::GpuKernelsWithUserAnnotations;
pub use gpu_user_annotation_breakdown::GpuUserAnnotationBreakdown;
pub use idle_time_breakdown::IdleTimeBreakdown;
pub use memory_bw_summary::MemoryBwSummary;
pub use memory_bw_time_series::MemoryBwTimeSeries;
pub use potential_stragglers::PotentialStragglers;
pub use profiler_steps::ProfilerSteps;
pub use queue_length_summary::QueueLengthSummary;
pub use queue_length_time_series::QueueLengthTimeSeries;
pub use rank::RankView;
pub use temporal_breakdown::TemporalBreakdown;
pub use time_blocked_on_full_queue::TimeBlockedOnFullQueue;
pub use trace_analysis::TraceAnalysis;
pub use trace_with_counters::{TimeSeries, TraceWithCounters};

use crate::Result;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Every question, in the order the help pages list them.
pub const CATALOG: &[Entry] = &[
    Entry::of::<TemporalBreakdown>(),
    Entry::of::<IdleTimeBreakdown>(),
    Entry::of::<GpuKernelBreakdown>(),
    Entry::of::<CommCompOverlap>(),
    Entry::of::<MemoryBwTimeSeries>(),
    Entry::of::<MemoryBwSummary>(),
    Entry::of::<QueueLengthTimeSeries>(),
    Entry::of::<QueueLengthSummary>(),
    Entry::of::<TimeBlockedOnFullQueue>(),
    Entry::of::<TraceWithCounters>(),
    Entry::of::<CudaKernelLaunchStats>(),
    Entry::of::<FrequentCudaKernelSequences>(),
    Entry::of::<GpuUserAnnotationBreakdown>(),
    Entry::of::<GpuKernelsWithUserAnnotations>(),
    Entry::of::<AtenOpKernelsAndDelay>(),
    Entry::of::<PotentialStragglers>(),
    Entry::of::<ProfilerSteps>(),
];

/// A question put to a trace. Its fields are its parameters, its default is what HTA does.
pub trait Analysis: Default + Serialize + DeserializeOwned + Sync {
    /// The name of catalog row, magic and file: HTA's method without `get_`.
    const NAME: &'static str;
    /// One line for help and completion.
    const SUMMARY: &'static str;
    /// What the fields mean, `ranks` aside.
    const PARAMETERS: &'static [Parameter];
    /// The tables of the answer, in order.
    const TABLES: &'static [TableSchema];
    /// What else the help says; may be empty.
    const NOTES: &'static str = "";
    /// Whether HTA asks the first rank only unless it is told otherwise.
    const FIRST_RANK_ONLY: bool = false;
    /// Whether it looks at launches: then it sees those of the kernels that a filter takes, too.
    const LAUNCHES: bool = false;
    /// Working memory for each row that is looked at, in bytes: an estimate of what [`Analysis::map`] and
    /// [`Analysis::finish`] take, the answer included. A question that would exceed the memory budget is refused before it
    /// begins. No question of the catalog was measured to take more than 41 (`examples/ask.rs`).
    const BYTES_PER_ROW: usize = 48;
    /// What the ranks say: exact, and the same however it is merged.
    type State: Merge + Default + Send + Serialize + DeserializeOwned;

    /// What one rank says.
    ///
    /// # Errors
    /// If its events lack a column.
    fn map(&self, rank: &RankView) -> Result<Self::State>;

    /// The answer, from what all ranks said.
    ///
    /// # Errors
    /// If a parameter makes no sense.
    fn finish(&self, state: Self::State) -> Result<Answer>;

    /// The ranks that its parameters name; `None` leaves the choice to [`Analysis::FIRST_RANK_ONLY`].
    fn ranks(&self) -> Option<&[i64]> {
        None
    }

    /// The streams that its parameters name; one that no rank has is an error.
    fn streams(&self) -> Option<&[i64]> {
        None
    }
}

/// What can be put together in any order and grouping.
pub trait Merge {
    /// Takes in what another part of the ranks said.
    fn merge(&mut self, other: Self);
}

/// What each rank says on its own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ByRank<T>(pub(crate) BTreeMap<i64, T>);

impl<T> Default for ByRank<T> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<T> ByRank<T> {
    /// What one rank says.
    pub(crate) fn of(rank: i64, said: T) -> Self {
        Self(BTreeMap::from([(rank, said)]))
    }
}

impl<T> Merge for ByRank<T> {
    fn merge(&mut self, other: Self) {
        self.0.extend(other.0);
    }
}

/// The sentence for ranks without events on the GPU; `None` if every rank has some.
pub(crate) fn without_gpu(ranks: &[i64]) -> Option<String> {
    nothing_on(ranks, "No GPU activity").map(|said| format!("{}: nothing to tell.", said.trim_end_matches('.')))
}

/// The sentence for ranks on which `what` is missing; `None` if there is no such rank.
pub(crate) fn nothing_on(ranks: &[i64], what: &str) -> Option<String> {
    (!ranks.is_empty()).then(|| {
        let ranks_are = if ranks.len() == 1 { "rank" } else { "ranks" };
        format!("{what} on {ranks_are} {}.", crate::error::numbers(ranks))
    })
}

#[cfg(test)]
mod tests;

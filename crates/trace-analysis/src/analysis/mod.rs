//! Analyses of one trace: one file and one row of [`CATALOG`] each.
//!
//! [`Analysis::map`] turns each rank into a partial result, partial results merge in any order, and [`Analysis::finish`]
//! makes the answer. Help, completion and magics read the catalog; none of them names an analysis.

mod answer;
mod api;
mod aten_op_kernels_and_delay;
mod call_inputs;
mod call_trees;
mod catalog;
mod collectives;
mod comm_comp_overlap;
mod compare_ranks;
mod cuda_kernel_launch_stats;
pub(crate) mod cupti_counters;
mod elsewhere;
mod frequent_cuda_kernel_sequences;
mod gpu_kernel_breakdown;
mod gpu_kernels_with_user_annotations;
mod gpu_user_annotation_breakdown;
mod headlines;
mod hta_api;
mod idle_time_breakdown;
mod kernels;
mod listed;
mod many_ranks;
mod memory_bw_summary;
mod memory_bw_time_series;
mod merge;
mod narrowing;
mod notes;
mod operator_suggestions;
mod operators;
mod over_time;
mod plan;
mod potential_stragglers;
mod profiler_steps;
mod queue_length_summary;
mod queue_length_time_series;
mod rank_view;
mod retained_rows;
mod roofline;
mod schema;
mod shallowest_operators;
mod summary;
mod summary_table;
mod temporal_breakdown;
mod time_blocked_on_full_queue;
mod trace_analysis;
mod trace_with_counters;
mod two_sides;
mod validate;

pub use answer::{Answer, AnswerTable};
pub use api::Analysis;
pub use aten_op_kernels_and_delay::AtenOpKernelsAndDelay;
pub use catalog::{CATALOG, Entry};
pub use collectives::{Collectives, ExposedCollectives};
pub use comm_comp_overlap::CommCompOverlap;
pub use compare_ranks::CompareRanks;
pub use cuda_kernel_launch_stats::CudaKernelLaunchStats;
pub use cupti_counters::CuptiCounters;
pub use elsewhere::ITERATIONS;
pub use frequent_cuda_kernel_sequences::FrequentCudaKernelSequences;
pub use gpu_kernel_breakdown::GpuKernelBreakdown;
pub use gpu_kernels_with_user_annotations::GpuKernelsWithUserAnnotations;
pub use gpu_user_annotation_breakdown::GpuUserAnnotationBreakdown;
pub(crate) use headlines::HeadlineSums;
pub use headlines::Headlines;
pub use idle_time_breakdown::IdleTimeBreakdown;
pub use kernels::{Kernels, ShortKernels};
pub use listed::{AnswerFiles, Finished, Listed};
pub use memory_bw_summary::MemoryBwSummary;
pub use memory_bw_time_series::MemoryBwTimeSeries;
pub use merge::{ByRank, Merge};
pub use operators::{Operators, OperatorsBy, Recomputed};
pub use plan::Plan;
pub use potential_stragglers::PotentialStragglers;
pub use profiler_steps::ProfilerSteps;
pub use queue_length_summary::QueueLengthSummary;
pub use queue_length_time_series::QueueLengthTimeSeries;
pub use rank_view::RankView;
pub use roofline::{Roofline, RooflineShare};
pub use schema::{Parameter, ParameterKind, SideJoin, TableSchema};
pub use temporal_breakdown::TemporalBreakdown;
pub use time_blocked_on_full_queue::TimeBlockedOnFullQueue;
pub use trace_analysis::TraceAnalysis;
pub use trace_with_counters::{TimeSeries, TraceWithCounters};
pub use validate::{Drops, Validate};

use api::Mapped;
use notes::{nothing_on, without_gpu};

#[cfg(test)]
mod tests;

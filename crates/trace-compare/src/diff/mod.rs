//! Comparisons of a control with a test.

mod api;
mod compared;
mod compared_stats;
mod distinct_runs;
mod elsewhere;
mod figures;
mod found_steps;
mod iteration_marker;
pub(crate) mod iteration_times;
mod labeled_trace;
mod ops_diff;
mod pairs;
mod partial;
mod plan;
mod select;
mod stats_diff;
mod stats_rows;
mod stats_sentences;
mod sum;
mod sums;
mod trace_diff;

pub use api::CompareRuns;
pub use compared::Compared;
pub use compared_stats::ComparedStats;
pub(crate) use distinct_runs::DistinctRuns;
pub use distinct_runs::RecordingsOnce;
pub(crate) use elsewhere::{SideRanks, compared_elsewhere};
pub(crate) use found_steps::resolved_marker;
pub use iteration_marker::IterationMarker;
pub use labeled_trace::LabeledTrace;
pub use ops_diff::OpsDiff;
pub use partial::{finished, mapped, merged, planned};
pub use plan::DiffPlan;
pub use select::{ByDefault, Select, SelectEvents, SelectSetting};
pub use stats_diff::StatsDiff;
pub use trace_diff::TraceDiff;

#[cfg(test)]
mod by_tests;
#[cfg(test)]
mod stats_tests;
#[cfg(test)]
mod tests;

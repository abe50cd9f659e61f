//! Comparisons of runs: what differs, why, whether it is real, and limits on it.

#![deny(missing_docs)]

pub mod baseline;
pub mod certainty;
pub mod comparisons;
pub mod diff;
pub mod explain;
pub mod gate;
pub mod noise;
pub mod phases;
pub mod query;

pub use baseline::{
    BASELINES_FILE, Baseline, BaselineRegion, BaselineRun, Baselines, History, HistoryChange, RegionTime, RunTimes,
};
pub use certainty::{SampleKind, Sentence};
pub use comparisons::{COMPARISONS, ComparisonEntry};
pub use diff::{
    ByDefault, CompareRuns, Compared, ComparedStats, DiffPlan, IterationMarker, LabeledTrace, OpsDiff, RecordingsOnce,
    Select, SelectEvents, SelectSetting, StatsDiff, TraceDiff,
};
pub use explain::{
    Certainty, ClassChange, CommunicationChange, CountChange, EventFile, Explain, ExplainPlan, Explanation, HostWait,
    IdleChange, Judged, MatchedBy, Outlier, PhaseMatch, RegionRow, SideSummary, StepChange, TreeDiff, TreeKind,
    TreeRow, WaitingRow, WaterfallLevel,
};
pub use gate::{
    ACCEPTED_FILE, Accepted, Case, ChangedRegion, Gate, GateAnswer, Honoured, LIMITED_CLASSES, Limit, Limited, Outcome,
    Structural, StructuralFact,
};
pub use noise::{MeasuredNoise, Noise, OperatorNoise};
pub use phases::PhaseSteps;
pub use query::EventQuery;

#[cfg(test)]
use trace_base::Execution;
use trace_base::{
    Compat, DiffSide, Error, Iteration, Pick, Rank, Result, Unlike, Warning, domain, error, exec, shorten_name, state,
};
use trace_data::{
    By, Change, Comparison, DeviceType, Selection, Side, Trace, TraceSet, Window, dataset, distributed, frame, present,
    write,
};
#[cfg(test)]
use trace_data::{LoadOptions, display_table, frame_table};
use trace_events::{collective, companion, filter, steps};

//! Analyses of one trace: HTA's questions, descriptions, call graphs, and HTA's critical path.

#![deny(missing_docs)]

pub mod analysis;
pub mod call_graph;
pub mod describe;
pub mod hta;
mod questions;
pub mod serving;

pub use analysis::{
    Analysis, Answer, Drops, ExposedCollectives, Headlines, Recomputed, RooflineShare, ShortKernels, TraceAnalysis,
};
pub use call_graph::{CALL_GRAPH_COLUMNS, CallGraph, CallStack};
pub use describe::{
    Description, DeviceTime, Finding, IterationSummary, KernelTotal, Measure, OperatorTotal, RankSummary,
};
pub use hta::{HtaCriticalPath, HtaEdge, HtaOverlay, HtaPath};
pub use questions::Questions;
pub use serving::{
    Padding, PhaseSummary, QuantityChange, Replica, Serving, ServingAnswer, ServingChange, Spread, StepSource,
    TimedStep,
};

use trace_base::{
    Compat, Error, Iteration, ParserConfig, Pick, Rank, Result, Warning, domain, error, exec, interval, shorten_name,
    state, stats,
};
use trace_bounds::{CriticalPath, CriticalPathAnswer, critical_path};
#[cfg(test)]
use trace_data::{DeviceType, LoadOptions};
use trace_data::{RankInfo, Trace, TraceSet, dataset, distributed, frame, frame_table, present, store, write};
use trace_events::{
    CapturedGraph, FoundSteps, RequestSums, ServedPhase, ServedStep, Server, StepMarker, callstack, collective,
    companion, counter, filter,
};

//! Analyses of one trace: HTA's questions, descriptions, call graphs, and HTA's critical path.

#![deny(missing_docs)]

pub mod analysis;
pub mod call_graph;
pub mod describe;
pub mod hta;
mod questions;

pub use analysis::{Analysis, Answer, TraceAnalysis};
pub use call_graph::{CALL_GRAPH_COLUMNS, CallGraph, CallStack};
pub use describe::{
    Description, DeviceTime, Finding, IterationSummary, KernelTotal, Measure, OperatorTotal, RankSummary,
};
pub use hta::{HtaCriticalPath, HtaEdge, HtaOverlay, HtaPath};
pub use questions::Questions;

use trace_base::*;
use trace_bounds::*;
use trace_data::*;
use trace_events::*;

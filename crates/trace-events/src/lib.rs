//! Properties of the events of a rank: nesting, collectives over ranks, counters, filters.

#![deny(missing_docs)]

pub mod callstack;
pub mod collective;
pub mod companion;
pub mod counter;
pub mod filter;
pub mod serving;
pub mod steps;

pub use callstack::{CALL_TREE_COLUMNS, CallTree};
pub use collective::{ChargedRank, Stragglers};
pub use companion::{BorrowedCalls, Lending};
pub use serving::{CapturedGraph, RequestSums, ServedPhase, ServedStep, Server};
pub use steps::{FoundSteps, StepMarker};

use trace_base::{
    Compat, Error, Iteration, Pick, Rank, Result, Stream, config, domain, error, exec, interval, shorten_name,
};
#[cfg(test)]
use trace_data::LoadOptions;
use trace_data::{Trace, TraceSet, dataset, frame};

//! Profiler traces of PyTorch as polars frames: read, compare, ask.
//!
//! ```
//! use trace::prelude::*;
//!
//! # fn main() -> trace::Result<()> {
//! let control = TraceSet::load("../../notebooks/data/control")?;
//! let test = TraceSet::load("../../notebooks/data/test")?;
//! let df = TraceDiff::new(&control, &test).control_rank(3).test_rank(1).compare_traces()?;
//! assert!(df.column("diff_duration").is_ok());
//! # Ok(())
//! # }
//! ```
//!
//! Where to begin: [`TraceSet`] loads, [`TraceDiff`] compares two, [`TraceAnalysis`] asks one, [`TraceSet::describe`] says
//! what it holds and what is odd about it; [`filter`] narrows all of them. Answers are polars frames ([`polars`] is the one
//! to use them with); [`trace_view`] draws them.
//!
//! It knows nothing of Jupyter. A program depends on it by path, or by the address of the repository:
//!
//! ```toml
//! [dependencies]
//! trace = { path = "tracebook/crates/trace" }
//! ```
//!
//! The examples `compare` and `overview` are two such programs.

#![deny(missing_docs)]

pub mod analysis;
mod callstack;
mod classify;
mod compat;
mod config;
mod counter;
mod dataset;
mod describe;
mod described;
mod diff;
mod error;
mod event_query;
mod exec;
pub mod filter;
mod frame;
mod histogram;
mod interval;
mod others;
mod overview;
pub mod prelude;
mod read;
mod recording;
mod schema;
mod select;
mod statistics;
mod table;
mod trace;
mod warning;
pub mod write;

pub use analysis::{Analysis, Answer, TraceAnalysis};
pub use classify::{KernelType, memory_kernel_type};
pub use compat::Compat;
pub use config::{
    ALL_ARGS, ARG_GROUPS, AVAILABLE_ARGS, ArgGroup, AttributeSpec, AvailableArg, DefaultValue, ParserBackend,
    ParserConfig, ValueType, YamlVersion,
};
pub use dataset::load::{LoadOptions, LoadProgress};
pub use describe::{
    Description, DeviceTime, Finding, IterationSummary, KernelTotal, Measure, OperatorTotal, RankSummary,
};
pub use diff::{Change, Comparison, LabeledTrace, OpsDiff, TraceDiff, shorten_name};
pub use error::{Error, Result};
pub use event_query::EventQuery;
pub use exec::checkpoint::{CancellationToken, set_checkpoint};
pub use exec::memory::MEMORY_VARIABLE;
pub use frame::columns::EVENT_COLUMNS;
pub use overview::ColumnMemory;
pub use polars;
pub use recording::Unlike;
pub use schema::frame_schema;
pub use select::{DeviceType, Pick, Selection, Side, Window};
pub use table::{display_table, frame_table};
pub use trace::{RankInfo, Trace, TraceSet};
pub use trace_view;
pub use warning::Warning;

//! PyTorch profiler traces as polars frames: loading, comparison, analyses.
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
//! Entry points: [`TraceSet`] loads a trace, [`TraceDiff`] compares two, [`TraceAnalysis`] runs analyses on one,
//! [`Questions::describe`] summarises it and reports anomalies; [`filter`] restricts all of them to some events. Answers are
//! polars frames (use them with the re-exported [`polars`]); [`trace_view`] draws them. Errors are in [`mod@error`].
//!
//! The library does not depend on Jupyter. A program depends on it by path, or by the URL of the repository:
//!
//! ```toml
//! [dependencies]
//! trace = { path = "tracebook/crates/trace" }
//! ```
//!
//! The examples `compare` and `overview` are two such programs.

#![deny(missing_docs)]

pub mod prelude;
pub mod task;

pub use trace_analysis::analysis;
use trace_analysis::{call_graph, describe, hta};
use trace_base::{config, domain, exec, state};
use trace_bounds::{bounds, critical_path};
use trace_compare::{baseline, certainty, comparisons, diff, explain, gate, noise, query};
pub use trace_data::write;
use trace_data::{dataset, distributed, facts, frame, present, store};
pub use trace_events::filter;
use trace_events::{callstack, collective};
use trace_read::read;
use trace_sql::sql;
use trace_timeline::{flame, timeline};

pub use analysis::{Analysis, Answer, TraceAnalysis};
pub use baseline::{
    BASELINES_FILE, Baseline, BaselineRegion, BaselineRun, Baselines, History, HistoryChange, RegionTime, RunTimes,
};
pub use bounds::{BoundChange, ClassBound, RegionBound};
pub use call_graph::{CALL_GRAPH_COLUMNS, CallGraph, CallStack};
pub use call_tree;
pub use callstack::{CALL_TREE_COLUMNS, CallTree};
pub use causal;
pub use certainty::{SampleKind, Sentence};
pub use collective::{ChargedRank, Stragglers};
pub use comparisons::{COMPARISONS, ComparisonEntry};
pub use config::{
    ALL_ARGS, ARG_GROUPS, AVAILABLE_ARGS, ArgGroup, AttributeSpec, AvailableArg, DefaultValue, OWN_ARGS, ParserBackend,
    ParserConfig, ValueType, YamlVersion,
};
pub use critical_path::{BoundWindow, CriticalPath, CriticalPathAnswer, Instance, SHORT_FORMS, TimeChange, WhatIf};
pub use dataset::{
    By, ColumnMemory, DeviceType, LoadOptions, LoadProgress, Selection, Side, Trace, TraceSet, Window, frame_schema,
    remove_left_ranks,
};
pub use describe::{
    Description, DeviceTime, Finding, IterationSummary, KernelTotal, Measure, OperatorTotal, RankSummary,
};
pub use diff::{
    CompareRuns, Compared, ComparedStats, DiffPlan, LabeledTrace, OpsDiff, RecordingsOnce, StatsDiff, TraceDiff,
};
pub use domain::{
    CACHE_VARIABLE, Compat, DiffSide, Iteration, KernelType, MEMORY_VARIABLE, Pick, Rank, STORAGE_TIMEOUT_VARIABLE,
    Stream, UnknownCompat, Unlike, Warning, memory_kernel_type, shorten_name, without_secrets,
};
pub use error::{Error, Result};
pub use exec::allocator::return_free_memory;
pub use exec::cancellation::CancellationToken;
pub use exec::context::Execution;
pub use exec::machine_memory::{free_memory, parse_size};
pub use explain::{
    Certainty, ClassChange, CommunicationChange, CountChange, EventFile, Explain, ExplainPlan, Explanation, HostWait,
    IdleChange, Judged, Lending, Outlier, PhaseMatch, RegionRow, SideSummary, StepChange, TreeDiff, TreeKind, TreeRow,
    WaitingRow, WaterfallLevel,
};
pub use facts::{RankInfo, SourceFile};
pub use flame::{FlameGraph, FlameQuery, FlameTime};
pub use frame::columns::EVENT_COLUMNS;
pub use frame::tables::{COUNTER_COLUMNS, INSTANT_COLUMNS};
pub use frame::{Change, Comparison, FillDefaults, TrackNames};
pub use gate::{
    ACCEPTED_FILE, Accepted, Case, ChangedRegion, Gate, GateAnswer, Honoured, LIMITED_CLASSES, Limit, Limited, Outcome,
    Structural, StructuralFact,
};
pub use hta::{HtaCriticalPath, HtaEdge, HtaOverlay, HtaPath};
pub use noise::{MeasuredNoise, Noise, OperatorNoise};
pub use polars;
pub use present::{display_table, frame_table};
pub use query::EventQuery;
pub use read::{Input, Inputs, has_wildcard, is_name_match, is_trace_name};
pub use sql::{
    QuerySql, SqlAnswer, SqlNames, SqlTable, SqlTables, SqlWord, sql_candidates, sql_column, sql_function,
    sql_functions, sql_keywords, sql_name_at, sql_table_of, sql_tables, tables_named,
};
pub use statistics;
pub use store::{Cache, CacheEntry, Cleared, private_folder};
pub use timeline::{Answered, LaneKind, SentNames, Timeline, TimelineQuery};
pub use trace_analysis::Questions;
pub use trace_base::error;
pub use trace_view;

/// Names of columns of events and comparisons.
pub mod columns {
    pub use crate::frame::columns::{
        CAT, CHANGE, CORRELATION, COUNTS_SUFFIX, DIFF_COUNTS, DIFF_DURATION, DUR, DURATION_SUFFIX, END, GROUP,
        ITERATION, MEAN_SUFFIX, NAME, RANK, SHORT_NAME, STREAM, TID, TS,
    };
}

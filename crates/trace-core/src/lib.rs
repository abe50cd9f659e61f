//! The library without SQL: loading, comparisons and questions of one trace, and the steps of tasks.
//!
//! Programs and cells use `trace`, which adds statements of SQL and the prelude. The crates of the kernel that know nothing of SQL use this
//! one, so that a change of SQL does not compile them again.

#![deny(missing_docs)]

pub mod task;

pub use trace_analysis::analysis;
use trace_analysis::{call_graph, describe, hta};
use trace_base::{domain, exec, state};
use trace_bounds::critical_path;
use trace_compare::{baseline, certainty, comparisons, diff, explain, gate, noise, query};
pub use trace_data::write;
use trace_data::{dataset, distributed, facts, frame, present, store};
pub use trace_events::filter;
use trace_events::{callstack, collective, companion};
use trace_timeline::{flame, timeline};

pub use analysis::{Analysis, Answer, TraceAnalysis};
pub use baseline::{BASELINES_FILE, Baseline, Baselines, History, RunTimes};
pub use call_graph::{CallGraph, CallStack};
pub use call_tree;
pub use callstack::CallTree;
pub use causal;
pub use certainty::Sentence;
pub use collective::Stragglers;
pub use companion::Lending;
pub use comparisons::COMPARISONS;
pub use critical_path::{CriticalPath, Instance, SHORT_FORMS, TimeChange, WhatIf};
pub use dataset::{
    By, DeviceType, LoadOptions, LoadProgress, Selection, Side, Trace, TraceSet, Window, frame_schema,
    remove_left_ranks,
};
pub use describe::{Description, Finding};
pub use diff::{
    CompareRuns, Compared, ComparedStats, DiffPlan, IterationMarker, LabeledTrace, OpsDiff, RecordingsOnce, Select,
    SelectEvents, StatsDiff, TraceDiff,
};
pub use domain::{
    CACHE_VARIABLE, Compat, DiffSide, Iteration, KernelType, MEMORY_VARIABLE, Pick, Rank, STORAGE_TIMEOUT_VARIABLE,
    Stream, Unlike, Warning, memory_kernel_type, shorten_name, without_secrets,
};
pub use error::{Error, Result};
pub use exec::allocator::return_free_memory;
pub use exec::cancellation::CancellationToken;
pub use exec::context::Execution;
pub use exec::machine_memory::{free_memory, parse_size};
pub use explain::{EventFile, Explain, ExplainPlan, Explanation, TreeDiff};
pub use facts::{RankInfo, SourceFile};
pub use flame::{FlameGraph, FlameQuery, FlameTime};
pub use frame::{Change, Comparison, FillDefaults};
pub use gate::{ACCEPTED_FILE, Accepted, Case, Gate, GateAnswer, Limit, Outcome};
pub use hta::{HtaCriticalPath, HtaOverlay, HtaPath};
pub use noise::{MeasuredNoise, Noise};
pub use polars;
pub use present::{display_table, frame_table};
pub use query::EventQuery;
pub use statistics;
pub use store::{Cache, CacheEntry, private_folder};
pub use timeline::{Timeline, TimelineQuery};
pub use trace_analysis::Questions;
pub use trace_base::config::ParserConfig;
pub use trace_base::error;
pub use trace_view;

/// Names of columns of events, comparisons and other frames.
pub mod columns {
    pub use crate::frame::columns::{
        CAT, CHANGE, CORRELATION, COUNTS_SUFFIX, DIFF_COUNTS, DIFF_DURATION, DUR, DURATION_SUFFIX, END, GROUP,
        ITERATION, MEAN_SUFFIX, NAME, RANK, SHORT_NAME, STREAM, TID, TS,
    };
    pub use trace_analysis::call_graph::CALL_GRAPH_COLUMNS;
    pub use trace_data::frame::columns::EVENT_COLUMNS;
    pub use trace_data::frame::tables::{COUNTER_COLUMNS, INSTANT_COLUMNS};
    pub use trace_events::callstack::CALL_TREE_COLUMNS;
    pub use trace_events::companion::{OPERATOR, OPERATOR_SOURCE};
}

/// Parts of answers: the types of their fields and rows.
pub mod answers {
    pub use trace_analysis::analysis::{Drops, ExposedCollectives, Headlines, Recomputed, RooflineShare, ShortKernels};
    pub use trace_analysis::describe::{
        DeviceTime, IterationSummary, KernelTotal, Measure, OperatorTotal, RankSummary,
    };
    pub use trace_analysis::hta::HtaEdge;
    pub use trace_analysis::serving::{
        Padding, PhaseSummary, QuantityChange, Replica, Serving, ServingAnswer, ServingChange, Spread, StepSource,
        TimedStep,
    };
    pub use trace_base::domain::{ProposedMarker, UnknownCompat};
    pub use trace_bounds::bounds::{BoundChange, ClassBound, RegionBound};
    pub use trace_bounds::critical_path::{BoundWindow, CriticalPathAnswer};
    pub use trace_compare::baseline::{BaselineRegion, BaselineRun, HistoryChange, RegionTime};
    pub use trace_compare::certainty::SampleKind;
    pub use trace_compare::comparisons::ComparisonEntry;
    pub use trace_compare::explain::{
        Certainty, ClassChange, CommunicationChange, CountChange, HostWait, IdleChange, Judged, MatchedBy, Outlier,
        PhaseMatch, RegionRow, SideSummary, StepChange, TreeKind, TreeRow, WaitingRow, WaterfallLevel,
    };
    pub use trace_compare::gate::{ChangedRegion, Honoured, LIMITED_CLASSES, Limited, Structural, StructuralFact};
    pub use trace_compare::noise::OperatorNoise;
    pub use trace_compare::phases::PhaseSteps;
    pub use trace_data::dataset::{ColumnMemory, MatchedNodes};
    pub use trace_data::frame::TrackNames;
    pub use trace_data::store::Cleared;
    pub use trace_events::collective::ChargedRank;
    pub use trace_events::companion::LoanCount;
    pub use trace_events::serving::{RequestSums, ServedPhase, ServedStep, Server};
    pub use trace_events::steps::StepMarker;
    pub use trace_timeline::timeline::{Answered, LaneKind, SentNames};
}

/// Arguments of events that become columns, and what a configuration holds.
pub mod config {
    pub use trace_base::config::{
        ALL_ARGS, ARG_GROUPS, AVAILABLE_ARGS, ArgGroup, AttributeSpec, AvailableArg, DefaultValue, OWN_ARGS,
        ParserBackend, ValueType, YamlVersion,
    };
}

/// Files of traces, before they are read, and what PyTorch writes beside them.
pub mod read {
    pub use trace_data::MemoryTimeline;
    pub use trace_data::dataset::{ExecutionTrace, GraphAnnotations};
    pub use trace_read::read::{Input, Inputs, has_wildcard, is_name_match, is_trace_name};
}

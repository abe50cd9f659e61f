//! Common names of this crate, of polars and of trace-view.

pub use crate::analysis::{
    AtenOpKernelsAndDelay, CommCompOverlap, CompareRanks, CudaKernelLaunchStats, FrequentCudaKernelSequences,
    GpuKernelBreakdown, GpuKernelsWithUserAnnotations, GpuUserAnnotationBreakdown, IdleTimeBreakdown, MemoryBwSummary,
    MemoryBwTimeSeries, PotentialStragglers, ProfilerSteps, QueueLengthSummary, QueueLengthTimeSeries,
    TemporalBreakdown, TimeBlockedOnFullQueue, TimeSeries, TraceWithCounters,
};
pub use crate::answers::{CriticalPathAnswer, Serving, ServingAnswer};
pub use crate::config::{AttributeSpec, DefaultValue, ValueType};
pub use crate::filter::{self, Filter, Where};
pub use crate::{
    Answer, By, CallTree, CancellationToken, Change, Compared, Comparison, Compat, CriticalPath, Description,
    DeviceType, EventQuery, Execution, Explain, Explanation, FillDefaults, Finding, FlameQuery, HtaCriticalPath,
    HtaOverlay, Iteration, IterationMarker, LabeledTrace, LoadOptions, LoadProgress, Noise, OpsDiff, ParserConfig,
    Pick, QuerySql, Questions, Rank, RankInfo, Select, SelectEvents, Selection, SqlTables, StatsDiff, Stream,
    TimelineQuery, Trace, TraceAnalysis, TraceDiff, TraceSet, Warning, frame_table, shorten_name,
};
pub use polars::df;
pub use polars::prelude::{
    AnyValue, BooleanChunked, ChunkedArray, Column, DataFrame, DataType, Duration, Expr, Field, Float64Chunked, IdxCa,
    IdxSize, Int64Chunked, IntoColumn, IntoLazy, IntoSeries, JoinArgs, JoinType, LazyFrame, LazyGroupBy, NamedFrom,
    NewChunkedArray, PlSmallStr, PolarsError, PolarsResult, Schema, Series, SortMultipleOptions, SortOptions,
    StringChunked, UniqueKeepStrategy, all, as_struct, coalesce, col, cols, concat, concat_str, len, lit, when,
};
pub use trace_view::{Figure, Present, Report, Table};

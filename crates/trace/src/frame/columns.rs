//! The only place where a column name is spelled.

use trace_view::{Column, Unit};

pub(crate) const RANK: &str = "rank";
pub(crate) const INDEX: &str = "index";
pub(crate) const NAME: &str = "name";
pub(crate) const CAT: &str = "cat";
pub(crate) const TS: &str = "ts";
pub(crate) const DUR: &str = "dur";
pub(crate) const END: &str = "end";
pub(crate) const PID: &str = "pid";
pub(crate) const TID: &str = "tid";
pub(crate) const STREAM: &str = "stream";
pub(crate) const CORRELATION: &str = "correlation";
pub(crate) const INDEX_CORRELATION: &str = "index_correlation";
pub(crate) const ITERATION: &str = "iteration";

pub(crate) const SHORT_NAME: &str = "short_name";
pub(crate) const COUNTS: &str = "counts";
pub(crate) const TOTAL_DURATION: &str = "total_duration";
pub(crate) const DIFF_COUNTS: &str = "diff_counts";
pub(crate) const DIFF_DURATION: &str = "diff_duration";
pub(crate) const CHANGE: &str = "counts_change_categories";

/// What a label is followed by in a column of counts.
pub(crate) const COUNTS_SUFFIX: &str = "_counts";
/// What a label is followed by in a column of durations.
pub(crate) const DURATION_SUFFIX: &str = "_total_duration";

/// The columns of events, in order. Absence is null: an event without a stream ran on the CPU, one without a
/// correlation is tied to nothing, one without an iteration lies outside all of them. The columns from `bytes` on
/// exist only if an event of the rank carries the argument.
pub const EVENT_COLUMNS: &[Column] = &[
    Column::new(INDEX, Unit::None, "position of the event in the file's traceEvents"),
    Column::new(NAME, Unit::None, "name of the operator, runtime call, kernel or annotation"),
    Column::new(CAT, Unit::None, "category: cpu_op, cuda_runtime, kernel, …"),
    Column::new(TS, Unit::Nanos, "start, on the trace's clock"),
    Column::new(DUR, Unit::Nanos, "duration"),
    Column::new(END, Unit::Nanos, "end: ts + dur"),
    Column::new(PID, Unit::None, "process; of a kernel the device"),
    Column::new(TID, Unit::None, "thread; of a kernel the stream"),
    Column::new(STREAM, Unit::None, "GPU stream; null for events of the CPU"),
    Column::new(CORRELATION, Unit::None, "id that ties a runtime call to what it started on the GPU"),
    Column::new(INDEX_CORRELATION, Unit::None, "index of the event that the correlation ties this one to"),
    Column::new(ITERATION, Unit::None, "number of the ProfilerStep#N that the event belongs to"),
    Column::new("bytes", Unit::Bytes, "bytes copied or set"),
    Column::new("memory_bw_gbps", Unit::GigabytesPerSecond, "memory bandwidth of a copy"),
    Column::new("wait_on_stream", Unit::None, "stream that a synchronisation waits for"),
    Column::new(
        "wait_on_cuda_event_record_corr_id",
        Unit::None,
        "correlation of the cudaEventRecord that is waited for",
    ),
    Column::new("input_dims", Unit::None, "shapes of the inputs, as JSON"),
    Column::new("input_type", Unit::None, "types of the inputs, as JSON"),
    Column::new("input_strides", Unit::None, "strides of the inputs, as JSON"),
    Column::new("external_id", Unit::None, "id that ties an operator to its kernels"),
    Column::new("python_id", Unit::None, "id of a Python call"),
    Column::new("python_parent_id", Unit::None, "id of the calling Python call"),
    Column::new("collective_name", Unit::None, "collective operation"),
    Column::new("in_msg_nelems", Unit::Count, "elements sent"),
    Column::new("out_msg_nelems", Unit::Count, "elements received"),
    Column::new("msg_dtype", Unit::None, "type of the elements of a message"),
    Column::new("group_size", Unit::Count, "ranks in the process group"),
    Column::new("process_rank", Unit::None, "rank within the process group"),
    Column::new("in_split_size", Unit::None, "sizes of the parts sent, as JSON"),
    Column::new("out_split_size", Unit::None, "sizes of the parts received, as JSON"),
];

/// How the values of an argument are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ArgKind {
    /// Whole numbers.
    Int,
    /// Numbers.
    Float,
    /// Texts, as categories.
    Text,
    /// Lists, as categories of their JSON text.
    Json,
}

/// An argument of events that becomes a column.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Arg {
    /// The key in `args`.
    pub(crate) key: &'static str,
    /// The column.
    pub(crate) column: &'static str,
    pub(crate) kind: ArgKind,
}

const fn arg(key: &'static str, column: &'static str, kind: ArgKind) -> Arg {
    Arg { key, column, kind }
}

/// Where `stream` stands in [`DEFAULT_ARGS`].
pub(crate) const STREAM_ARG: usize = 0;
/// Where `correlation` stands in [`DEFAULT_ARGS`].
pub(crate) const CORRELATION_ARG: usize = 1;

/// The arguments that HTA keeps by default.
pub(crate) const DEFAULT_ARGS: [Arg; 20] = [
    arg("stream", STREAM, ArgKind::Int),
    arg("correlation", CORRELATION, ArgKind::Int),
    arg("bytes", "bytes", ArgKind::Int),
    arg("memory bandwidth (GB/s)", "memory_bw_gbps", ArgKind::Float),
    arg("wait_on_stream", "wait_on_stream", ArgKind::Int),
    arg("wait_on_cuda_event_record_corr_id", "wait_on_cuda_event_record_corr_id", ArgKind::Int),
    arg("Input Dims", "input_dims", ArgKind::Json),
    arg("Input type", "input_type", ArgKind::Json),
    arg("Input Strides", "input_strides", ArgKind::Json),
    arg("External id", "external_id", ArgKind::Int),
    arg("Python id", "python_id", ArgKind::Int),
    arg("Python parent id", "python_parent_id", ArgKind::Int),
    arg("Collective name", "collective_name", ArgKind::Text),
    arg("In msg nelems", "in_msg_nelems", ArgKind::Int),
    arg("Out msg nelems", "out_msg_nelems", ArgKind::Int),
    arg("dtype", "msg_dtype", ArgKind::Text),
    arg("Group size", "group_size", ArgKind::Int),
    arg("Rank", "process_rank", ArgKind::Int),
    arg("In split size", "in_split_size", ArgKind::Json),
    arg("Out split size", "out_split_size", ArgKind::Json),
];

/// Columns of answers.
const ANSWER_COLUMNS: &[Column] = &[
    Column::new(RANK, Unit::None, "rank"),
    Column::new(SHORT_NAME, Unit::None, "name without parameters and namespaces of arguments"),
    Column::new(COUNTS, Unit::Count, "number of events"),
    Column::new(TOTAL_DURATION, Unit::Micros, "sum of durations"),
    Column::new(DIFF_COUNTS, Unit::Count, "test − control: number of events"),
    Column::new(DIFF_DURATION, Unit::Micros, "test − control: sum of durations"),
    Column::new(CHANGE, Unit::None, "+ more often in test, - less often, = equally often"),
    Column::new(COUNTS_SUFFIX, Unit::Count, "number of events"),
    Column::new(DURATION_SUFFIX, Unit::Micros, "sum of durations"),
];

/// What is known of a column called `name`; a label in front of `_counts` and `_total_duration` does not matter.
pub(crate) fn known(name: &str) -> Option<&'static Column> {
    let all = || EVENT_COLUMNS.iter().chain(ANSWER_COLUMNS);
    let labelled = |column: &&Column| column.name.starts_with('_') && name.ends_with(column.name);
    all().find(|column| column.name == name).or_else(|| all().find(labelled))
}

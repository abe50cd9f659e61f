//! Names, units and meanings of columns.

use crate::config::known_args;
use trace_view::{Column, Unit};

/// The rank.
pub const RANK: &str = "rank";
/// The position of an event in its file.
pub const INDEX: &str = "index";
/// The name of an event.
pub const NAME: &str = "name";
/// The category of an event.
pub const CAT: &str = "cat";
/// The start of an event, in ns.
pub const TS: &str = "ts";
/// The duration of an event, in ns.
pub const DUR: &str = "dur";
/// The end of an event, in ns.
pub const END: &str = "end";
/// The process of an event.
pub const PID: &str = "pid";
/// The thread of an event.
pub const TID: &str = "tid";
/// The GPU stream of an event.
pub const STREAM: &str = "stream";
/// The id that a launch shares with its kernel.
pub const CORRELATION: &str = "correlation";
/// The event at the other end of a correlation.
pub const INDEX_CORRELATION: &str = "index_correlation";
/// The iteration of an event.
pub const ITERATION: &str = "iteration";
/// The bandwidth of a copy.
pub const MEMORY_BANDWIDTH: &str = "memory_bw_gbps";
/// The graph whose replay ran a kernel.
pub(crate) const GRAPH_ID: &str = "graph_id";
/// The node of the graph that a kernel ran as.
pub const GRAPH_NODE_ID: &str = "graph_node_id";
/// The name among the arguments of an event: of a kernel of a graph that of PyTorch's annotation.
pub const ARG_NAME: &str = "arg_name";
/// The kernel that a runtime call launches.
pub const LAUNCHED_KERNEL: &str = "kernel";
/// How a kernel was launched.
pub const LAUNCH_CONFIGURATION: &str = "launch_configuration";
/// Of a backward operator the index of its forward operator.
pub const INDEX_FORWARD: &str = "index_forward";
/// The shapes of the inputs of an operator.
pub const INPUT_DIMS: &str = "input_dims";
/// The types of the inputs of an operator.
pub const INPUT_TYPE: &str = "input_type";

/// The id that ties an operator to its kernels, and to its node of an execution trace.
pub(crate) const EXTERNAL_ID: &str = "external_id";

/// The columns that an execution trace adds to events: the node, then its texts.
pub(crate) static ET_COLUMNS: [Column; 7] = [
    Column::new("et_node", Unit::None, "node of the execution trace"),
    Column::new("op_schema", Unit::None, "schema of the operator, by the execution trace"),
    Column::new("input_shapes", Unit::None, "shapes of the inputs, by the execution trace, as JSON"),
    Column::new("input_types", Unit::None, "types of the inputs, by the execution trace, as JSON"),
    Column::new("output_shapes", Unit::None, "shapes of the outputs, by the execution trace, as JSON"),
    Column::new("output_types", Unit::None, "types of the outputs, by the execution trace, as JSON"),
    Column::new("et_node_name", Unit::None, "name of the node of the execution trace"),
];

/// The shortened name of an operator.
pub const SHORT_NAME: &str = "short_name";
/// The number of events.
pub const COUNTS: &str = "counts";
/// The sum of durations, in µs.
pub const TOTAL_DURATION: &str = "total_duration";
/// Test − control: number of events.
pub const DIFF_COUNTS: &str = "diff_counts";
/// Test − control: sum of durations, in µs.
pub const DIFF_DURATION: &str = "diff_duration";
/// `+`, `-` or `=`: the sign of the change of a count.
pub const CHANGE: &str = "counts_change_categories";
/// The kind of change: added, deleted, increased, decreased or unchanged.
pub const GROUP: &str = "group";

/// The end of the name of a column of counts: `control_counts`.
pub const COUNTS_SUFFIX: &str = "_counts";
/// The end of the name of a column of durations, in µs: `control_total_duration`.
pub const DURATION_SUFFIX: &str = "_total_duration";
/// The end of the name of a column of durations in an iteration, in µs: `control_mean_duration`.
pub const MEAN_SUFFIX: &str = "_mean_duration";

/// The columns of events, in order. Absence is null: an event without a stream ran on the CPU, one without a
/// correlation has no partner, one without an iteration is outside all of them. The columns from `bytes` on are those of
/// the arguments that are read by default; another [`ParserConfig`](crate::ParserConfig) reads others, which
/// `AVAILABLE_ARGS` describes. They exist only if an event of the rank carries the argument.
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
    Column::new(INPUT_DIMS, Unit::None, "shapes of the inputs, as JSON"),
    Column::new(INPUT_TYPE, Unit::None, "types of the inputs, as JSON"),
    Column::new("input_strides", Unit::None, "strides of the inputs, as JSON"),
    Column::new("concrete_inputs", Unit::None, "values of the inputs that are no tensors, as JSON"),
    Column::new(EXTERNAL_ID, Unit::None, "id that ties an operator to its kernels"),
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
    Column::new("seq_num", Unit::None, "number of the collective within its group"),
    Column::new("process_group_name", Unit::None, "name of the process group"),
    Column::new("comms_id", Unit::None, "number of the collective, the same on all its ranks"),
    Column::new("src_rank", Unit::None, "rank that sends"),
    Column::new("dst_rank", Unit::None, "rank that receives"),
    Column::new(
        "original_stream",
        Unit::None,
        "stream of a graph's kernel before the profiler moved it to another row",
    ),
    Column::new(ARG_NAME, Unit::None, "name among the arguments: of a kernel of a graph that of PyTorch's annotation"),
    Column::new(LAUNCHED_KERNEL, Unit::None, "kernel that a runtime call launches, as ROCm writes it"),
    Column::new("kernel_file", Unit::None, "file of the source of a Triton kernel"),
    Column::new(
        LAUNCH_CONFIGURATION,
        Unit::None,
        "grid, block, registers, shared memory and occupancy of a kernel, or what an operator says of its compiled kernel, as JSON",
    ),
    Column::new(GRAPH_ID, Unit::None, "CUDA graph whose replay ran the kernel"),
    Column::new(GRAPH_NODE_ID, Unit::None, "node of the CUDA graph that the kernel ran as"),
    Column::new(
        INDEX_FORWARD,
        Unit::None,
        "of a backward operator the index of its forward operator, if there are modules",
    ),
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
    Column::new(MEAN_SUFFIX, Unit::Micros, "sum of durations in an iteration, the mean of iterations and ranks"),
    Column::new("self_dur", Unit::Nanos, "duration of a call without the calls right inside it"),
    Column::new("parent", Unit::None, "index of the call around it, or of the launch of a GPU event"),
    Column::new("depth", Unit::Count, "events above it"),
    Column::new("height", Unit::Count, "levels below it; 0 of a kernel, at least 1 of a call"),
    Column::new("num_kernels", Unit::Count, "kernels, copies and fills below it; 1 of a kernel"),
    Column::new("kernel_dur_sum", Unit::Nanos, "sum of the durations of these kernels"),
    Column::new("kernel_span", Unit::Nanos, "from the first of these kernels to the end of the last"),
    Column::new("first_kernel_start", Unit::Nanos, "start of the first of these kernels"),
    Column::new("last_kernel_end", Unit::Nanos, "end of the last of these kernels"),
    Column::new("relation", Unit::None, "what the row is of the event: above it, itself, below it"),
    Column::new("end_ts", Unit::Nanos, "end: ts + dur"),
    Column::new("kernel_ts", Unit::Nanos, "start of the kernel"),
    Column::new("kernel_dur", Unit::Nanos, "duration of the kernel"),
    Column::new("kernel_end_ts", Unit::Nanos, "end of the kernel"),
    Column::new(
        "kernel_delay",
        Unit::Nanos,
        "from the end of the call to the start of its kernel; 0 if that is earlier",
    ),
    Column::new("interval_low", Unit::Micros, "lower end of the 95 % interval of the difference"),
    Column::new("interval_high", Unit::Micros, "upper end of the 95 % interval of the difference"),
    Column::new("ratio", Unit::None, "test ÷ control, Hodges–Lehmann"),
    Column::new("ratio_low", Unit::None, "lower end of the 95 % interval of the ratio"),
    Column::new("ratio_high", Unit::None, "upper end of the 95 % interval of the ratio"),
    Column::new("p", Unit::None, "how often samples without a change differ so much"),
    Column::new("q", Unit::None, "p, corrected for all operators"),
    Column::new("verdict", Unit::None, "what can be said of the change"),
    Column::new("mean_duration", Unit::Micros, "sum of durations in an iteration, the mean of iterations and ranks"),
    Column::new("within_percent", Unit::Percent, "standard deviation between the iterations of a run"),
    Column::new("between_percent", Unit::Percent, "standard deviation between the means of runs"),
    Column::new("autocorrelation", Unit::None, "correlation of an iteration with the next one"),
    Column::new("effective_iterations", Unit::Count, "how many independent iterations those of a run are worth"),
    Column::new("iterations_for_1_percent", Unit::Count, "iterations a side that show 1 % between two recordings"),
    Column::new("runs_for_1_percent", Unit::Count, "runs a side that show 1 % between two programs"),
    Column::new("smallest_change_percent", Unit::Percent, "smallest change that as many runs a side show"),
];

/// Returns the declaration of a known column, for a [`Field`](crate::present::Field) that gives it values.
///
/// # Panics
/// If there is none: in a constant, where it is meant for, an error of the compiler.
pub const fn declaration(name: &str) -> Column {
    let tables = [ANSWER_COLUMNS, EVENT_COLUMNS];
    let mut table = 0;
    while table < tables.len() {
        let mut at = 0;
        while at < tables[table].len() {
            if is_same(tables[table][at].name, name) {
                return tables[table][at];
            }
            at += 1;
        }
        table += 1;
    }
    panic!("the column is not in the table of known columns")
}

/// Compares texts, also in constants.
const fn is_same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let mut at = 0;
    while at < one.len() && at < other.len() && one[at] == other[at] {
        at += 1;
    }
    at == one.len() && at == other.len()
}

/// Returns the known column `name`; a label before `_counts`, `_total_duration` and `_mean_duration` is ignored.
pub fn known(name: &str) -> Option<&'static Column> {
    let all = || EVENT_COLUMNS.iter().chain(ANSWER_COLUMNS).chain(&ET_COLUMNS);
    let labelled = |column: &&Column| column.name.starts_with('_') && name.ends_with(column.name);
    let args = || known_args().map(|arg| &arg.column);
    all().chain(args()).find(|column| column.name == name).or_else(|| all().find(labelled))
}

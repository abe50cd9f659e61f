//! Table of the arguments that HTA knows.

use super::spec::{AttributeSpec, DefaultValue, ValueType, YamlVersion};
use ValueType::{Float, Int, Object, String as Str};
use trace_view::{Column, Unit};

/// A known argument.
#[derive(Debug, Clone, Copy)]
pub struct AvailableArg {
    /// The key under which it is requested: `cpu_op::input_dims`.
    pub key: &'static str,
    /// The column it becomes, with unit and meaning.
    pub column: Column,
    /// The key in the `args` of an event.
    pub raw_name: &'static str,
    /// The type of its values.
    pub value_type: ValueType,
    /// The version of the table that introduced it.
    pub min_supported_version: YamlVersion,
    default: Default,
}

/// [`DefaultValue`], as a constant.
#[derive(Debug, Clone, Copy)]
pub(super) enum Default {
    Int(i64),
    Float(f64),
    Text(&'static str),
    List,
}

impl AvailableArg {
    /// Returns it as a config holds it.
    pub fn spec(&self) -> AttributeSpec {
        AttributeSpec {
            name: self.column.name.to_owned(),
            raw_name: self.raw_name.to_owned(),
            value_type: self.value_type,
            default_value: match self.default {
                Default::Int(value) => DefaultValue::Int(value),
                Default::Float(value) => DefaultValue::Float(value),
                Default::Text(value) => DefaultValue::Text(value.to_owned()),
                Default::List => DefaultValue::List,
            },
            min_supported_version: self.min_supported_version,
        }
    }

    const fn since(self, major: u32, minor: u32, patch: u32) -> Self {
        Self { min_supported_version: YamlVersion::new(major, minor, patch), ..self }
    }
}

/// Returns a row: key of the request, column, key in `args`, type, default, unit, meaning.
pub(super) const fn arg(
    key: &'static str,
    name: &'static str,
    raw_name: &'static str,
    value_type: ValueType,
    default: Default,
    unit: Unit,
    meaning: &'static str,
) -> AvailableArg {
    let min_supported_version = YamlVersion::new(1, 0, 0);
    let column = Column::new(name, unit, meaning);
    AvailableArg { key, column, raw_name, value_type, min_supported_version, default }
}

pub(super) const NO_ID: Default = Default::Int(-1);
const ZERO: Default = Default::Int(0);
pub(super) const NO_TEXT: Default = Default::Text("");
pub(super) const NO_LIST: Default = Default::Text("[]");

/// Every argument that HTA knows, in the order of its table of version 1.0.0.
///
/// Differs from HTA: the column of `info::name` is `arg_name`; HTA's overwrites the names of the events.
///
/// # Source
/// HTA `ParserConfig.get_all_available_args`.
#[rustfmt::skip]
pub const AVAILABLE_ARGS: &[AvailableArg] = &[
    arg("index::ev_idx", "ev_idx", "Ev Idx", Int, NO_ID, Unit::None, "position of the operator in the profiler's own count"),
    arg("index::external_id", "external_id", "External id", Int, NO_ID, Unit::None, "id that ties an operator to its kernels"),
    arg("index::python_id", "python_id", "Python id", Int, NO_ID, Unit::None, "id of a Python call"),
    arg("index::python_parent_id", "python_parent_id", "Python parent id", Int, NO_ID, Unit::None, "id of the calling Python call"),
    arg("cpu_op::concrete_inputs", "concrete_inputs", "Concrete Inputs", Object, NO_LIST, Unit::None, "values of the inputs that are no tensors, as JSON"),
    arg("cpu_op::fwd_thread", "fwd_thread_id", "Fwd thread id", Int, NO_ID, Unit::None, "of a backward operator the thread of its forward one"),
    arg("cpu_op::input_dims", "input_dims", "Input Dims", Object, Default::Text("-1"), Unit::None, "shapes of the inputs, as JSON"),
    arg("cpu_op::input_type", "input_type", "Input type", Object, Default::Text("-1"), Unit::None, "types of the inputs, as JSON"),
    arg("cpu_op::input_strides", "input_strides", "Input Strides", Object, Default::Text("-1"), Unit::None, "strides of the inputs, as JSON"),
    arg("cpu_op::sequence_number", "sequence", "Sequence number", Int, NO_ID, Unit::None, "number that ties forward and backward operators"),
    arg("cpu_op::kernel_backend", "kernel_backend", "kernel_backend", Str, NO_TEXT, Unit::None, "who made the kernel: triton"),
    arg("cpu_op::kernel_hash", "kernel_hash", "kernel_hash", Str, NO_TEXT, Unit::None, "hash of the kernel's code").since(1, 1, 0),
    arg("correlation::cbid", "cbid", "cbid", Int, NO_ID, Unit::None, "id of the runtime call's function"),
    arg("correlation::cpu_gpu", "correlation", "correlation", Int, NO_ID, Unit::None, "id that ties a runtime call to what it started on the GPU"),
    arg("sm::blocks", "blocks_per_sm", "blocks per SM", Object, NO_LIST, Unit::Count, "blocks of a kernel per multiprocessor"),
    arg("sm::occupancy", "est_occupancy", "est. achieved occupancy %", Int, NO_ID, Unit::Percent, "estimated share of the multiprocessors' warps that a kernel uses"),
    arg("sm::warps", "warps_per_sm", "warps per SM", Float, Default::Float(0.0), Unit::Count, "warps of a kernel per multiprocessor"),
    arg("data::bytes", "bytes", "bytes", Int, NO_ID, Unit::Bytes, "bytes copied or set"),
    arg("data::bandwidth", "memory_bw_gbps", "memory bandwidth (GB/s)", Float, Default::Float(0.0), Unit::GigabytesPerSecond, "memory bandwidth of a copy"),
    arg("cuda::context", "context", "context", Int, NO_ID, Unit::None, "CUDA context"),
    arg("cuda::device", "device", "device", Int, NO_ID, Unit::None, "GPU"),
    arg("cuda::stream", "stream", "stream", Int, NO_ID, Unit::None, "GPU stream; null for events of the CPU"),
    arg("kernel::queued", "queued", "queued", Int, NO_ID, Unit::None, "when the kernel was queued, as the profiler counts it"),
    arg("kernel::shared_memory", "shared_memory", "shared memory", Int, NO_ID, Unit::Bytes, "shared memory of a kernel's block"),
    arg("threads::block", "block", "block", Object, NO_LIST, Unit::None, "threads of a block in three dimensions, as JSON"),
    arg("threads::grid", "grid", "grid", Object, NO_LIST, Unit::None, "blocks of the grid in three dimensions, as JSON"),
    arg("threads::registers", "registers_per_thread", "registers per thread", Int, NO_ID, Unit::Count, "registers that a thread of the kernel uses"),
    arg("cuda_sync::stream", "wait_on_stream", "wait_on_stream", Int, NO_ID, Unit::None, "stream that a synchronisation waits for"),
    arg("cuda_sync::event", "wait_on_cuda_event_record_corr_id", "wait_on_cuda_event_record_corr_id", Int, NO_ID, Unit::None, "correlation of the cudaEventRecord that is waited for"),
    arg("info::finished", "finished", "finished", Str, NO_TEXT, Unit::None, "whether the event was over when profiling ended"),
    arg("info::labels", "labels", "labels", Str, NO_TEXT, Unit::None, "labels of a process"),
    arg("info::name", "arg_name", "name", Int, NO_ID, Unit::None, "the argument called name"),
    arg("info::op_count", "op_count", "Op count", Int, NO_ID, Unit::Count, "operators of an event"),
    arg("info::sort_index", "sort_index", "sort_index", Int, NO_ID, Unit::None, "place of a process or thread in a viewer"),
    arg("nccl::collective_name", "collective_name", "Collective name", Str, NO_TEXT, Unit::None, "collective operation"),
    arg("nccl::in_msg_nelems", "in_msg_nelems", "In msg nelems", Int, ZERO, Unit::Count, "elements sent"),
    arg("nccl::out_msg_nelems", "out_msg_nelems", "Out msg nelems", Int, ZERO, Unit::Count, "elements received"),
    arg("nccl::in_msg_size", "in_msg_size", "In msg size", Int, ZERO, Unit::Bytes, "bytes sent"),
    arg("nccl::out_msg_size", "out_msg_size", "Out msg size", Int, ZERO, Unit::Bytes, "bytes received"),
    arg("nccl::group_size", "group_size", "Group size", Int, ZERO, Unit::Count, "ranks in the process group"),
    arg("nccl::dtype", "msg_dtype", "dtype", Str, NO_TEXT, Unit::None, "type of the elements of a message"),
    arg("nccl::in_split_size", "in_split_size", "In split size", Object, NO_LIST, Unit::None, "sizes of the parts sent, as JSON"),
    arg("nccl::out_split_size", "out_split_size", "Out split size", Object, NO_LIST, Unit::None, "sizes of the parts received, as JSON"),
    arg("nccl::input_tensors_start", "input_tensors_start", "Input Tensors start", Object, NO_LIST, Unit::None, "where the tensors sent lie, as JSON").since(1, 2, 0),
    arg("nccl::output_tensors_start", "output_tensors_start", "Output Tensors start", Object, NO_LIST, Unit::None, "where the tensors received lie, as JSON").since(1, 2, 0),
    arg("nccl::process_group_name", "process_group_name", "Process Group Name", Str, NO_TEXT, Unit::None, "name of the process group"),
    arg("nccl::process_group_desc", "process_group_desc", "Process Group Description", Str, NO_TEXT, Unit::None, "what the process group is for"),
    arg("nccl::process_group_ranks", "process_group_ranks", "Process Group Ranks", Object, NO_LIST, Unit::None, "ranks of the process group, as JSON"),
    arg("nccl::rank", "process_rank", "Rank", Int, NO_ID, Unit::None, "rank within the process group"),
    arg("nccl::seq", "seq_num", "Seq", Int, NO_ID, Unit::None, "number of the collective within its group"),
    arg("inference::batch_size", "batch_size", "batchSize", Int, NO_ID, Unit::Count, "requests in a batch"),
    arg("inference::batch_id", "batch_id", "batchId", Str, NO_TEXT, Unit::None, "the batch"),
    arg("inference::pre_grad_nodes", "pre_grad_nodes", "pre_grad_nodes", Object, Default::List, Unit::None, "nodes of the graph before autograd, as JSON"),
];

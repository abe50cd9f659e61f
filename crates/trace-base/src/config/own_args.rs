//! Table of the arguments that HTA's table does not have: profilers write them since 2026.

use super::available::{AVAILABLE_ARGS, AvailableArg, Default, NO_ID, NO_LIST, NO_TEXT, arg};
use super::spec::ValueType::{Int, Object, String as Str};
use trace_view::Unit;

/// Every argument that this library knows and HTA does not.
#[rustfmt::skip]
pub const OWN_ARGS: &[AvailableArg] = &[
    arg("nccl::comms_id", "comms_id", "Comms Id", Int, NO_ID, Unit::None, "number of the collective, the same on all its ranks"),
    arg("nccl::src_rank", "src_rank", "Src Rank", Int, NO_ID, Unit::None, "rank that sends"),
    arg("nccl::dst_rank", "dst_rank", "Dst Rank", Int, NO_ID, Unit::None, "rank that receives"),
    arg("cuda::priority", "priority", "priority", Int, Default::Int(0), Unit::None, "priority of the stream; lower numbers run first"),
    arg("cuda::original_stream", "original_stream", "original_stream", Int, NO_ID, Unit::None, "stream of a graph's kernel before the profiler moved it to another row"),
    arg("sm::occupancy_limits", "occupancy", "occupancy", Object, NO_LIST, Unit::None, "what limits the occupancy of a kernel, as JSON"),
    arg("cuda::launched_kernel", "kernel", "kernel", Str, NO_TEXT, Unit::None, "kernel that a runtime call launches, as ROCm writes it"),
    arg("cpu_op::kernel_file", "kernel_file", "kernel_file", Str, NO_TEXT, Unit::None, "file of the source of a Triton kernel"),
    arg("cpu_op::kernel_kwargs", "kernel_kwargs", "kernel_kwargs", Str, NO_TEXT, Unit::None, "compile-time arguments of a Triton kernel: XBLOCK=128"),
    arg("cpu_op::num_warps", "num_warps", "num_warps", Int, NO_ID, Unit::Count, "warps of a block of a Triton kernel"),
    arg("cpu_op::num_stages", "num_stages", "num_stages", Int, NO_ID, Unit::Count, "stages of the loops of a Triton kernel"),
];

/// Arguments that are read whatever is requested, where an event carries them: what identifies a collective on all its ranks, where
/// a kernel comes from, its name in an annotation of a graph, and the values on which the work of an operator depends.
pub const ALWAYS_READ: [&str; 10] = [
    "Seq",
    "Process Group Name",
    "Comms Id",
    "Src Rank",
    "Dst Rank",
    "original_stream",
    "name",
    "kernel_file",
    "kernel",
    "Concrete Inputs",
];

/// Returns all known arguments, HTA's first.
pub fn known_args() -> impl Iterator<Item = &'static AvailableArg> {
    AVAILABLE_ARGS.iter().chain(OWN_ARGS)
}

/// Returns the argument with this key in `args`.
pub fn by_raw_name(raw_name: &str) -> Option<&'static AvailableArg> {
    known_args().find(|arg| arg.raw_name == raw_name)
}

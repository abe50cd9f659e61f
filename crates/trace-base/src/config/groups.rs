//! Groups of arguments.

use super::available::{AVAILABLE_ARGS, AvailableArg};
use super::spec::AttributeSpec;

/// A named group of arguments.
#[derive(Debug, Clone, Copy)]
pub struct ArgGroup {
    /// The name under which it is requested: `input_shape`.
    pub name: &'static str,
    /// One line of meaning.
    pub meaning: &'static str,
    takes: fn(&AvailableArg) -> bool,
    order: &'static [&'static str],
}

impl ArgGroup {
    /// Returns the arguments, in HTA's order.
    pub fn args(&self) -> impl Iterator<Item = &'static AvailableArg> + use<> {
        let Self { order, takes, .. } = *self;
        let listed = order.iter().filter_map(|key| AVAILABLE_ARGS.iter().find(|arg| arg.key == *key));
        listed.chain(AVAILABLE_ARGS.iter().filter(move |arg| takes(arg)))
    }

    /// Returns the keys, `cpu_op::input_dims`, in HTA's order.
    pub fn keys(&self) -> Vec<&'static str> {
        self.args().map(|arg| arg.key).collect()
    }

    const fn of(name: &'static str, meaning: &'static str, order: &'static [&'static str]) -> Self {
        Self { name, meaning, takes: |_| false, order }
    }

    const fn all_that(name: &'static str, meaning: &'static str, takes: fn(&AvailableArg) -> bool) -> Self {
        Self { name, meaning, takes, order: &[] }
    }
}

impl IntoIterator for ArgGroup {
    type Item = AttributeSpec;
    type IntoIter = std::vec::IntoIter<AttributeSpec>;

    fn into_iter(self) -> Self::IntoIter {
        self.args().map(AvailableArg::spec).collect::<Vec<_>>().into_iter()
    }
}

/// The word for every argument that occurs in a trace, known or not: [`ParserConfig::set_parse_all_args`].
///
/// [`ParserConfig::set_parse_all_args`]: crate::ParserConfig::set_parse_all_args
pub const ALL_ARGS: &str = "all";

pub(super) const MINIMUM: ArgGroup = ArgGroup::of(
    "minimum",
    "what ties kernels to their launch; always read",
    &["cuda::stream", "correlation::cpu_gpu"],
);
pub(super) const BANDWIDTH: ArgGroup =
    ArgGroup::of("bandwidth", "sizes and speeds of copies", &["data::bytes", "data::bandwidth"]);
pub(super) const SYNC: ArgGroup =
    ArgGroup::of("sync", "what synchronisations wait for", &["cuda_sync::stream", "cuda_sync::event"]);
pub(super) const INPUT_SHAPE: ArgGroup = ArgGroup::of(
    "input_shape",
    "shapes, types and strides of the operators' inputs",
    &["cpu_op::input_dims", "cpu_op::input_type", "cpu_op::input_strides"],
);
pub(super) const INDEX: ArgGroup = ArgGroup::of(
    "index",
    "ids of operators and Python calls",
    &["index::external_id", "index::python_id", "index::python_parent_id"],
);
pub(super) const COMMUNICATION: ArgGroup = ArgGroup::of(
    "communication",
    "what collectives send and receive",
    &[
        "nccl::collective_name",
        "nccl::in_msg_nelems",
        "nccl::out_msg_nelems",
        "nccl::dtype",
        "nccl::group_size",
        "nccl::rank",
        "nccl::in_split_size",
        "nccl::out_split_size",
    ],
);
pub(super) const TRITON_KERNELS: ArgGroup = ArgGroup::of(
    "triton_kernels",
    "where Triton's kernels come from",
    &["cpu_op::kernel_backend", "cpu_op::kernel_hash"],
);
pub(super) const INFO: ArgGroup = ArgGroup::of(
    "info",
    "labels and names that rows seldom carry",
    &["info::labels", "info::name", "info::sort_index"],
);
pub(super) const COMPLETE: ArgGroup =
    ArgGroup::all_that("complete", "every known argument but those of info", |arg| !arg.key.starts_with("info"));
pub(super) const DEFAULT: ArgGroup = ArgGroup::of(
    "default",
    "minimum, bandwidth, sync, input_shape, index and communication",
    &[
        "cuda::stream",
        "correlation::cpu_gpu",
        "data::bytes",
        "data::bandwidth",
        "cuda_sync::stream",
        "cuda_sync::event",
        "cpu_op::input_dims",
        "cpu_op::input_type",
        "cpu_op::input_strides",
        "index::external_id",
        "index::python_id",
        "index::python_parent_id",
        "nccl::collective_name",
        "nccl::in_msg_nelems",
        "nccl::out_msg_nelems",
        "nccl::dtype",
        "nccl::group_size",
        "nccl::rank",
        "nccl::in_split_size",
        "nccl::out_split_size",
    ],
);

/// Every group, in HTA's order.
///
/// # Source
/// HTA `ParserConfig.ARGS_MINIMUM`, `ARGS_BANDWIDTH`, …
pub const ARG_GROUPS: &[ArgGroup] =
    &[MINIMUM, BANDWIDTH, SYNC, INPUT_SHAPE, INDEX, COMMUNICATION, TRITON_KERNELS, INFO, COMPLETE, DEFAULT];

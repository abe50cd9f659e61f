//! The differences between control and test in every iteration, which the demo must find.

use super::kernels as k;

/// The device on which an event runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Device {
    /// The host: events without a stream.
    Cpu,
    /// The GPU: events on a stream.
    Gpu,
}

/// A name that occurs more or less often.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CountChange {
    /// The device.
    pub device: Device,
    /// The name; of a kernel the complete demangled name.
    pub name: &'static str,
    /// Occurrences per iteration of control.
    pub control: u64,
    /// Occurrences per iteration of test.
    pub test: u64,
}

/// A name that occurs equally often, but with another duration.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DurationChange {
    /// The device.
    pub device: Device,
    /// The name.
    pub name: &'static str,
    /// The least factor from control to test in any iteration.
    pub least: f64,
    /// The greatest factor.
    pub greatest: f64,
}

/// All names whose counts differ.
pub const COUNT_CHANGES: &[CountChange] = &[
    cpu("BmmBackward0", 4, 0),
    cpu("MulBackward0", 2, 0),
    cpu("ScaledDotProductFlashAttentionBackward0", 0, 2),
    cpu("SoftmaxBackward0", 2, 0),
    cpu("ToCopyBackward0", 1, 5),
    cpu("aten::_flash_attention_backward", 0, 2),
    cpu("aten::_flash_attention_forward", 0, 2),
    cpu("aten::_foreach_add_", 2, 0),
    cpu("aten::_foreach_addcdiv_", 1, 0),
    cpu("aten::_foreach_addcmul_", 1, 0),
    cpu("aten::_foreach_div_", 1, 0),
    cpu("aten::_foreach_lerp_", 1, 0),
    cpu("aten::_foreach_mul_", 2, 0),
    cpu("aten::_foreach_sqrt", 1, 0),
    cpu("aten::_fused_adamw_", 0, 1),
    cpu("aten::_local_scalar_dense", 4, 1),
    cpu("aten::_scaled_dot_product_flash_attention", 0, 2),
    cpu("aten::_scaled_dot_product_flash_attention_backward", 0, 2),
    cpu("aten::_softmax", 2, 0),
    cpu("aten::_softmax_backward_data", 2, 0),
    cpu("aten::_to_copy", 5, 13),
    cpu("aten::bmm", 12, 0),
    cpu("aten::copy_", 5, 13),
    cpu("aten::empty_strided", 5, 13),
    cpu("aten::item", 4, 1),
    cpu("aten::matmul", 6, 2),
    cpu("aten::mul", 4, 0),
    cpu("aten::scaled_dot_product_attention", 0, 2),
    cpu("aten::softmax", 2, 0),
    cpu("aten::to", 5, 13),
    cpu("aten::zero_", 5, 3),
    cpu("autograd::engine::evaluate_function: BmmBackward0", 4, 0),
    cpu("autograd::engine::evaluate_function: MulBackward0", 2, 0),
    cpu("autograd::engine::evaluate_function: ScaledDotProductFlashAttentionBackward0", 0, 2),
    cpu("autograd::engine::evaluate_function: SoftmaxBackward0", 2, 0),
    cpu("autograd::engine::evaluate_function: ToCopyBackward0", 1, 5),
    cpu("c10d::allreduce_", 4, 2),
    cpu("cudaEventRecord", 8, 6),
    cpu("cudaLaunchKernel", 122, 100),
    cpu("cudaLaunchKernelExC", 4, 2),
    cpu("cudaMemcpyAsync", 6, 3),
    cpu("cudaMemsetAsync", 5, 3),
    cpu("cudaStreamSynchronize", 4, 1),
    cpu("cudaStreamWaitEvent", 8, 6),
    cpu("nccl:all_reduce", 8, 4),
    cpu("record_param_comms", 4, 2),
    gpu("Memcpy DtoH (Device -> Pageable)", 4, 1),
    gpu("Memcpy HtoD (Pageable -> Device)", 0, 2),
    gpu("Memcpy HtoD (Pinned -> Device)", 2, 0),
    gpu("Memset (Device)", 5, 3),
    gpu(k::BATCHED_SCORES.name, 6, 0),
    gpu(k::ALL_REDUCE.name, 4, 2),
    gpu(k::SOFTMAX_BACKWARD.name, 2, 0),
    gpu(k::SOFTMAX.name, 2, 0),
    gpu(k::FUSED_ADAMW.name, 0, 2),
    gpu(k::FOREACH_MUL.name, 6, 0),
    gpu(k::FOREACH_ADD.name, 4, 0),
    gpu(k::FOREACH_LERP.name, 2, 0),
    gpu(k::FOREACH_SQRT.name, 2, 0),
    gpu(k::FOREACH_ADDCMUL.name, 4, 0),
    gpu(k::CAST.name, 3, 11),
    gpu(k::SCALE.name, 4, 0),
    gpu(k::BATCHED_VALUES.name, 6, 0),
    gpu(k::FLASH_BACKWARD_DOT.name, 0, 2),
    gpu(k::FLASH_BACKWARD.name, 0, 2),
    gpu(k::FLASH_FORWARD.name, 0, 2),
];

/// Names with equal counts whose durations differ on purpose. Durations of further names follow from these (`ProfilerStep`,
/// blocking calls, enclosing annotations) or differ by chance.
pub const DURATION_CHANGES: &[DurationChange] = &[
    // The data loader no longer keeps up.
    factor("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", Device::Cpu, 12.0, 16.0),
    // The batch is no longer pinned: the copy blocks the host.
    factor("## load_batch ##", Device::Cpu, 18.0, 27.0),
    // One fused pass instead of nine.
    factor("Optimizer.step#AdamW.step", Device::Cpu, 0.18, 0.28),
    // Many tokens share few rows of the embedding's table.
    factor(k::EMBEDDING_BACKWARD.name, Device::Gpu, 7.4, 8.7),
];

const fn cpu(name: &'static str, control: u64, test: u64) -> CountChange {
    CountChange { device: Device::Cpu, name, control, test }
}

const fn gpu(name: &'static str, control: u64, test: u64) -> CountChange {
    CountChange { device: Device::Gpu, name, control, test }
}

const fn factor(name: &'static str, device: Device, least: f64, greatest: f64) -> DurationChange {
    DurationChange { device, name, least, greatest }
}

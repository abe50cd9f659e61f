//! The kernels of the job: names as the profiler shows them, shape of the launch, usual duration.

/// A kernel and how it is launched.
pub(super) struct Kernel {
    /// The demangled name.
    pub(super) name: &'static str,
    /// Blocks.
    pub(super) grid: [u64; 3],
    /// Threads per block.
    pub(super) block: [u64; 3],
    /// Registers per thread.
    pub(super) registers: u64,
    /// Shared memory in bytes.
    pub(super) shared: u64,
    /// Estimated achieved occupancy in percent.
    pub(super) occupancy: u64,
    /// The usual duration in nanoseconds.
    pub(super) nanos: u64,
}

const fn gemm(name: &'static str, grid: [u64; 3], nanos: u64) -> Kernel {
    Kernel { name, grid, block: [128, 1, 1], registers: 234, shared: 98_304, occupancy: 6, nanos }
}

const fn pointwise(name: &'static str, blocks: u64, nanos: u64) -> Kernel {
    Kernel { name, grid: [blocks, 1, 1], block: [128, 1, 1], registers: 32, shared: 0, occupancy: 100, nanos }
}

const fn rows(name: &'static str, blocks: u64, shared: u64, nanos: u64) -> Kernel {
    Kernel { name, grid: [blocks, 1, 1], block: [256, 1, 1], registers: 40, shared, occupancy: 75, nanos }
}

const fn foreach(name: &'static str, nanos: u64) -> Kernel {
    Kernel { name, grid: [320, 1, 1], block: [512, 1, 1], registers: 48, shared: 0, occupancy: 81, nanos }
}

// Products of matrices.
pub(super) const GEMM_FORWARD: Kernel =
    gemm("ampere_fp16_s16816gemm_fp16_128x128_ldg8_f2f_stages_32x5_tn", [12, 128, 1], 171_000);
pub(super) const GEMM_INPUT: Kernel =
    gemm("ampere_fp16_s16816gemm_fp16_256x128_ldg8_f2f_stages_64x3_nn", [4, 64, 1], 158_000);
pub(super) const GEMM_WEIGHT: Kernel = gemm(
    "void cutlass::Kernel2<cutlass_80_tensorop_f16_s16816gemm_relu_f16_256x128_32x3_nt_align8>(cutlass_80_tensorop_f16_s16816gemm_relu_f16_256x128_32x3_nt_align8::Params)",
    [6, 4, 8],
    164_000,
);
pub(super) const BATCHED_SCORES: Kernel =
    gemm("ampere_fp16_s16816gemm_fp16_128x128_ldg8_f2f_stages_32x5_tn_batched", [2, 2, 512], 88_000);
pub(super) const BATCHED_VALUES: Kernel = gemm(
    "void cutlass::Kernel2<cutlass_80_wmma_tensorop_f16_s161616gemm_f16_32x32_32x1_nn_align8>(cutlass_80_wmma_tensorop_f16_s161616gemm_f16_32x32_32x1_nn_align8::Params)",
    [2, 8, 512],
    96_000,
);

// Attention.
pub(super) const SOFTMAX: Kernel = rows(
    "void (anonymous namespace)::softmax_warp_forward<c10::Half, c10::Half, float, 8, false, false>(c10::Half*, c10::Half const*, int, int, int, bool const*, int, bool)",
    16_384,
    0,
    74_000,
);
pub(super) const SOFTMAX_BACKWARD: Kernel = rows(
    "void (anonymous namespace)::softmax_warp_backward<float, c10::Half, c10::Half, 8, false, false>(c10::Half*, float const*, c10::Half const*, int, int, int, bool const*)",
    16_384,
    0,
    109_000,
);
pub(super) const FLASH_FORWARD: Kernel = Kernel {
    name: "void pytorch_flash::flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128, 128, 4, false, false, cutlass::half_t, Flash_kernel_traits<64, 128, 128, 4, cutlass::half_t> >, false, true, false, false, true, true, false>(pytorch_flash::Flash_fwd_params)",
    grid: [2, 64, 8],
    block: [128, 1, 1],
    registers: 255,
    shared: 49_152,
    occupancy: 12,
    nanos: 118_000,
};
pub(super) const FLASH_BACKWARD: Kernel = Kernel {
    name: "void pytorch_flash::flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<Flash_bwd_kernel_traits<64, 128, 128, 8, 4, 4, 4, false, false, cutlass::half_t, Flash_kernel_traits<64, 128, 128, 8, cutlass::half_t> >, false, true, false, false, true, true, false>(pytorch_flash::Flash_bwd_params)",
    grid: [2, 64, 8],
    block: [256, 1, 1],
    registers: 255,
    shared: 147_456,
    occupancy: 12,
    nanos: 294_000,
};
pub(super) const FLASH_BACKWARD_DOT: Kernel = Kernel {
    name: "void pytorch_flash::flash_bwd_dot_do_o_kernel<true, Flash_bwd_kernel_traits<64, 128, 128, 8, 4, 4, 4, false, false, cutlass::half_t, Flash_kernel_traits<64, 128, 128, 8, cutlass::half_t> > >(pytorch_flash::Flash_bwd_params)",
    grid: [2, 64, 8],
    block: [256, 1, 1],
    registers: 40,
    shared: 0,
    occupancy: 62,
    nanos: 27_000,
};

// Element by element.
pub(super) const ADD: Kernel = pointwise(
    "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<c10::Half>, at::detail::Array<char*, 3> >(int, at::native::CUDAFunctor_add<c10::Half>, at::detail::Array<char*, 3>)",
    16_384,
    31_000,
);
pub(super) const SCALE: Kernel = pointwise(
    "void at::native::vectorized_elementwise_kernel<4, at::native::BUnaryFunctor<c10::Half, c10::Half, c10::Half, at::native::binary_internal::MulFunctor<c10::Half> >, at::detail::Array<char*, 2> >(int, at::native::BUnaryFunctor<c10::Half, c10::Half, c10::Half, at::native::binary_internal::MulFunctor<c10::Half> >, at::detail::Array<char*, 2>)",
    65_536,
    92_000,
);
pub(super) const GELU: Kernel = pointwise(
    "void at::native::vectorized_elementwise_kernel<4, at::native::GeluCUDAKernelImpl(at::TensorIteratorBase&, at::native::GeluType)::{lambda()#2}::operator()() const::{lambda()#3}::operator()() const::{lambda(c10::Half)#1}, at::detail::Array<char*, 2> >(int, at::native::GeluCUDAKernelImpl(at::TensorIteratorBase&, at::native::GeluType)::{lambda()#2}::operator()() const::{lambda()#3}::operator()() const::{lambda(c10::Half)#1}, at::detail::Array<char*, 2>)",
    65_536,
    84_000,
);
pub(super) const GELU_BACKWARD: Kernel = pointwise(
    "void at::native::vectorized_elementwise_kernel<4, at::native::GeluBackwardCUDAKernelImpl(at::TensorIteratorBase&, at::native::GeluType)::{lambda()#2}::operator()() const::{lambda()#3}::operator()() const::{lambda(c10::Half, c10::Half)#1}, at::detail::Array<char*, 3> >(int, at::native::GeluBackwardCUDAKernelImpl(at::TensorIteratorBase&, at::native::GeluType)::{lambda()#2}::operator()() const::{lambda()#3}::operator()() const::{lambda(c10::Half, c10::Half)#1}, at::detail::Array<char*, 3>)",
    65_536,
    121_000,
);
pub(super) const DROPOUT: Kernel = pointwise(
    "void at::native::(anonymous namespace)::fused_dropout_kernel_vec<c10::Half, float, unsigned int, 1, 4, bool>(at::cuda::detail::TensorInfo<c10::Half const, unsigned int>, at::cuda::detail::TensorInfo<c10::Half, unsigned int>, at::cuda::detail::TensorInfo<bool, unsigned int>, unsigned int, float, at::PhiloxCudaState)",
    864,
    38_000,
);
pub(super) const DROPOUT_ADD: Kernel = pointwise("triton_poi_fused_add_native_dropout_0", 8_192, 44_000);
pub(super) const DROPOUT_BACKWARD: Kernel = pointwise(
    "void at::native::vectorized_elementwise_kernel<4, at::native::(anonymous namespace)::masked_scale_kernel<bool, c10::Half, float>(at::Tensor&, at::Tensor const&, at::Tensor const&, float)::{lambda(c10::Half, bool)#1}, at::detail::Array<char*, 3> >(int, at::native::(anonymous namespace)::masked_scale_kernel<bool, c10::Half, float>(at::Tensor&, at::Tensor const&, at::Tensor const&, float)::{lambda(c10::Half, bool)#1}, at::detail::Array<char*, 3>)",
    16_384,
    33_000,
);
pub(super) const CAST: Kernel = pointwise(
    "void at::native::unrolled_elementwise_kernel<at::native::direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda()#3}::operator()() const::{lambda()#12}::operator()() const::{lambda(c10::Half)#1}, at::detail::Array<char*, 2>, TrivialOffsetCalculator<1, unsigned int>, TrivialOffsetCalculator<1, unsigned int>, at::native::memory::LoadWithCast<1>, at::native::memory::StoreWithCast<1> >(int, at::native::direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda()#3}::operator()() const::{lambda()#12}::operator()() const::{lambda(c10::Half)#1}, at::detail::Array<char*, 2>, TrivialOffsetCalculator<1, unsigned int>, TrivialOffsetCalculator<1, unsigned int>, at::native::memory::LoadWithCast<1>, at::native::memory::StoreWithCast<1>)",
    8_192,
    22_000,
);

pub(super) const FILL: Kernel = pointwise(
    "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, at::detail::Array<char*, 1> >(int, at::native::FillFunctor<float>, at::detail::Array<char*, 1>)",
    1,
    2_100,
);
pub(super) const CONCATENATE: Kernel = pointwise(
    "void at::native::(anonymous namespace)::CatArrayBatchedCopy_aligned16_contig<at::native::(anonymous namespace)::OpaqueType<2u>, unsigned int, 3, 128, 1>(at::native::(anonymous namespace)::OpaqueType<2u>*, at::native::(anonymous namespace)::CatArrInputTensorMetadata<at::native::(anonymous namespace)::OpaqueType<2u>, unsigned int, 128, 1>, at::native::(anonymous namespace)::TensorSizeStride<unsigned int, 4u>, int, unsigned int)",
    648,
    58_000,
);

// Row by row.
pub(super) const LAYER_NORM: Kernel = rows(
    "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<c10::Half, float>(int, float, c10::Half const*, c10::Half const*, c10::Half const*, float*, float*, c10::Half*)",
    16_384,
    24,
    36_000,
);
pub(super) const LAYER_NORM_BACKWARD_INPUT: Kernel = rows(
    "void at::native::(anonymous namespace)::layer_norm_grad_input_kernel_vectorized<c10::Half, float>(c10::Half const*, c10::Half const*, float const*, float const*, c10::Half const*, c10::Half*, int)",
    16_384,
    16,
    57_000,
);
pub(super) const LAYER_NORM_BACKWARD_WEIGHT: Kernel = rows(
    "void at::native::(anonymous namespace)::GammaBetaBackwardCUDAKernel_32x32<c10::Half, float>(long, long, c10::Half const*, c10::Half const*, float const*, float const*, c10::Half*, c10::Half*)",
    16,
    4_224,
    49_000,
);
pub(super) const SUM: Kernel = rows(
    "void at::native::reduce_kernel<128, 4, at::native::ReduceOp<c10::Half, at::native::func_wrapper_t<c10::Half, at::native::sum_functor<c10::Half, float, c10::Half>::operator()(at::TensorIterator&)::{lambda(float, float)#1}>, unsigned int, c10::Half, 4> >(at::native::ReduceOp<c10::Half, at::native::func_wrapper_t<c10::Half, at::native::sum_functor<c10::Half, float, c10::Half>::operator()(at::TensorIterator&)::{lambda(float, float)#1}>, unsigned int, c10::Half, 4>)",
    48,
    2_048,
    41_000,
);
pub(super) const NORM: Kernel = rows(
    "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::NormTwoOps<float, float, float>, unsigned int, float, 4> >(at::native::ReduceOp<float, at::native::NormTwoOps<float, float, float>, unsigned int, float, 4>)",
    108,
    16,
    29_000,
);
pub(super) const EMBEDDING: Kernel = rows(
    "void at::native::(anonymous namespace)::indexSelectLargeIndex<c10::Half, long, unsigned int, 2, 2, -2, true>(at::cuda::detail::TensorInfo<c10::Half, unsigned int>, at::cuda::detail::TensorInfo<c10::Half const, unsigned int>, at::cuda::detail::TensorInfo<long const, unsigned int>, int, int, unsigned int, unsigned int, long)",
    864,
    0,
    26_000,
);
pub(super) const EMBEDDING_BACKWARD: Kernel = Kernel {
    name: "void at::native::(anonymous namespace)::embedding_backward_feature_kernel<c10::Half, float, long>(long const*, c10::Half const*, c10::Half*, int, long, int)",
    grid: [16, 1, 1],
    block: [32, 32, 1],
    registers: 40,
    shared: 12_416,
    occupancy: 5,
    nanos: 182_000,
};
pub(super) const LOG_SOFTMAX: Kernel = rows(
    "void at::native::(anonymous namespace)::cunn_SoftMaxForward<8, c10::Half, float, float, at::native::(anonymous namespace)::LogSoftMaxForwardEpilogue>(float*, c10::Half const*, int)",
    16_384,
    128,
    133_000,
);
pub(super) const LOG_SOFTMAX_BACKWARD: Kernel = rows(
    "void at::native::(anonymous namespace)::cunn_SoftMaxBackward<8, c10::Half, float, float, at::native::(anonymous namespace)::LogSoftMaxBackwardEpilogue>(c10::Half*, float const*, float const*, int)",
    16_384,
    128,
    147_000,
);
pub(super) const NLL: Kernel = rows(
    "void at::native::(anonymous namespace)::nll_loss_forward_reduce_cuda_kernel_2d<float, float, long>(float*, float*, float const*, long const*, float const*, bool, long, long, long, long)",
    1,
    0,
    24_000,
);
pub(super) const NLL_BACKWARD: Kernel = rows(
    "void at::native::(anonymous namespace)::nll_loss_backward_reduce_cuda_kernel_2d<float, long>(float*, float const*, long const*, float const*, float const*, bool, int, int, long, long)",
    1,
    0,
    19_000,
);

// Many tensors at once: the optimizer.
pub(super) const FOREACH_ADD: Kernel = foreach(
    "void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::(anonymous namespace)::TensorListMetadata<1>, at::native::(anonymous namespace)::BinaryOpScalarFunctor<float, 1, 1, 0>, std::plus<float>, float>(at::native::(anonymous namespace)::TensorListMetadata<1>, at::native::(anonymous namespace)::BinaryOpScalarFunctor<float, 1, 1, 0>, std::plus<float>, float)",
    23_000,
);
pub(super) const FOREACH_MUL: Kernel = foreach(
    "void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::(anonymous namespace)::TensorListMetadata<1>, at::native::(anonymous namespace)::BinaryOpScalarFunctor<float, 1, 1, 0>, std::multiplies<float>, float>(at::native::(anonymous namespace)::TensorListMetadata<1>, at::native::(anonymous namespace)::BinaryOpScalarFunctor<float, 1, 1, 0>, std::multiplies<float>, float)",
    21_000,
);
pub(super) const FOREACH_LERP: Kernel = foreach(
    "void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::(anonymous namespace)::TensorListMetadata<2>, at::native::(anonymous namespace)::TernaryOpScalarFunctor<float, 2, 2, 0>, at::native::LerpFunctor<float>, float>(at::native::(anonymous namespace)::TensorListMetadata<2>, at::native::(anonymous namespace)::TernaryOpScalarFunctor<float, 2, 2, 0>, at::native::LerpFunctor<float>, float)",
    33_000,
);
pub(super) const FOREACH_ADDCMUL: Kernel = foreach(
    "void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::(anonymous namespace)::TensorListMetadata<3>, at::native::(anonymous namespace)::PointwiseOpScalarFunctor<float, 3, 3, 0>, std::multiplies<float>, float>(at::native::(anonymous namespace)::TensorListMetadata<3>, at::native::(anonymous namespace)::PointwiseOpScalarFunctor<float, 3, 3, 0>, std::multiplies<float>, float)",
    37_000,
);
pub(super) const FOREACH_SQRT: Kernel = foreach(
    "void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::(anonymous namespace)::TensorListMetadata<2>, at::native::(anonymous namespace)::UnaryOpFunctor<float, 2, 1, 1>, at::native::Sqrt<float> >(at::native::(anonymous namespace)::TensorListMetadata<2>, at::native::(anonymous namespace)::UnaryOpFunctor<float, 2, 1, 1>, at::native::Sqrt<float>)",
    25_000,
);
pub(super) const FUSED_ADAMW: Kernel = foreach(
    "void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::(anonymous namespace)::FusedOptimizerTensorListMetadata<4>, at::native::(anonymous namespace)::FusedAdamMathFunctor<float, 4, (at::native::(anonymous namespace)::ADAM_MODE)1, false>, float const*, double, double, double, double, double, bool, float*, float*>(at::native::(anonymous namespace)::FusedOptimizerTensorListMetadata<4>, at::native::(anonymous namespace)::FusedAdamMathFunctor<float, 4, (at::native::(anonymous namespace)::ADAM_MODE)1, false>, float const*, double, double, double, double, double, bool, float*, float*)",
    58_000,
);
pub(super) const AVERAGE: Kernel = pointwise(
    "void at::native::vectorized_elementwise_kernel<4, at::native::(anonymous namespace)::lerp_scalar_kernel(at::TensorIteratorBase&, c10::Scalar const&)::{lambda()#1}::operator()() const::{lambda()#2}::operator()() const::{lambda(float, float)#1}, at::detail::Array<char*, 3> >(int, at::native::(anonymous namespace)::lerp_scalar_kernel(at::TensorIteratorBase&, c10::Scalar const&)::{lambda()#1}::operator()() const::{lambda()#2}::operator()() const::{lambda(float, float)#1}, at::detail::Array<char*, 3>)",
    64,
    16_000,
);

// Between ranks.
pub(super) const ALL_REDUCE: Kernel = Kernel {
    name: "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
    grid: [24, 1, 1],
    block: [512, 1, 1],
    registers: 96,
    shared: 82_560,
    occupancy: 0,
    nanos: 0,
};

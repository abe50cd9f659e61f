//! The table of models.

use super::attention::{self, CausalArgument};
use super::call::Family;
use super::convolution;
use super::formulas::*;
use super::layouts::{ADAM, GENERAL, batch_first, convolved, dense, packed, product, spread};
use super::model::{Model, outer, row};
use super::norm::{self, Channels, RootMeanSquare};
use super::optimizer::{self, is_read, is_updated};
use super::reduction::{Outcome, reduce};
use super::{elementwise, grouped, inductor, loss, matmul, movement, served};
use crate::operand::data_type::DataType;

/// All models; each row is on the page of models.
pub static MODELS: &[Model] = &[
    // Products of matrices.
    row(&["aten::mm", "aten::_int_mm"], Family::Matmul, MM, |c| matmul::plain(c, &product(0, 1, &[]))),
    row(&["aten::addmm", "aten::_addmm_activation"], Family::Matmul, MM, |c| matmul::plain(c, &product(1, 2, &[0]))),
    row(&["aten::bmm"], Family::Matmul, BMM, |c| matmul::batched(c, &product(0, 1, &[]))),
    row(&["aten::baddbmm"], Family::Matmul, BMM, |c| matmul::batched(c, &product(1, 2, &[0]))),
    row(&["aten::mv", "aten::dot", "aten::vdot"], Family::Matmul, MM, |c| matmul::vector(c, &product(0, 1, &[]))),
    row(&["aten::addmv"], Family::Matmul, MM, |c| matmul::vector(c, &product(1, 2, &[0]))),
    row(&["aten::_scaled_mm"], Family::Matmul, SCALED, |c| {
        matmul::plain(c, &matmul::Layout { out_type: Some(6), ..product(0, 1, &[2, 3, 4]) })
    }),
    row(&["aiter::gemm_a16w16"], Family::Matmul, MM, |c| {
        matmul::plain(c, &matmul::Layout { is_transposed: true, out_type: Some(3), ..product(0, 1, &[2]) })
    }),
    row(&["aiter::gemm_a8w8", "aiter::gemm_a8w8_CK"], Family::Matmul, SCALED, |c| {
        matmul::plain(c, &matmul::Layout { is_transposed: true, out_type: Some(5), ..product(0, 1, &[2, 3, 4]) })
    }),
    row(&["mkldnn::_linear_pointwise"], Family::Matmul, MM, |c| {
        matmul::plain(c, &matmul::Layout { is_transposed: true, ..product(0, 1, &[2]) })
    }),
    outer(&["aten::linear"], Family::Matmul, MM, |c| {
        matmul::plain(c, &matmul::Layout { is_transposed: true, ..product(0, 1, &[2]) })
    }),
    outer(&["aten::matmul"], Family::Matmul, BMM, |c| matmul::broadcast(c, &product(0, 1, &[]))),
    // Groups and experts.
    row(&["aten::_grouped_mm"], Family::Grouped, GROUPED, |c| {
        grouped::products(c, &grouped::Layout { offsets: 2, rest: &[3], out_type: Some(4) })
    }),
    row(&["aten::_scaled_grouped_mm"], Family::Grouped, GROUPED, |c| {
        grouped::products(c, &grouped::Layout { offsets: 4, rest: &[2, 3, 5], out_type: Some(7) })
    }),
    row(
        &[
            "vllm::inplace_fused_experts",
            "vllm::outplace_fused_experts",
            "sglang::inplace_fused_experts",
            "sglang::outplace_fused_experts",
        ],
        Family::Grouped,
        MOE,
        |c| grouped::experts(c, 3),
    ),
    // Convolutions.
    row(
        &["aten::convolution", "aten::_convolution", "aten::convolution_overrideable"],
        Family::Convolution,
        CONV,
        |c| convolution::forward(c, &GENERAL),
    ),
    row(&["aten::cudnn_convolution"], Family::Convolution, CONV, |c| {
        convolution::forward(c, &convolved([3, 2, 4], None, 5))
    }),
    row(&["aten::cudnn_convolution_relu"], Family::Convolution, CONV, |c| {
        convolution::forward(c, &convolved([3, 4, 5], Some(2), 6))
    }),
    row(&["aten::miopen_convolution", "aten::mkldnn_convolution"], Family::Convolution, CONV, |c| {
        convolution::forward(c, &convolved([4, 3, 5], Some(2), 6))
    }),
    row(&["aten::thnn_conv2d", "aten::_slow_conv2d_forward", "aten::slow_conv3d"], Family::Convolution, CONV, |c| {
        convolution::forward(c, &convolution::Layout { dilation: None, ..convolved([4, 5, 5], Some(3), 6) })
    }),
    row(
        &[
            "aten::_conv_depthwise2d",
            "aten::conv_depthwise3d",
            "aten::slow_conv_dilated2d",
            "aten::slow_conv_dilated3d",
        ],
        Family::Convolution,
        CONV,
        |c| convolution::forward(c, &convolved([4, 5, 6], Some(3), 7)),
    ),
    row(&["aten::cudnn_convolution_transpose"], Family::Convolution, SPREAD, |c| {
        convolution::forward(c, &spread([4, 2, 5], None, 3, 6))
    }),
    row(&["aten::miopen_convolution_transpose"], Family::Convolution, SPREAD, |c| {
        convolution::forward(c, &spread([5, 3, 6], Some(2), 4, 7))
    }),
    outer(&["aten::conv1d", "aten::conv2d", "aten::conv3d"], Family::Convolution, CONV, |c| {
        convolution::forward(c, &convolved([3, 4, 5], Some(2), 6))
    }),
    outer(
        &["aten::conv_transpose1d", "aten::conv_transpose2d", "aten::conv_transpose3d"],
        Family::Convolution,
        SPREAD,
        |c| convolution::forward(c, &spread([3, 4, 7], Some(2), 5, 6)),
    ),
    row(
        &["aten::convolution_backward", "aten::convolution_backward_overrideable"],
        Family::Convolution,
        CONV_BACK,
        |c| {
            // The second has no sizes of the bias among its arguments.
            let shift = usize::from(c.name == "aten::convolution_backward_overrideable");
            convolution::backward(c, 7 - shift, 10 - shift)
        },
    ),
    // Attention.
    row(&["aten::_scaled_dot_product_flash_attention"], Family::Attention, ATTENTION, |c| {
        attention::forward(c, &batch_first([0, 1, 2], 4, None))
    }),
    row(&["aten::_scaled_dot_product_flash_attention_for_cpu"], Family::Attention, ATTENTION, |c| {
        attention::forward(c, &batch_first([0, 1, 2], 4, Some(5)))
    }),
    row(
        &["aten::_scaled_dot_product_efficient_attention", "aten::_scaled_dot_product_cudnn_attention"],
        Family::Attention,
        ATTENTION,
        |c| attention::forward(c, &batch_first([0, 1, 2], 6, Some(3))),
    ),
    row(&["aten::_scaled_dot_product_fused_attention_overrideable"], Family::Attention, ATTENTION, |c| {
        attention::forward(c, &batch_first([0, 1, 2], 5, Some(3)))
    }),
    outer(
        &["aten::scaled_dot_product_attention", "aten::_scaled_dot_product_attention_math"],
        Family::Attention,
        ATTENTION,
        |c| attention::forward(c, &batch_first([0, 1, 2], 5, Some(3))),
    ),
    row(&["aten::_flash_attention_forward"], Family::Attention, ATTENTION, |c| {
        attention::forward(c, &packed([0, 1, 2], CausalArgument::End(8), [3, 4], Some([11, 12])))
    }),
    row(&["aten::_efficient_attention_forward"], Family::Attention, ATTENTION, |c| {
        let layout = packed([0, 1, 2], CausalArgument::Kind(9), [4, 5], None);
        attention::forward(c, &attention::Layout { bias: Some(3), ..layout })
    }),
    row(&["flash_attn::_flash_attn_forward"], Family::Attention, ATTENTION, |c| {
        attention::forward(c, &dense([0, 1, 2], 5, [6, 7]))
    }),
    row(&["flash_attn::_flash_attn_varlen_forward"], Family::Attention, ATTENTION, |c| {
        attention::forward(c, &packed([0, 1, 2], CausalArgument::End(9), [3, 4], Some([10, 11])))
    }),
    row(&["aten::_scaled_dot_product_flash_attention_for_cpu_backward"], Family::Attention, ATTENTION_BACK, |c| {
        attention::backward(c, &batch_first([1, 2, 3], 7, Some(8)), true)
    }),
    row(&["aten::_scaled_dot_product_flash_attention_backward"], Family::Attention, ATTENTION_BACK, |c| {
        attention::backward(c, &batch_first([1, 2, 3], 11, None), true)
    }),
    row(&["aten::_scaled_dot_product_efficient_attention_backward"], Family::Attention, ATTENTION_BACK, |c| {
        attention::backward(c, &batch_first([1, 2, 3], 11, Some(4)), true)
    }),
    row(&["aten::_scaled_dot_product_cudnn_attention_backward"], Family::Attention, ATTENTION_BACK, |c| {
        attention::backward(c, &batch_first([1, 2, 3], 14, Some(8)), true)
    }),
    row(&["aten::_flash_attention_backward"], Family::Attention, ATTENTION_BACK, |c| {
        attention::backward(c, &packed([1, 2, 3], CausalArgument::End(11), [6, 7], Some([15, 16])), true)
    }),
    row(&["aten::_efficient_attention_backward"], Family::Attention, ATTENTION_BACK, |c| {
        let layout = packed([1, 2, 3], CausalArgument::Kind(14), [6, 7], None);
        attention::backward(c, &attention::Layout { bias: Some(4), ..layout }, true)
    }),
    row(&["flash_attn::_flash_attn_backward"], Family::Attention, ATTENTION_BACK, |c| {
        attention::backward(c, &dense([1, 2, 3], 11, [12, 13]), true)
    }),
    row(&["flash_attn::_flash_attn_varlen_backward"], Family::Attention, ATTENTION_BACK, |c| {
        attention::backward(c, &packed([1, 2, 3], CausalArgument::End(15), [9, 10], Some([16, 17])), true)
    }),
    row(&["sglang_profiler::attention_paged_attention_ragged*"], Family::Attention, SERVED, |c| {
        served::paged(c, 2, 3, 4)
    }),
    row(&["vllm::unified_attention", "vllm::unified_attention_with_output"], Family::Attention, SERVED, |c| {
        served::paged(c, 0, 1, 2)
    }),
    // Norms.
    row(&["aten::native_layer_norm"], Family::Norm, NORM, |c| norm::forward(c, [2, 3], Channels::Listed(1), None)),
    row(&["aten::native_group_norm"], Family::Norm, NORM, |c| norm::forward(c, [1, 2], Channels::Second, None)),
    row(
        &[
            "aten::native_batch_norm",
            "aten::cudnn_batch_norm",
            "aten::miopen_batch_norm",
            "aten::_native_batch_norm_legit",
        ],
        Family::Norm,
        NORM,
        |c| norm::forward(c, [1, 2], Channels::Second, Some(5)),
    ),
    outer(&["aten::layer_norm"], Family::Norm, NORM, |c| norm::forward(c, [2, 3], Channels::Listed(1), None)),
    outer(&["aten::group_norm"], Family::Norm, NORM, |c| norm::forward(c, [2, 3], Channels::Second, None)),
    outer(&["aten::batch_norm", "aten::_batch_norm_impl_index", "aten::instance_norm"], Family::Norm, NORM, |c| {
        norm::forward(c, [1, 2], Channels::Second, Some(5))
    }),
    row(&["aten::native_layer_norm_backward"], Family::Norm, NORM_BACK, |c| norm::backward(c, [0, 1], 5)),
    row(&["aten::native_group_norm_backward"], Family::Norm, NORM_BACK, |c| norm::backward(c, [0, 1], 4)),
    row(&["aten::native_batch_norm_backward"], Family::Norm, NORM_BACK, |c| norm::backward(c, [0, 1], 2)),
    row(&["aten::cudnn_batch_norm_backward", "aten::miopen_batch_norm_backward"], Family::Norm, NORM_BACK, |c| {
        norm::backward(c, [1, 0], 2)
    }),
    row(&["aten::_fused_rms_norm"], Family::Norm, RMS, |c| {
        norm::root_mean_square(c, &RootMeanSquare { input: 0, residual: None, weight: 2 }, Some(1))
    }),
    outer(&["aten::rms_norm"], Family::Norm, RMS, |c| {
        norm::root_mean_square(c, &RootMeanSquare { input: 0, residual: None, weight: 2 }, Some(1))
    }),
    row(&["aten::_fused_rms_norm_backward"], Family::Norm, RMS_BACK, |c| norm::root_mean_square_backward(c, 4)),
    row(&["aiter::rmsnorm", "_C::rms_norm", "sgl_kernel::rmsnorm"], Family::Norm, RMS, |c| {
        norm::root_mean_square(c, &RootMeanSquare { input: 1, residual: None, weight: 2 }, None)
    }),
    row(&["_C::fused_add_rms_norm", "sgl_kernel::fused_add_rmsnorm"], Family::Norm, RMS, |c| {
        norm::root_mean_square(c, &RootMeanSquare { input: 0, residual: Some(1), weight: 2 }, None)
    }),
    row(&["aiter::add_rmsnorm"], Family::Norm, RMS, |c| {
        norm::root_mean_square(c, &RootMeanSquare { input: 1, residual: Some(2), weight: 4 }, None)
    }),
    // Softmax and losses.
    row(&["aten::_softmax", "aten::_log_softmax"], Family::Loss, SOFTMAX, |c| loss::softmax(c, Some(2))),
    row(&["aten::_safe_softmax"], Family::Loss, SOFTMAX, |c| loss::softmax(c, None)),
    outer(&["aten::softmax", "aten::log_softmax"], Family::Loss, SOFTMAX, |c| loss::softmax(c, None)),
    row(&["aten::_softmax_backward_data", "aten::_log_softmax_backward_data"], Family::Loss, SOFTMAX_BACK, |c| {
        loss::softmax_backward(c)
    }),
    outer(&["aten::cross_entropy_loss"], Family::Loss, ["5BV", "BV·e + 12B", "softmax"], loss::cross_entropy),
    row(
        &["aten::nll_loss_forward", "aten::nll_loss2d_forward"],
        Family::Loss,
        ["B", "B·e + targets + result", "softmax"],
        loss::negative_log_likelihood,
    ),
    row(
        &["aten::nll_loss_backward", "aten::nll_loss2d_backward"],
        Family::Loss,
        ["B", "gradient + targets + BV·e", "softmax"],
        loss::negative_log_likelihood_backward,
    ),
    // Copies, fills and indexing.
    row(&["aten::copy_"], Family::Movement, MOVED, movement::copy),
    row(&["aten::clone"], Family::Movement, MOVED, movement::duplicate),
    outer(&["aten::contiguous"], Family::Movement, MOVED, movement::duplicate),
    row(&["aten::fill_", "aten::zero_"], Family::Movement, MOVED, movement::fill),
    row(&["aten::cat"], Family::Movement, MOVED, movement::concatenate),
    outer(&["aten::concat", "aten::concatenate", "aten::stack"], Family::Movement, MOVED, movement::concatenate),
    row(&["aten::embedding"], Family::Movement, MOVED, movement::embedding),
    row(&["aten::embedding_dense_backward"], Family::Movement, ADDED, movement::embedding_backward),
    row(&["aten::index_select"], Family::Movement, MOVED, movement::select_rows),
    row(&["aten::gather"], Family::Movement, MOVED, movement::gather),
    row(&["aten::scatter_", "aten::scatter"], Family::Movement, MOVED, |c| movement::scatter(c, false)),
    row(&["aten::scatter_add_", "aten::scatter_add"], Family::Movement, MOVED, |c| movement::scatter(c, true)),
    row(&["aten::index"], Family::Movement, MOVED, |c| movement::index(c, false)),
    row(&["aten::_index_put_impl_"], Family::Movement, MOVED, |c| movement::index(c, true)),
    row(&["sglang::store_cache"], Family::Movement, MOVED, |c| movement::store_cache(c, 4)),
    row(&["_C_cache_ops::reshape_and_cache*"], Family::Movement, MOVED, |c| movement::store_cache(c, 4)),
    // Optimizers.
    row(&["aten::_fused_adamw_"], Family::Optimizer, ["14n", "2p + g + 2m + 2v (28n at 4 bytes)", "optimizers"], |c| {
        optimizer::fused(c, 14, ADAM)
    }),
    row(&["aten::_fused_adam_"], Family::Optimizer, ["15n", "2p + g + 2m + 2v (28n at 4 bytes)", "optimizers"], |c| {
        optimizer::fused(c, 15, ADAM)
    }),
    row(&["aten::_fused_sgd_"], Family::Optimizer, ["4n", "2p + g + 2m", "optimizers"], |c| {
        optimizer::fused(c, 4, &[is_updated(0), is_read(1), is_updated(2)])
    }),
    row(&["aten::_fused_adagrad_"], Family::Optimizer, ["7n", "2p + g + 2s", "optimizers"], |c| {
        optimizer::fused(c, 7, &[is_updated(0), is_read(1), is_updated(2)])
    }),
    row(&["aten::_foreach_norm"], Family::Reduction, FOREACH_NORM, elementwise::foreach_norm),
    row(&["aten::_foreach_*"], Family::Elementwise, FOREACH, elementwise::foreach),
    // Reductions.
    row(&["aten::sum", "aten::mean", "aten::prod", "aten::nansum"], Family::Reduction, REDUCE, |c| {
        let outcome = if c.name == "aten::mean" { Outcome::Value } else { Outcome::Sum };
        reduce(c, outcome, 1)
    }),
    row(&["aten::amax", "aten::amin", "aten::logsumexp"], Family::Reduction, REDUCE, |c| reduce(c, Outcome::Value, 1)),
    row(&["aten::argmax", "aten::argmin"], Family::Reduction, REDUCE, |c| reduce(c, Outcome::Position, 1)),
    row(&["aten::max", "aten::min"], Family::Reduction, REDUCE, |c| reduce(c, Outcome::Both, 1)),
    row(&["aten::all", "aten::any"], Family::Reduction, REDUCE, |c| reduce(c, Outcome::Truth, 1)),
    row(&["aten::var", "aten::std"], Family::Reduction, REDUCE_2, |c| reduce(c, Outcome::Value, 2)),
    row(&["aten::var_mean", "aten::std_mean"], Family::Reduction, REDUCE_2, |c| reduce(c, Outcome::Pair, 2)),
    row(&["aten::cumsum", "aten::cumprod"], Family::Reduction, REDUCE, |c| reduce(c, Outcome::Running, 1)),
    // Element by element.
    row(super::pointwise_names::VALUES, Family::Elementwise, POINT, |c| elementwise::pointwise(c, None)),
    row(super::pointwise_names::TRUTHS, Family::Elementwise, POINT, |c| {
        elementwise::pointwise(c, Some(DataType::Bool))
    }),
    row(&["_C::silu_and_mul", "_C::gelu_and_mul", "_C::gelu_tanh_and_mul"], Family::Elementwise, GATE, |c| {
        elementwise::gated_activation(c, Some(0), 1)
    }),
    row(
        &[
            "sgl_kernel::silu_and_mul",
            "sgl_kernel::gelu_and_mul",
            "sgl_kernel::gelu_tanh_and_mul",
            "aiter::silu_and_mul",
        ],
        Family::Elementwise,
        GATE,
        |c| elementwise::gated_activation(c, Some(0), 1),
    ),
    row(&["sgl_kernel::rotary_embedding", "_C::rotary_embedding"], Family::Elementwise, ROPE, |c| {
        elementwise::rotary(c, 1, 2)
    }),
    // Fused kernels.
    row(
        &["triton_poi_fused_*", "triton_red_fused_*", "triton_per_fused_*"],
        Family::Fused,
        [
            "Σ weights of the operators in the name · steps of the loops",
            "Σ min(numel, steps)·e of the tensors",
            "fused kernels",
        ],
        inductor::fused,
    ),
];

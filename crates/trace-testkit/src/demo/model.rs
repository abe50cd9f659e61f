//! The model: an embedding, two transformer blocks, and the loss. Forward operators here, gradients beside them.

use super::autograd::{Gradient, gradient};
use super::kernels as k;
use super::machine::{COMPUTE, Machine, Tensor};

const HALF: &str = "c10::Half";
const TOKENS: Tensor = Tensor(&[64, 256], "long int");
const FEATURES: Tensor = Tensor(&[64, 256, 128], "float");
const HIDDEN: Tensor = Tensor(&[64, 256, 512], HALF);
const WIDE: Tensor = Tensor(&[64, 256, 2048], HALF);
const ROWS: Tensor = Tensor(&[16_384, 512], HALF);
const WEIGHT: Tensor = Tensor(&[512, 512], HALF);
const VECTOR: Tensor = Tensor(&[512], HALF);
const HEADS: Tensor = Tensor(&[64, 8, 256, 64], HALF);
const SCORES: Tensor = Tensor(&[512, 256, 256], HALF);
const TABLE: Tensor = Tensor(&[1_024, 512], HALF);
const LOGITS: Tensor = Tensor(&[16_384, 1_024], HALF);
const LOSSES: Tensor = Tensor(&[16_384, 1_024], "float");
const LABELS: Tensor = Tensor(&[16_384], "long int");
const SCALAR: Tensor = Tensor(&[], "Scalar");

/// Runs the forward pass, from batch to loss.
pub(super) fn forward(m: &mut Machine) {
    m.annotate("DistributedDataParallel.forward", 62_000, |m| {
        embedding(m);
        cast(m, FEATURES, false);
        product(m);
        add(m);
        for _ in 0..m.run.blocks() {
            block(m);
        }
        layer_norm(m);
        head(m);
    });
    cast(m, LOGITS, true);
    loss(m);
}

fn block(m: &mut Machine) {
    layer_norm(m);
    if m.run.extra_casts() {
        cast(m, HIDDEN, true);
    }
    linear(m);
    attention(m);
    linear(m);
    residual(m);
    layer_norm(m);
    if m.run.extra_casts() {
        cast(m, HIDDEN, true);
    }
    linear(m);
    gelu(m);
    linear(m);
    residual(m);
}

fn embedding(m: &mut Machine) {
    const GRADIENT: Gradient = gradient!("EmbeddingBackward0", 1, |m| {
        m.op("aten::embedding_backward", &[ROWS, TOKENS], 3_000, |m| {
            m.op("aten::embedding_dense_backward", &[ROWS, TOKENS], 19_000, |m| {
                m.op("aten::zeros", &[SCALAR, SCALAR], 3_200, |m| {
                    m.leaf("aten::empty", &[SCALAR], 3_800);
                    m.op("aten::zero_", &[TABLE], 2_600, |m| m.clear(1_048_576, COMPUTE));
                });
                let nanos = m.run.embedding_backward_nanos();
                m.launch_for(&k::EMBEDDING_BACKWARD, COMPUTE, nanos);
            });
        });
    });
    m.differentiable("aten::embedding", &[TABLE, TOKENS], 12_000, GRADIENT, |m| {
        m.leaf("aten::reshape", &[TOKENS], 2_900);
        m.op("aten::index_select", &[TABLE, SCALAR, LABELS], 11_000, |m| m.launch(&k::EMBEDDING, COMPUTE));
        m.leaf("aten::view", &[ROWS, SCALAR], 1_800);
    });
}

/// Casts to another precision; a `differentiable` cast has a gradient.
pub(super) fn cast(m: &mut Machine, input: Tensor, differentiable: bool) {
    let run = move |m: &mut Machine| {
        m.op("aten::_to_copy", &[input, SCALAR], 7_000, |m| {
            m.leaf("aten::empty_strided", &[SCALAR, SCALAR], 3_900);
            m.op("aten::copy_", &[input, input], 6_500, |m| m.launch(&k::CAST, COMPUTE));
        });
    };
    if differentiable {
        let gradient = gradient!("ToCopyBackward0", 0, |m| {
            m.op("aten::to", &[HIDDEN, SCALAR], 2_400, |m| {
                m.op("aten::_to_copy", &[HIDDEN, SCALAR], 7_000, |m| {
                    m.leaf("aten::empty_strided", &[SCALAR, SCALAR], 3_900);
                    m.op("aten::copy_", &[HIDDEN, HIDDEN], 6_500, |m| m.launch(&k::CAST, COMPUTE));
                });
            });
        });
        m.differentiable("aten::to", &[input, SCALAR], 2_400, gradient, run);
    } else {
        m.op("aten::to", &[input, SCALAR], 2_400, run);
    }
}

/// Transposes a weight, as a view.
fn transpose(m: &mut Machine) {
    m.op("aten::t", &[WEIGHT], 2_100, transposed);
}

fn transposed(m: &mut Machine) {
    m.op("aten::transpose", &[WEIGHT, SCALAR, SCALAR], 2_300, |m| m.leaf("aten::as_strided", &[WEIGHT, SCALAR], 1_400));
}

/// Transposes a trainable weight.
fn transpose_parameter(m: &mut Machine) {
    m.differentiable("aten::t", &[WEIGHT], 2_100, gradient!("TBackward0", 1, transpose), transposed);
}

/// Runs a linear layer with a bias.
fn linear(m: &mut Machine) {
    const GRADIENT: Gradient = gradient!("AddmmBackward0", 1, |m| {
        transpose(m);
        m.op("aten::mm", &[ROWS, WEIGHT], 13_000, |m| m.launch(&k::GEMM_INPUT, COMPUTE));
        transpose(m);
        m.op("aten::mm", &[ROWS, ROWS], 12_000, |m| m.launch(&k::GEMM_WEIGHT, COMPUTE));
        m.op("aten::sum", &[ROWS, SCALAR, SCALAR], 9_000, |m| m.launch(&k::SUM, COMPUTE));
    });
    m.op("aten::linear", &[HIDDEN, WEIGHT, VECTOR], 4_500, |m| {
        transpose_parameter(m);
        m.leaf("aten::view", &[HIDDEN, SCALAR], 1_800);
        m.differentiable("aten::addmm", &[VECTOR, ROWS, WEIGHT], 15_000, GRADIENT, |m| {
            m.launch(&k::GEMM_FORWARD, COMPUTE);
        });
        m.leaf("aten::view", &[ROWS, SCALAR], 1_800);
    });
}

/// Runs a linear layer without a bias.
fn product(m: &mut Machine) {
    m.op("aten::linear", &[FEATURES, WEIGHT], 4_500, |m| {
        transpose_parameter(m);
        multiplied(m);
    });
}

/// The output layer: its weight is the embedding's table, whose gradient comes with the embedding.
fn head(m: &mut Machine) {
    m.op("aten::linear", &[HIDDEN, TABLE], 4_500, |m| {
        m.differentiable("aten::t", &[TABLE], 2_100, gradient!("TBackward0", 0, transpose), transposed);
        multiplied(m);
    });
}

fn multiplied(m: &mut Machine) {
    const GRADIENT: Gradient = gradient!("MmBackward0", 0, |m| {
        transpose(m);
        m.op("aten::mm", &[ROWS, WEIGHT], 13_000, |m| m.launch(&k::GEMM_INPUT, COMPUTE));
        transpose(m);
        m.op("aten::mm", &[ROWS, ROWS], 12_000, |m| m.launch(&k::GEMM_WEIGHT, COMPUTE));
    });
    m.op("aten::matmul", &[HIDDEN, WEIGHT], 5_000, |m| {
        m.differentiable("aten::mm", &[ROWS, WEIGHT], 13_000, GRADIENT, |m| m.launch(&k::GEMM_FORWARD, COMPUTE));
    });
}

fn attention(m: &mut Machine) {
    const SPLIT: Gradient = gradient!("SplitBackward0", 0, |m| {
        m.op("aten::cat", &[HIDDEN, SCALAR], 11_000, |m| m.launch(&k::CONCATENATE, COMPUTE));
    });
    m.differentiable("aten::split", &[HIDDEN, SCALAR, SCALAR], 5_200, SPLIT, |m| {
        for _ in 0..3 {
            m.op("aten::narrow", &[HIDDEN, SCALAR, SCALAR, SCALAR], 1_900, |m| {
                m.leaf("aten::slice", &[HIDDEN, SCALAR, SCALAR, SCALAR, SCALAR], 2_000);
            });
        }
    });
    for _ in 0..3 {
        m.leaf("aten::view", &[HIDDEN, SCALAR], 1_800);
        m.op("aten::transpose", &[HEADS, SCALAR, SCALAR], 2_300, |m| {
            m.leaf("aten::as_strided", &[HEADS, SCALAR], 1_400)
        });
    }
    if m.run.fused_attention() { attention_fused(m) } else { attention_by_hand(m) }
}

fn attention_by_hand(m: &mut Machine) {
    const PRODUCT: Gradient = gradient!("BmmBackward0", 0, |m| {
        m.op("aten::bmm", &[SCORES, HEADS], 12_000, |m| m.launch(&k::BATCHED_SCORES, COMPUTE));
        m.op("aten::bmm", &[SCORES, HEADS], 12_000, |m| m.launch(&k::BATCHED_VALUES, COMPUTE));
    });
    const SCALE: Gradient = gradient!("MulBackward0", 0, |m| {
        m.op("aten::mul", &[SCORES, SCALAR], 8_500, |m| m.launch(&k::SCALE, COMPUTE));
    });
    const SOFTMAX: Gradient = gradient!("SoftmaxBackward0", 0, |m| {
        m.op("aten::_softmax_backward_data", &[SCORES, SCORES, SCALAR, SCALAR], 9_500, |m| {
            m.launch(&k::SOFTMAX_BACKWARD, COMPUTE);
        });
    });
    m.op("aten::matmul", &[HEADS, HEADS], 8_000, |m| {
        m.differentiable("aten::bmm", &[SCORES, HEADS], 12_000, PRODUCT, |m| m.launch(&k::BATCHED_SCORES, COMPUTE));
    });
    m.differentiable("aten::mul", &[SCORES, SCALAR], 8_500, SCALE, |m| m.launch(&k::SCALE, COMPUTE));
    m.op("aten::softmax", &[SCORES, SCALAR, SCALAR], 3_500, |m| {
        m.differentiable("aten::_softmax", &[SCORES, SCALAR, SCALAR], 9_000, SOFTMAX, |m| {
            m.launch(&k::SOFTMAX, COMPUTE)
        });
    });
    m.op("aten::matmul", &[SCORES, HEADS], 8_000, |m| {
        m.differentiable("aten::bmm", &[SCORES, HEADS], 12_000, PRODUCT, |m| m.launch(&k::BATCHED_VALUES, COMPUTE));
    });
}

fn attention_fused(m: &mut Machine) {
    const GRADIENT: Gradient = gradient!("ScaledDotProductFlashAttentionBackward0", 0, |m| {
        m.op("aten::_scaled_dot_product_flash_attention_backward", &[HEADS, HEADS, HEADS, HEADS], 9_000, |m| {
            m.op("aten::_flash_attention_backward", &[HEADS, HEADS, HEADS, HEADS], 21_000, |m| {
                m.launch(&k::FLASH_BACKWARD_DOT, COMPUTE);
                m.launch(&k::FLASH_BACKWARD, COMPUTE);
            });
        });
    });
    m.op("aten::scaled_dot_product_attention", &[HEADS, HEADS, HEADS], 7_000, |m| {
        let name = "aten::_scaled_dot_product_flash_attention";
        m.differentiable(name, &[HEADS, HEADS, HEADS, SCALAR], 9_500, GRADIENT, |m| {
            m.op("aten::_flash_attention_forward", &[HEADS, HEADS, HEADS], 18_000, |m| {
                m.launch(&k::FLASH_FORWARD, COMPUTE);
            });
        });
    });
}

/// Applies dropout and adds the input of the layer.
fn residual(m: &mut Machine) {
    if m.run.fused_residual() {
        dropout_add(m);
    } else {
        dropout(m);
        add(m);
    }
}

fn dropout_add(m: &mut Machine) {
    const GRADIENT: Gradient = gradient!("CompiledFunctionBackward", 0, |m| {
        m.op("aten::native_dropout_backward", &[HIDDEN, HIDDEN, SCALAR], 7_500, |m| {
            m.launch(&k::DROPOUT_BACKWARD, COMPUTE)
        });
    });
    m.differentiable("CompiledFunction", &[HIDDEN, HIDDEN, SCALAR], 9_000, GRADIENT, |m| {
        m.launch(&k::DROPOUT_ADD, COMPUTE);
    });
}

fn add(m: &mut Machine) {
    m.differentiable("aten::add", &[HIDDEN, HIDDEN, SCALAR], 7_500, gradient!("AddBackward0", 0, |_| {}), |m| {
        m.launch(&k::ADD, COMPUTE);
    });
}

fn gelu(m: &mut Machine) {
    const GRADIENT: Gradient = gradient!("GeluBackward0", 0, |m| {
        m.op("aten::gelu_backward", &[WIDE, WIDE], 8_000, |m| m.launch(&k::GELU_BACKWARD, COMPUTE));
    });
    m.differentiable("aten::gelu", &[WIDE], 8_000, GRADIENT, |m| m.launch(&k::GELU, COMPUTE));
}

fn dropout(m: &mut Machine) {
    const GRADIENT: Gradient = gradient!("NativeDropoutBackward0", 0, |m| {
        m.op("aten::native_dropout_backward", &[HIDDEN, HIDDEN, SCALAR], 7_500, |m| {
            m.launch(&k::DROPOUT_BACKWARD, COMPUTE)
        });
    });
    m.op("aten::dropout", &[HIDDEN, SCALAR, SCALAR], 3_000, |m| {
        m.differentiable("aten::native_dropout", &[HIDDEN, SCALAR, SCALAR], 12_000, GRADIENT, |m| {
            m.launch(&k::DROPOUT, COMPUTE);
        });
    });
}

fn layer_norm(m: &mut Machine) {
    const GRADIENT: Gradient = gradient!("NativeLayerNormBackward0", 2, |m| {
        m.op("aten::native_layer_norm_backward", &[HIDDEN, HIDDEN, SCALAR, VECTOR, VECTOR], 16_000, |m| {
            m.launch(&k::LAYER_NORM_BACKWARD_INPUT, COMPUTE);
            m.launch(&k::LAYER_NORM_BACKWARD_WEIGHT, COMPUTE);
        });
    });
    m.op("aten::layer_norm", &[HIDDEN, SCALAR, VECTOR, VECTOR], 4_000, |m| {
        m.differentiable("aten::native_layer_norm", &[HIDDEN, SCALAR, VECTOR, VECTOR], 15_000, GRADIENT, |m| {
            m.launch(&k::LAYER_NORM, COMPUTE);
        });
    });
}

fn loss(m: &mut Machine) {
    const LIKELIHOOD: Gradient = gradient!("NllLossBackward0", 0, |m| {
        m.op("aten::nll_loss_backward", &[SCALAR, LOSSES, LABELS], 11_000, |m| m.launch(&k::NLL_BACKWARD, COMPUTE));
    });
    const LOG_SOFTMAX: Gradient = gradient!("LogSoftmaxBackward0", 0, |m| {
        m.op("aten::_log_softmax_backward_data", &[LOSSES, LOSSES, SCALAR, SCALAR], 9_000, |m| {
            m.launch(&k::LOG_SOFTMAX_BACKWARD, COMPUTE);
        });
    });
    m.op("aten::cross_entropy_loss", &[LOSSES, LABELS, SCALAR], 6_000, |m| {
        m.op("aten::log_softmax", &[LOSSES, SCALAR, SCALAR], 3_500, |m| {
            m.differentiable("aten::_log_softmax", &[LOSSES, SCALAR, SCALAR], 9_000, LOG_SOFTMAX, |m| {
                m.launch(&k::LOG_SOFTMAX, COMPUTE);
            });
        });
        m.op("aten::nll_loss_nd", &[LOSSES, LABELS, SCALAR], 3_000, |m| {
            m.differentiable("aten::nll_loss_forward", &[LOSSES, LABELS, SCALAR], 12_000, LIKELIHOOD, |m| {
                m.launch(&k::NLL, COMPUTE);
            });
        });
    });
}

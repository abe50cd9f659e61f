//! The training loop: one step around the model.

use super::event::{Args, Event};
use super::kernels::{self as k, Kernel};
use super::machine::{BATCHES, COLLECTIVES, COMPUTE, METRICS, Machine, Tensor};
use super::model;
use super::run::Run;
use std::ops::RangeInclusive;

/// The steps that were profiled.
pub const ITERATIONS: RangeInclusive<u64> = 1009..=1014;

/// Kernels of an average of the weights.
pub const PIECES: u64 = 1_500;
/// Elements of a gradient.
const ELEMENTS: u64 = 262_144;
const SCALAR: Tensor = Tensor(&[], "Scalar");
const GRADIENTS: Tensor = Tensor(&[7_340_032], "float");
const LOSS: Tensor = Tensor(&[], "float");
const BATCH_TOKENS: Tensor = Tensor(&[64, 256], "long int");
const BATCH_FEATURES: Tensor = Tensor(&[64, 256, 128], "float");

/// Simulates one run. Returns the events in the order of the file, and the start and transfer time in nanoseconds of each
/// all-reduce. `exchanges` are the durations of the all-reduces, as far as the other ranks are known.
pub(super) fn train(run: Run, exchanges: Vec<u64>) -> (Vec<Event>, Vec<(u64, u64)>) {
    let mut machine = Machine::new(run);
    machine.exchanges = exchanges;
    // The profiler starts between two steps.
    machine.leaf("aten::zeros", &[SCALAR, SCALAR], 17_000);
    machine.spend(31_000);
    for iteration in ITERATIONS {
        machine.annotate(format!("ProfilerStep#{iteration}"), 44_000, |m| step(m, iteration));
        machine.spend(58_000);
    }
    machine.leaf("aten::empty", &[SCALAR], 4_000);
    let exchanged = std::mem::take(&mut machine.exchanged);
    (machine.finish(), exchanged)
}

fn step(m: &mut Machine, iteration: u64) {
    m.gradients = 0;
    let loader_nanos = m.run.loader_nanos(iteration);
    m.annotate("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", loader_nanos, |_| {});
    m.annotate("## load_batch ##", 12_000, load_batch);
    m.annotate("Optimizer.zero_grad#AdamW.zero_grad", 24_000, zero_grad);
    m.slow_launch = m.run.module_nanos(iteration);
    m.annotate("## forward ##", 18_000, model::forward);
    let loss_is_read = m.run.reads_ahead().then(|| read_ahead(m));
    m.annotate("## backward ##", 29_000, |m| {
        m.op("aten::ones_like", &[LOSS, SCALAR], 9_000, |m| m.launch(&k::FILL, COMPUTE));
        m.backward();
        m.wait(COMPUTE, COLLECTIVES);
    });
    m.annotate("## grad_norm ##", 8_000, |m| {
        m.wait(METRICS, COMPUTE);
        m.op("aten::linalg_vector_norm", &[GRADIENTS, SCALAR], 14_000, |m| {
            m.launch(&k::NORM, METRICS);
            m.launch(&k::NORM, METRICS);
        });
    });
    m.annotate("Optimizer.step#AdamW.step", 83_000, optimize);
    if m.run.averages(iteration) {
        m.annotate("## average ##", 9_000, average);
    }
    m.wait(COMPUTE, METRICS);
    m.annotate("## log ##", 11_000, |m| {
        if let Some(read) = loss_is_read {
            m.synchronize_with(read);
        }
        for _ in 0..m.run.logged_values() {
            read_back(m);
        }
    });
}

fn load_batch(m: &mut Machine) {
    for (tensor, bytes) in [(BATCH_TOKENS, 131_072), (BATCH_FEATURES, 8_388_608)] {
        m.op("aten::to", &[tensor, SCALAR], 2_400, |m| {
            m.op("aten::_to_copy", &[tensor, SCALAR], 7_000, |m| {
                m.leaf("aten::empty_strided", &[SCALAR, SCALAR], 3_900);
                m.op("aten::copy_", &[tensor, tensor], 9_000, |m| {
                    if m.run.pinned() {
                        m.copy("Memcpy HtoD (Pinned -> Device)", bytes, 24_100, BATCHES);
                    } else {
                        m.copy_waiting("Memcpy HtoD (Pageable -> Device)", bytes, 5_300, BATCHES);
                    }
                });
            });
        });
    }
    m.wait(COMPUTE, BATCHES);
}

fn zero_grad(m: &mut Machine) {
    let bytes = m.run.bucket() * ELEMENTS * 4;
    for _ in 0..m.run.gradients() / m.run.bucket() {
        m.op("aten::zero_", &[GRADIENTS], 2_600, |m| m.clear(bytes, COMPUTE));
    }
}

/// A parameter has its gradient; with a bucket full of them, the ranks exchange it.
pub(super) fn gradient_is_complete(m: &mut Machine) {
    m.gradients += 1;
    if m.gradients.is_multiple_of(m.run.bucket()) {
        m.op("c10d::allreduce_", &[GRADIENTS, SCALAR], 13_000, |m| m.annotate("nccl:all_reduce", 9_000, all_reduce));
    }
}

fn all_reduce(m: &mut Machine) {
    let elements = m.run.bucket() * ELEMENTS;
    // Twice the bytes over the slowest link, and the latency of the ring.
    let nanos = 46_000 + elements * 4 * 2 / 62;
    m.op("record_param_comms", &[GRADIENTS, SCALAR, SCALAR], 12_000, |m| {
        m.wait(COLLECTIVES, COMPUTE);
        let collective = Args::default()
            .with_text("Collective name", "allreduce")
            .with("In msg nelems", elements)
            .with("Out msg nelems", elements)
            .with("Group size", 4)
            .with_text("dtype", "Float")
            .with_text("In split size", "[]")
            .with_text("Out split size", "[]")
            .with_text("Process Group Name", "0")
            .with_text("Process Group Description", "default_pg")
            .with_text("Process Group Ranks", "[0, 1, 2, 3]");
        m.launch_collective(&k::ALL_REDUCE, nanos, collective);
    });
}

fn optimize(m: &mut Machine) {
    if m.run.fused_optimizer() {
        return pass(m, "aten::_fused_adamw_", 47_000, &k::FUSED_ADAMW);
    }
    pass(m, "aten::_foreach_add_", 41_000, &k::FOREACH_ADD);
    pass(m, "aten::_foreach_mul_", 43_000, &k::FOREACH_MUL);
    pass(m, "aten::_foreach_lerp_", 52_000, &k::FOREACH_LERP);
    pass(m, "aten::_foreach_mul_", 43_000, &k::FOREACH_MUL);
    pass(m, "aten::_foreach_addcmul_", 61_000, &k::FOREACH_ADDCMUL);
    pass(m, "aten::_foreach_sqrt", 58_000, &k::FOREACH_SQRT);
    pass(m, "aten::_foreach_div_", 49_000, &k::FOREACH_MUL);
    pass(m, "aten::_foreach_add_", 41_000, &k::FOREACH_ADD);
    pass(m, "aten::_foreach_addcdiv_", 63_000, &k::FOREACH_ADDCMUL);
}

/// One pass over all parameters, in two launches.
fn pass(m: &mut Machine, name: &'static str, nanos: u64, kernel: &Kernel) {
    m.op(name, &[GRADIENTS, GRADIENTS, SCALAR], nanos, |m| {
        m.launch(kernel, COMPUTE);
        m.launch(kernel, COMPUTE);
    });
}

/// Moves the averaged weights towards the weights, one small kernel per piece: more than a queue holds.
fn average(m: &mut Machine) {
    m.op("aten::_foreach_lerp_", &[GRADIENTS, GRADIENTS, SCALAR], 48_000, |m| {
        for _ in 0..PIECES {
            m.launch(&k::AVERAGE, COMPUTE);
        }
    });
}

/// Copies the loss to the host without waiting, and returns the time at which it has arrived.
fn read_ahead(m: &mut Machine) -> u64 {
    m.op("aten::to", &[LOSS, SCALAR], 2_400, |m| {
        m.op("aten::_to_copy", &[LOSS, SCALAR], 7_000, |m| {
            m.op("aten::copy_", &[LOSS, LOSS], 6_500, |m| {
                m.copy("Memcpy DtoH (Device -> Pinned)", 4, 9_000, COMPUTE);
            });
        });
    });
    m.record_event(COMPUTE)
}

/// Copies one number to the host and waits for it.
fn read_back(m: &mut Machine) {
    m.op("aten::item", &[LOSS], 2_800, |m| {
        m.op("aten::_local_scalar_dense", &[LOSS], 6_500, |m| {
            m.copy("Memcpy DtoH (Device -> Pageable)", 4, 9_000, COMPUTE);
            m.synchronize(COMPUTE);
        });
    });
}

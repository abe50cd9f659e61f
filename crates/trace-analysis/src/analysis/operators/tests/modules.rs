//! Modules with their backward, and with what ran once more for it.

use super::super::*;
use crate::TraceSet;
use trace_testkit::{Stream, TraceBuilder};

const NODE: &str = "autograd::engine::evaluate_function: ";

/// A launch 5 µs after `at` that takes 10 µs, and its kernel.
fn launch(trace: TraceBuilder, at: i64, us: i64) -> TraceBuilder {
    let kernel = at + 20..at + 20 + us;
    trace.runtime("cudaLaunchKernel", at, at + 5..at + 15).kernel("gemm", Stream(7), kernel).correlation(at)
}

fn numbered(trace: TraceBuilder, number: i64, forward: i64) -> TraceBuilder {
    trace.arg("Sequence number", &number.to_string()).arg("Fwd thread id", &forward.to_string())
}

fn node(trace: TraceBuilder, name: &str, span: std::ops::Range<i64>, number: i64, forward: i64) -> TraceBuilder {
    let inside = span.start + 2..span.end - 2;
    let trace = numbered(trace.operator(&format!("{NODE}{name}"), span), number, forward);
    numbered(trace.operator(name, inside), number, forward)
}

fn python(trace: TraceBuilder, name: &str, thread: i64, span: std::ops::Range<i64>) -> TraceBuilder {
    trace.complete("python_function", name, 100, thread, span)
}

/// ```text
/// thread 1  |- Block_0 ----------------------|
///             |- Linear_0 ------|                 kernel of 30 µs
///               |- addmm (7) -|
/// ```
fn forward() -> TraceBuilder {
    let trace = python(TraceBuilder::new().thread(1), "nn.Module: Block_0", 1, 0..100);
    let trace = python(trace, "nn.Module: Linear_0", 1, 10..50);
    launch(numbered(trace.operator("aten::addmm", 15..35), 7, 0), 16, 30)
}

fn answer(trace: &TraceBuilder) -> DataFrame {
    let set = TraceSet::from_bytes(trace.json()).unwrap();
    let by_module = Operators { by: OperatorsBy::Module, ..Operators::default() };
    TraceAnalysis::new(&set).unwrap().operators(&by_module).unwrap()
}

fn row(frame: &DataFrame, name: &str) -> Vec<f64> {
    let row = frame.column("name").unwrap().str().unwrap().iter().position(|found| found == Some(name)).unwrap();
    let value = |column: &polars::prelude::Column| column.get(row).unwrap().try_extract::<f64>().unwrap();
    frame.columns()[1..].iter().map(value).collect()
}

/// Calls, and kernel time of forward, backward and recomputation.
fn phases(frame: &DataFrame, name: &str) -> [f64; 4] {
    let values = row(frame, name);
    [values[0], values[8], values[9], values[10]]
}

#[test]
fn backward_counts_for_the_module_of_its_forward() {
    let trace = node(forward().thread(2), "AddmmBackward0", 200..250, 7, 1);
    let trace = launch(trace.operator("aten::mm", 210..230), 211, 50);
    // A node without a forward operator counts for no module.
    let accumulate = format!("{NODE}torch::autograd::AccumulateGrad");
    let frame = answer(&launch(trace.operator(&accumulate, 260..280), 261, 5));
    let linear = vec![1.0, 90.0, 90.0, 2.0, 80.0, 80.0, 30.0, 100.0 * 20_000.0 / 90_000.0, 30.0, 50.0, 0.0];
    assert_eq!(row(&frame, "nn.Module: Linear_0"), linear);
    let block = vec![1.0, 150.0, 60.0, 2.0, 80.0, 0.0, 30.0, 100.0 * 20_000.0 / 150_000.0, 30.0, 50.0, 0.0];
    assert_eq!(row(&frame, "nn.Module: Block_0"), block);
    let names: Vec<&str> = frame.get_column_names().iter().map(|name| name.as_str()).collect();
    assert_eq!(
        names,
        columns(Shown { phases: true, work: false, borrowed: false })
            .iter()
            .map(|column| column.name)
            .collect::<Vec<_>>()
    );
}

#[test]
fn forward_of_a_checkpoint_in_the_backward_is_apart() {
    let trace = python(TraceBuilder::new().thread(1), "nn.Module: Block_0", 1, 0..100);
    let trace = numbered(trace.operator("CheckpointFunction", 5..95), 3, 0);
    let trace = python(trace, "nn.Module: Linear_0", 1, 10..50);
    let trace = launch(trace.operator("aten::addmm", 15..35), 16, 30).thread(2);
    let trace = node(trace, "CheckpointFunctionBackward", 200..400, 3, 1);
    let trace = python(trace, "nn.Module: Linear_0", 2, 210..250);
    let trace = launch(numbered(trace.operator("aten::addmm", 215..235), 4, 0), 216, 25);
    let trace = launch(node(trace, "AddmmBackward0", 300..350, 4, 2), 310, 40);
    let frame = answer(&trace);
    let set = TraceSet::from_bytes(trace.json()).unwrap();
    let by_module = Operators { by: OperatorsBy::Module, ..Operators::default() };
    let sentence = "Recomputed for the backward: 25.0 µs of 95.0 µs GPU time (26.3 %)";
    assert_eq!(TraceAnalysis::new(&set).unwrap().ask(&by_module).unwrap().notes, [format!("{sentence}.")]);
    let lines = crate::Questions::describe(&set).unwrap().headlines.lines("job");
    assert!(lines.contains(&format!("{sentence} (%operators job --by module)")), "{lines:?}");
    // The module ran twice, below the same block.
    assert_eq!(phases(&frame, "nn.Module: Linear_0"), [2.0, 30.0, 40.0, 25.0]);
    assert_eq!(phases(&frame, "nn.Module: Block_0"), [1.0, 30.0, 40.0, 25.0]);
    let block = row(&frame, "nn.Module: Block_0");
    assert_eq!((block[4], block[5]), (95.0, 0.0), "all kernels are of the module inside");
    // The calls of the backward thread take 200 µs, the module inside 40 of them and its backward 50.
    assert_eq!((block[1], block[2]), (300.0, 60.0 + 110.0));
}

#[test]
fn frames_in_a_backward_operator_tell_recomputation() {
    let frames = [
        ("python_function", "torch/utils/checkpoint.py(1100): recompute_fn", [1.0, 30.0, 40.0, 25.0]),
        ("python_function", "nn.Module: Linear_0", [2.0, 30.0, 40.0, 25.0]),
        ("user_annotation", "Checkpoint of block 1", [1.0, 30.0, 40.0, 25.0]),
        // A hook is no forward.
        ("python_function", "torch/_tensor.py(630): hook", [1.0, 30.0, 65.0, 0.0]),
        ("python_function", "train.py(12): save_checkpoint", [1.0, 30.0, 65.0, 0.0]),
    ];
    for (category, name, expected) in frames {
        let trace = node(forward().thread(2), "AddmmBackward0", 200..400, 7, 1);
        let trace = trace.complete(category, name, 100, 2, 210..260);
        let trace = launch(trace.operator("aten::addmm", 215..235), 216, 25);
        let frame = answer(&launch(trace.operator("aten::mm", 300..320), 301, 40));
        assert_eq!(phases(&frame, "nn.Module: Linear_0"), expected, "{name}");
        assert_eq!(phases(&frame, "nn.Module: Block_0"), [1.0, expected[1], expected[2], expected[3]], "{name}");
    }
}

#[test]
fn names_of_checkpoints_outside_of_the_backward_are_forward() {
    let trace = python(forward(), "torch/utils/checkpoint.py(451): checkpoint", 1, 12..40);
    assert_eq!(phases(&answer(&trace), "nn.Module: Linear_0"), [1.0, 30.0, 0.0, 0.0]);
}

//! Counters on timelines written by hand.

#![allow(clippy::unwrap_used)]
use super::*;
use crate::analysis::tests::{column, main_table, ranks, texts};
use trace_testkit::TraceBuilder;

const FMA: &str = "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum";

/// ```text
/// linear(addmm(launch 4–8)) | relu(launch 24–28) | launch 40–44 without an operator
/// ```
fn calls() -> TraceBuilder {
    TraceBuilder::new()
        .operator("aten::linear", 0..20)
        .operator("aten::addmm", 2..18)
        .runtime("cudaLaunchKernel", 1, 4..8)
        .operator("aten::relu", 22..30)
        .runtime("cuLaunchKernelEx", 2, 24..28)
        .runtime("cudaLaunchKernelExC_v11060", 3, 40..44)
}

fn range(trace: TraceBuilder, name: &str, at: std::ops::Range<i64>, fma: i64) -> TraceBuilder {
    trace.complete("cuda_profiler_range", name, 0, 0, at).arg(FMA, &fma.to_string()).arg("dram__bytes.sum", "20")
}

fn ask(trace: TraceBuilder) -> Answer {
    TraceAnalysis::new(&ranks(&[trace])).unwrap().ask(&CuptiCounters::default()).unwrap()
}

#[test]
fn as_many_ranges_as_launches_are_paired_in_their_order() {
    // The profiler spreads ranges over the recording: their times tell nothing.
    let trace = range(range(range(calls(), "gemm", 0..10, 100), "relu", 10..20, 5), "copy", 20..30, 0);
    let answer = ask(trace);
    let df = main_table(&answer);
    assert_eq!(texts(df, "name"), ["gemm", "relu", "copy"]);
    let stacks = df.column("op_stack").unwrap().str().unwrap().iter().collect::<Vec<_>>();
    assert_eq!(stacks, [Some("aten::linear › aten::addmm"), Some("aten::relu"), None]);
    assert_eq!(column(df, "index_runtime"), [2.0, 4.0, 5.0]);
    assert_eq!(column(df, "flops"), [200.0, 10.0, 0.0]);
    assert_eq!(column(df, "intensity"), [10.0, 0.5, 0.0]);
    assert_eq!(column(df, FMA), [100.0, 5.0, 0.0]);
    assert_eq!(answer.notes, [""; 0]);
}

#[test]
fn other_numbers_of_ranges_are_paired_by_time() {
    let trace = range(range(calls(), "relu", 25..27, 5), "lost", 33..35, 1);
    let answer = ask(trace);
    let df = main_table(&answer);
    assert_eq!(texts(df, "name"), ["relu", "lost"]);
    assert_eq!(
        df.column("bottom_level_op").unwrap().str().unwrap().iter().collect::<Vec<_>>(),
        [Some("aten::relu"), None]
    );
    let note = "Rank 0 has other numbers of ranges (2) and of launches of kernels (3): paired by time, 1 without a launch around them.";
    assert_eq!(answer.notes, [note]);
}

#[test]
fn ranks_with_other_counters_share_a_table() {
    let one = range(calls(), "gemm", 4..6, 1).rank(0);
    let two = calls().rank(1).complete("cuda_profiler_range", "gemm", 0, 0, 4..6).arg("other.sum", "1.5");
    let analysis = TraceAnalysis::new(&ranks(&[one, two])).unwrap();
    let df = analysis.ask_ranks(&CuptiCounters::default(), Some(&[0, 1])).unwrap().main();
    assert_eq!((df.height(), df.column(FMA).unwrap().null_count()), (2, 1));
    assert!(column(&df, "other.sum")[0].is_nan() && column(&df, "other.sum")[1] == 1.5);
}

//! Busy and idle time, overlap of communication and computation.

use super::{column, loaded, main_table, ranks};
use crate::Compat;
use crate::Questions;
use crate::analysis::{CommCompOverlap, GpuKernelBreakdown, IdleTimeBreakdown, TemporalBreakdown};
use std::ops::Range;
use trace_compare::TraceDiff;
use trace_testkit::{Stream, TraceBuilder};

/// ```text
/// stream 7    |-- gemm 0..10 --|         |- gemm 30..40 -|
/// stream 20        |----- nccl 5..20 -----|
/// busy        0..20 and 30..40; compute 20; other 10; idle 10
/// ```
fn overlapping() -> TraceBuilder {
    TraceBuilder::new().kernel("gemm", Stream(7), 0..10).kernel("ncclDevKernel_AllReduce", Stream(20), 5..20).kernel(
        "gemm",
        Stream(7),
        30..40,
    )
}

#[test]
fn overlapping_kernels_count_once() {
    let answer = ranks(&[overlapping()]).ask(&TemporalBreakdown {}).unwrap();
    let df = main_table(&answer);
    let of = |name: &str| column(df, name)[0];
    assert_eq!(of("idle_time(us)"), 10.0);
    assert_eq!(of("compute_time(us)"), 20.0);
    assert_eq!(of("non_compute_time(us)"), 10.0);
    assert_eq!(of("kernel_time(us)"), 40.0);
    assert_eq!((of("idle_time_pctg"), of("compute_time_pctg"), of("non_compute_time_pctg")), (25.0, 50.0, 25.0));
    assert_eq!(answer.title, "temporal_breakdown · t · rank 0");
    assert_eq!(answer.figures[0].series[1].y, [50.0]);
}

#[test]
fn rank_without_gpu_is_left_out_with_a_note() {
    let cpu = TraceBuilder::new().rank(1).operator("aten::mm", 0..5);
    let answer = ranks(&[overlapping(), cpu]).ask(&TemporalBreakdown {}).unwrap();
    assert_eq!(column(main_table(&answer), "rank"), [0.0]);
    assert_eq!(answer.notes, ["No GPU activity on rank 1: nothing to report."]);
}

#[test]
fn overlap_is_a_share_of_communication() {
    let silent = TraceBuilder::new().rank(1).kernel("gemm", Stream(7), 0..10);
    let answer = ranks(&[overlapping(), silent]).ask(&CommCompOverlap {}).unwrap();
    let shares = column(main_table(&answer), "comp_comm_overlap_pctg");
    // 5 of 15 µs.
    assert_eq!(shares[0], 33.33);
    assert!(shares[1].is_nan());
    assert!(answer.notes[0].contains("rank 1"));
}

/// gemm 0..10, one from 20 that ends at -60 (the clock was set back), gemm 30..40.
fn set_back() -> TraceBuilder {
    gemm().kernel("back", Stream(7), Range { start: 20, end: -60 }).kernel("gemm", Stream(7), 30..40)
}

fn gemm() -> TraceBuilder {
    TraceBuilder::new().kernel("gemm", Stream(7), 0..10)
}

#[test]
fn negative_durations_count_as_0_with_a_note() {
    let note = "1 event ends before it starts on rank 0: each counts with duration 0.";
    let traces = ranks(&[set_back()]);
    let answer = traces.ask(&TemporalBreakdown {}).unwrap();
    let of = |name: &str| column(main_table(&answer), name)[0];
    assert_eq!((of("idle_time(us)"), of("compute_time(us)"), of("kernel_time(us)")), (20.0, 20.0, 40.0));
    assert_eq!((of("idle_time_pctg"), of("compute_time_pctg")), (50.0, 50.0));
    assert_eq!(answer.notes, [note]);
    let answer = traces.ask(&GpuKernelBreakdown::default()).unwrap();
    assert_eq!(column(&answer.tables[1].frame, "sum (us)"), [0.0, 20.0]);
    assert_eq!(answer.notes, [note]);
    let answer = traces.ask(&IdleTimeBreakdown::default()).unwrap();
    assert_eq!(column(main_table(&answer), "idle_time"), [20.0, 0.0]);
    let page = traces.describe().unwrap();
    assert_eq!(page.ranks[0].device.unwrap().idle_ns, 20_000);
    assert_eq!(page.kernels.iter().map(|kernel| kernel.total_ns).collect::<Vec<_>>(), [20_000, 0]);
    assert!(page.findings.iter().any(|finding| finding.kind() == "negative_durations"));
}

#[test]
fn negative_durations_count_as_0_in_comparisons() {
    let traces = ranks(&[set_back()]);
    let diff = TraceDiff::new(&traces, ranks(&[gemm()]).with_label("good"));
    let df = diff.compare_traces().unwrap();
    assert_eq!(column(&df, "diff_duration"), [0.0, -10.0]);
    let warnings: Vec<String> = diff.warnings().iter().map(ToString::to_string).collect();
    assert_eq!(warnings[0], "trace \"t\": 1 event ends before it starts; each counts as 0 long");
}

#[test]
fn hta_negative_durations_count_as_they_are() {
    let answer = loaded(&[set_back()], Compat::Hta).ask(&GpuKernelBreakdown::default()).unwrap();
    assert_eq!(column(&answer.tables[1].frame, "sum (us)"), [-80.0, 20.0]);
    assert!(answer.notes.is_empty(), "{:?}", answer.notes);
}

#[test]
fn describe_and_temporal_breakdown_agree_on_the_window() {
    let traces = ranks(&[gemm().kernel("late", Stream(7), Range { start: 50, end: 45 })]);
    let df = main_table(&traces.ask(&TemporalBreakdown {}).unwrap()).clone();
    assert_eq!((column(&df, "kernel_time(us)")[0], column(&df, "idle_time(us)")[0]), (50.0, 40.0));
    let device = traces.describe().unwrap().ranks[0].device.unwrap();
    assert_eq!((device.span_ns, device.idle_ns, device.busy_ns), (50_000, 40_000, 10_000));
}

//! Launches, and the kernels that operators launch.

use super::{column, loaded, main_table, ranks, texts};
use crate::Questions;
use crate::analysis::{AtenOpKernelsAndDelay, CudaKernelLaunchStats};
use crate::{Compat, Error, TraceAnalysis};
use trace_testkit::{Stream, TraceBuilder};

/// ```text
/// CPU   launch 1 0..10   copy 2 20..80   hip 3 90..95   launch 4 100..101   launch 5: no kernel
/// GPU   a 15..18         b 70..90        c 300..310     d 101..150
/// ```
fn launches() -> TraceBuilder {
    TraceBuilder::new()
        .runtime("cudaLaunchKernel", 1, 0..10)
        .runtime("cudaMemcpyAsync", 2, 20..80)
        .runtime("hipLaunchKernel", 3, 90..95)
        .runtime("cudaLaunchKernelExC", 4, 100..101)
        .runtime("cudaLaunchKernel", 5, 110..111)
        .kernel("d", Stream(7), 101..150)
        .correlation(4)
        .kernel("a", Stream(7), 15..18)
        .correlation(1)
        .memcpy("Memcpy DtoH (Device -> Pageable)", Stream(7), 64, 70..90)
        .correlation(2)
        .kernel("c", Stream(7), 300..310)
        .correlation(3)
}

#[test]
fn launch_row_has_durations_and_delay() {
    let analysis = TraceAnalysis::new(&ranks(&[launches()])).unwrap();
    let df = &analysis.get_cuda_kernel_launch_stats(&CudaKernelLaunchStats::default()).unwrap()[&0];
    assert_eq!(column(df, "correlation"), [1.0, 2.0, 3.0, 4.0]);
    assert_eq!(column(df, "cpu_duration"), [10.0, 60.0, 5.0, 1.0]);
    assert_eq!(column(df, "gpu_duration"), [3.0, 20.0, 10.0, 49.0]);
    // b starts before its call is over: no delay.
    assert_eq!(column(df, "launch_delay"), [5.0, 0.0, 205.0, 0.0]);
    let kernels_only = CudaKernelLaunchStats { include_memory_events: false, ..CudaKernelLaunchStats::default() };
    let df = &analysis.get_cuda_kernel_launch_stats(&kernels_only).unwrap()[&0];
    assert_eq!(column(df, "correlation"), [1.0, 3.0, 4.0]);
}

#[test]
fn hta_ignores_launches_of_rocm() {
    let analysis = TraceAnalysis::new(&loaded(&[launches()], Compat::Hta)).unwrap();
    let df = &analysis.get_cuda_kernel_launch_stats(&CudaKernelLaunchStats::default()).unwrap()[&0];
    assert_eq!(column(df, "correlation"), [1.0, 2.0, 4.0]);
}

#[test]
fn correlated_calls_and_kernels_have_a_row_per_pair() {
    let graph = TraceBuilder::new()
        .runtime("cudaLaunchKernel", 1, 0..10)
        .runtime("cuLaunchKernel", 1, 2..8)
        .kernel("a", Stream(7), 20..21)
        .correlation(1)
        .kernel("b", Stream(7), 30..32)
        .correlation(1);
    let analysis = TraceAnalysis::new(&ranks(&[graph])).unwrap();
    let df = &analysis.get_cuda_kernel_launch_stats(&CudaKernelLaunchStats::default()).unwrap()[&0];
    assert_eq!(column(df, "cpu_duration"), [10.0, 10.0, 6.0, 6.0]);
    assert_eq!(column(df, "launch_delay"), [10.0, 20.0, 12.0, 22.0]);
}

#[test]
fn cutoffs_select_the_outliers_that_are_drawn() {
    let answer = ranks(&[launches(), launches().rank(9)]).ask(&CudaKernelLaunchStats::default()).unwrap();
    assert_eq!(answer.tables.len(), 1, "the first rank only");
    let drawn = |runtime_cutoff, launch_delay_cutoff| {
        let stats = CudaKernelLaunchStats {
            ranks: Some(vec![0, 9]),
            runtime_cutoff,
            launch_delay_cutoff,
            ..CudaKernelLaunchStats::default()
        };
        let answer = ranks(&[launches(), launches().rank(9)]).ask(&stats).unwrap();
        let counted = |figure: &trace_view::Figure| {
            let sums = figure.series.iter().map(|series| series.y.iter().sum::<f64>()).collect::<Vec<_>>();
            (figure.title.clone(), sums)
        };
        answer.figures.iter().map(counted).collect::<Vec<_>>()
    };
    // Short kernels: a (10 > 3 µs); outliers: the copy (60 µs); delays: c (205 µs).
    assert_eq!(
        drawn(50.0, 100.0),
        [
            ("Short GPU kernels (gpu op duration < cpu op duration)".to_owned(), vec![1.0, 1.0]),
            ("Runtime Event Duration Outliers (duration > 50 us)".to_owned(), vec![1.0, 1.0]),
            ("Launch Delay Outliers (duration > 100 us)".to_owned(), vec![1.0, 1.0]),
        ]
    );
    // Nothing is that long: empty figures are left out.
    assert_eq!(drawn(1000.0, 1000.0).len(), 1);
}

/// ```text
/// CPU 1   |aten::linear 0..100                       |
///           |aten::addmm 10..60   |   |aten::t 70..80|
///             launch 20, launch 30     launch 75
/// CPU 2      |aten::relu 15..25 |                        a launch at 18
/// GPU     a 50   b 90   c 100   d 40
/// ```
fn operators() -> TraceBuilder {
    TraceBuilder::new()
        .operator("aten::linear", 0..100)
        .operator("aten::addmm", 10..60)
        .runtime("cudaLaunchKernel", 1, 20..22)
        .runtime("cudaLaunchKernel", 2, 30..32)
        .operator("aten::t", 70..80)
        .runtime("hipLaunchKernel", 3, 75..76)
        .operator("not aten", 110..120)
        .runtime("cudaLaunchKernel", 4, 115..116)
        .kernel("a", Stream(7), 50..60)
        .correlation(1)
        .kernel("b", Stream(7), 90..95)
        .correlation(2)
        .kernel("c", Stream(7), 100..101)
        .correlation(3)
        .kernel("no operator", Stream(7), 130..131)
        .correlation(4)
        .thread(2)
        .operator("aten::relu", 15..25)
        .runtime("cudaLaunchKernel", 5, 18..19)
        .kernel("d", Stream(9), 40..41)
        .correlation(5)
}

#[test]
fn launch_belongs_to_the_innermost_operator_of_its_thread() {
    let answer = ranks(&[operators()]).ask(&AtenOpKernelsAndDelay::default()).unwrap();
    let df = main_table(&answer);
    assert_eq!(texts(df, "aten_op_name"), ["aten::addmm", "aten::relu", "aten::t"]);
    assert_eq!(texts(df, "kernel_sequence"), ["a -> b", "d", "c"]);
    assert_eq!(column(df, "occurrence_count"), [1.0; 3]);
    assert_eq!(column(df, "avg_aten_op_launch_delay"), [10.0, 3.0, 5.0]);
    assert_eq!(column(df, "avg_runtime_delay"), [30.0, 22.0, 25.0]);
}

#[test]
fn hta_takes_operators_of_any_thread() {
    let answer = loaded(&[operators()], Compat::Hta).ask(&AtenOpKernelsAndDelay::default()).unwrap();
    let df = main_table(&answer);
    // The launch at 20 is within aten::relu of the other thread, which starts later than aten::addmm. Launches of ROCm
    // are ignored.
    assert_eq!(texts(df, "aten_op_name"), ["aten::addmm", "aten::relu", "aten::relu"]);
    assert_eq!(texts(df, "kernel_sequence"), ["b", "a", "d"]);
    assert_eq!(column(df, "avg_aten_op_launch_delay"), [20.0, 5.0, 3.0]);
}

/// The operator that gets the launch if two start together.
fn operator_of_a_tie(compat: Compat) -> String {
    let tie = TraceBuilder::new()
        .operator("aten::linear", 10..60)
        .operator("aten::addmm", 10..50)
        .runtime("cudaLaunchKernel", 1, 20..22)
        .kernel("a", Stream(7), 50..60)
        .correlation(1);
    let answer = loaded(&[tie], compat).ask(&AtenOpKernelsAndDelay::default()).unwrap();
    texts(main_table(&answer), "aten_op_name").remove(0)
}

#[test]
fn ties_prefer_the_innermost_operator() {
    assert_eq!(operator_of_a_tie(Compat::Exact), "aten::addmm");
}

#[test]
fn hta_ties_prefer_the_first_operator_of_the_file() {
    assert_eq!(operator_of_a_tie(Compat::Hta), "aten::linear");
}

/// The kernel sequence of two launches that the file lists in reverse.
fn sequence_of_reversed_launches(compat: Compat) -> String {
    let builder = TraceBuilder::new()
        .operator("aten::linear", 10..60)
        .runtime("cudaLaunchKernel", 1, 40..42)
        .runtime("cudaLaunchKernel", 2, 20..22)
        .kernel("late", Stream(7), 50..60)
        .correlation(1)
        .kernel("early", Stream(7), 30..40)
        .correlation(2);
    let answer = loaded(&[builder], compat).ask(&AtenOpKernelsAndDelay::default()).unwrap();
    texts(main_table(&answer), "kernel_sequence").remove(0)
}

#[test]
fn sequence_follows_its_launches_in_time() {
    assert_eq!(sequence_of_reversed_launches(Compat::Exact), "early -> late");
}

#[test]
fn hta_sequence_follows_its_launches_in_the_file() {
    assert_eq!(sequence_of_reversed_launches(Compat::Hta), "late -> early");
}

#[test]
fn operators_are_counted_by_sequence_and_sorted() {
    let twice = operators()
        .thread(1)
        .operator("aten::t", 200..210)
        .runtime("cudaLaunchKernel", 6, 201..202)
        .kernel("c", Stream(7), 204..205)
        .correlation(6);
    let analysis = TraceAnalysis::new(&ranks(&[twice])).unwrap();
    let sorted = |names: &[&str]| {
        let sort_by = names.iter().map(|&name| name.to_owned()).collect();
        analysis.get_aten_op_kernels_and_delay(&AtenOpKernelsAndDelay { ranks: None, sort_by })
    };
    let df = &sorted(&["occurrence_count"]).unwrap()[&0];
    assert_eq!(texts(df, "aten_op_name"), ["aten::t", "aten::addmm", "aten::relu"]);
    // (5 + 1) / 2 and (25 + 3) / 2.
    assert_eq!((column(df, "avg_aten_op_launch_delay")[0], column(df, "avg_runtime_delay")[0]), (3.0, 14.0));
    let df = &sorted(&["avg_runtime_delay"]).unwrap()[&0];
    assert_eq!(texts(df, "aten_op_name"), ["aten::addmm", "aten::relu", "aten::t"]);
    let error = sorted(&["nonsense"]).unwrap_err();
    assert!(matches!(error, Error::WrongParameter { .. }), "{error}");
    assert!(error.to_string().contains("invalid sort_by `nonsense`: expected a column: aten_op_name,"), "{error}");
}

#[test]
fn each_rank_has_its_own_table() {
    let other = TraceBuilder::new().rank(1).operator("aten::mm", 0..5);
    let two_ranks = AtenOpKernelsAndDelay { ranks: Some(vec![0, 1]), ..AtenOpKernelsAndDelay::default() };
    let traces = ranks(&[operators(), other]);
    let tables = TraceAnalysis::new(&traces).unwrap().get_aten_op_kernels_and_delay(&two_ranks).unwrap();
    assert_eq!(tables.iter().map(|(&rank, df)| (rank, df.height())).collect::<Vec<_>>(), [(0, 3), (1, 0)]);
    let notes = traces.ask(&two_ranks).unwrap().notes;
    assert_eq!(notes, ["No kernel is launched within an aten operator on rank 1."]);
}

//! Launches, and what operators launch.

use super::{column, loaded, main_table, ranks, texts};
use crate::analysis::{AtenOpKernelsAndDelay, CudaKernelLaunchStats};
use crate::{Compat, Error, TraceAnalysis};
use trace_testkit::{Stream, TraceBuilder};

/// ```text
/// CPU   launch 1 0..10   copy 2 20..80   hip 3 90..95   launch 4 100..101   launch 5: nothing on the GPU
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
fn a_launch_has_a_row_with_what_it_launched_and_the_delay_between() {
    let analysis = TraceAnalysis::new(&ranks(&[launches()])).unwrap();
    let df = &analysis.get_cuda_kernel_launch_stats(&CudaKernelLaunchStats::default()).unwrap()[&0];
    assert_eq!(column(df, "correlation"), [1.0, 2.0, 3.0, 4.0]);
    assert_eq!(column(df, "cpu_duration"), [10.0, 60.0, 5.0, 1.0]);
    assert_eq!(column(df, "gpu_duration"), [3.0, 20.0, 10.0, 49.0]);
    // b starts before its call is over: no delay.
    assert_eq!(column(df, "launch_delay"), [5.0, 0.0, 205.0, 0.0]);
    let question = CudaKernelLaunchStats { include_memory_events: false, ..CudaKernelLaunchStats::default() };
    let df = &analysis.get_cuda_kernel_launch_stats(&question).unwrap()[&0];
    assert_eq!(column(df, "correlation"), [1.0, 3.0, 4.0]);
}

#[test]
fn calls_of_rocm_and_of_the_driver_are_launches_but_not_for_hta() {
    let analysis = TraceAnalysis::new(&loaded(&[launches()], Compat::Hta)).unwrap();
    let df = &analysis.get_cuda_kernel_launch_stats(&CudaKernelLaunchStats::default()).unwrap()[&0];
    assert_eq!(column(df, "correlation"), [1.0, 2.0, 4.0]);
}

#[test]
fn every_kernel_of_a_correlation_has_a_row_with_each_call() {
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
fn cutoffs_decide_what_is_drawn_as_an_outlier() {
    let answer = ranks(&[launches(), launches().rank(9)]).ask(&CudaKernelLaunchStats::default()).unwrap();
    assert_eq!(answer.tables.len(), 1, "the first rank only");
    let drawn = |runtime_cutoff, launch_delay_cutoff| {
        let ranks_asked = Some(vec![0, 9]);
        let question = CudaKernelLaunchStats {
            ranks: ranks_asked,
            runtime_cutoff,
            launch_delay_cutoff,
            ..CudaKernelLaunchStats::default()
        };
        let answer = ranks(&[launches(), launches().rank(9)]).ask(&question).unwrap();
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
    // Nothing is that long: no figure of nothing.
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
fn a_launch_belongs_to_the_innermost_operator_of_its_thread() {
    let answer = ranks(&[operators()]).ask(&AtenOpKernelsAndDelay::default()).unwrap();
    let df = main_table(&answer);
    assert_eq!(texts(df, "aten_op_name"), ["aten::addmm", "aten::relu", "aten::t"]);
    assert_eq!(texts(df, "kernel_sequence"), ["a -> b", "d", "c"]);
    assert_eq!(column(df, "occurrence_count"), [1.0; 3]);
    assert_eq!(column(df, "avg_aten_op_launch_delay"), [10.0, 3.0, 5.0]);
    assert_eq!(column(df, "avg_runtime_delay"), [30.0, 22.0, 25.0]);
}

#[test]
fn hta_takes_operators_of_any_thread_and_knows_no_launches_of_rocm() {
    let answer = loaded(&[operators()], Compat::Hta).ask(&AtenOpKernelsAndDelay::default()).unwrap();
    let df = main_table(&answer);
    // The launch at 20 lies in aten::relu of the other thread, which starts later than aten::addmm.
    assert_eq!(texts(df, "aten_op_name"), ["aten::addmm", "aten::relu", "aten::relu"]);
    assert_eq!(texts(df, "kernel_sequence"), ["b", "a", "d"]);
    assert_eq!(column(df, "avg_aten_op_launch_delay"), [20.0, 5.0, 3.0]);
}

#[test]
fn of_operators_that_start_together_the_innermost_counts_and_for_hta_the_first_in_the_file() {
    let together = TraceBuilder::new()
        .operator("aten::linear", 10..60)
        .operator("aten::addmm", 10..50)
        .runtime("cudaLaunchKernel", 1, 20..22)
        .kernel("a", Stream(7), 50..60)
        .correlation(1);
    let name = |compat| {
        let answer = loaded(std::slice::from_ref(&together), compat).ask(&AtenOpKernelsAndDelay::default()).unwrap();
        texts(main_table(&answer), "aten_op_name").remove(0)
    };
    assert_eq!((name(Compat::Exact).as_str(), name(Compat::Hta).as_str()), ("aten::addmm", "aten::linear"));
}

#[test]
fn kernels_stand_in_the_order_of_their_launches_and_for_hta_in_that_of_the_file() {
    let builder = TraceBuilder::new()
        .operator("aten::linear", 10..60)
        .runtime("cudaLaunchKernel", 1, 40..42)
        .runtime("cudaLaunchKernel", 2, 20..22)
        .kernel("late", Stream(7), 50..60)
        .correlation(1)
        .kernel("early", Stream(7), 30..40)
        .correlation(2);
    let sequence = |compat| {
        let answer = loaded(std::slice::from_ref(&builder), compat).ask(&AtenOpKernelsAndDelay::default()).unwrap();
        texts(main_table(&answer), "kernel_sequence").remove(0)
    };
    assert_eq!((sequence(Compat::Exact).as_str(), sequence(Compat::Hta).as_str()), ("early -> late", "late -> early"));
}

#[test]
fn operators_are_counted_by_their_kernels_and_ordered_as_asked() {
    let twice = operators()
        .thread(1)
        .operator("aten::t", 200..210)
        .runtime("cudaLaunchKernel", 6, 201..202)
        .kernel("c", Stream(7), 204..205)
        .correlation(6);
    let analysis = TraceAnalysis::new(&ranks(&[twice])).unwrap();
    let asked = |names: &[&str]| {
        let sort_by = names.iter().map(|&name| name.to_owned()).collect();
        analysis.get_aten_op_kernels_and_delay(&AtenOpKernelsAndDelay { ranks: None, sort_by })
    };
    let df = &asked(&["occurrence_count"]).unwrap()[&0];
    assert_eq!(texts(df, "aten_op_name"), ["aten::t", "aten::addmm", "aten::relu"]);
    // (5 + 1) / 2 and (25 + 3) / 2.
    assert_eq!((column(df, "avg_aten_op_launch_delay")[0], column(df, "avg_runtime_delay")[0]), (3.0, 14.0));
    let df = &asked(&["avg_runtime_delay"]).unwrap()[&0];
    assert_eq!(texts(df, "aten_op_name"), ["aten::addmm", "aten::relu", "aten::t"]);
    let error = asked(&["nonsense"]).unwrap_err();
    assert!(matches!(error, Error::WrongParameter { .. }), "{error}");
}

#[test]
fn of_several_ranks_each_has_its_own_table_and_nothing_of_the_others() {
    let other = TraceBuilder::new().rank(1).operator("aten::mm", 0..5);
    let question = AtenOpKernelsAndDelay { ranks: Some(vec![0, 1]), ..AtenOpKernelsAndDelay::default() };
    let traces = ranks(&[operators(), other]);
    let tables = TraceAnalysis::new(&traces).unwrap().get_aten_op_kernels_and_delay(&question).unwrap();
    assert_eq!(tables.iter().map(|(&rank, df)| (rank, df.height())).collect::<Vec<_>>(), [(0, 3), (1, 0)]);
    let notes = traces.ask(&question).unwrap().notes;
    assert_eq!(notes, ["No kernel is launched within an aten operator on rank 1."]);
}

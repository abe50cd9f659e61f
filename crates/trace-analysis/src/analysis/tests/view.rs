//! The events that analyses see.

use super::{column, loaded, ranks, views};
use crate::analysis::{AtenOpKernelsAndDelay, CudaKernelLaunchStats, QueueLengthTimeSeries};
use crate::frame::IntColumn;
use crate::{Compat, TraceAnalysis};
use trace_testkit::{Stream, TraceBuilder};

/// Launched in step 1, runs in step 2; launched in step 2, the last.
fn two_steps() -> TraceBuilder {
    TraceBuilder::new()
        .operator("before", 0..5)
        .step(1, 10..50)
        .runtime("cudaLaunchKernel", 1, 20..22)
        .step(2, 50..90)
        .operator("aten::mm", 55..60)
        .runtime("cudaLaunchKernel", 2, 60..62)
        .kernel("late", Stream(7), 70..80)
        .correlation(1)
        .kernel("lost", Stream(7), 85..95)
        .correlation(2)
        .operator("after", 100..101)
}

#[test]
fn last_step_and_its_kernels_are_left_out() {
    let analysis = TraceAnalysis::new(&ranks(&[two_steps()])).unwrap();
    let events = views(&analysis)[0].events().unwrap();
    // The kernel first, then the CPU in file order.
    assert_eq!(column(&events, "index"), [6.0, 0.0, 1.0, 2.0]);
    assert_eq!(column(&events, "ts"), [70e3, 0.0, 10e3, 20e3]);
    assert_eq!(column(&events, "end"), [80e3, 5e3, 50e3, 22e3]);
}

/// The number of rows with the last step.
fn rows_with_last_step(compat: Compat) -> usize {
    let traces = loaded(&[two_steps()], compat);
    let analysis = TraceAnalysis::with_last_profiler_step(&traces, true).unwrap();
    views(&analysis)[0].events().unwrap().height()
}

#[test]
fn rows_after_the_last_step_are_left_out() {
    assert_eq!(rows_with_last_step(Compat::Exact), 8);
}

#[test]
fn hta_keeps_rows_after_the_last_step() {
    assert_eq!(rows_with_last_step(Compat::Hta), 9);
}

#[test]
fn single_step_is_kept_and_ranks_share_a_clock() {
    let late = TraceBuilder::new().rank(1).step(1, 110..120);
    let early = TraceBuilder::new().rank(0).step(1, 100..120);
    let analysis = TraceAnalysis::new(&ranks(&[early, late])).unwrap();
    let starts: Vec<f64> = views(&analysis).iter().flat_map(|view| column(&view.events().unwrap(), "ts")).collect();
    assert_eq!(starts, [0.0, 10e3]);
}

/// The number of rows of a rank without steps, next to a rank with steps.
fn rows_of_rank_without_steps(compat: Compat) -> usize {
    let other = TraceBuilder::new().rank(1).operator("aten::mm", 0..5);
    let analysis = TraceAnalysis::new(&loaded(&[two_steps(), other], compat)).unwrap();
    views(&analysis)[1].events().unwrap().height()
}

#[test]
fn rank_without_steps_is_kept_whole() {
    assert_eq!(rows_of_rank_without_steps(Compat::Exact), 1);
}

#[test]
fn hta_drops_a_rank_without_steps() {
    assert_eq!(rows_of_rank_without_steps(Compat::Hta), 0);
}

#[test]
fn kernels_belong_to_the_iteration_of_their_launch() {
    let traces = ranks(&[two_steps(), two_steps().rank(1)]);
    let analysis = TraceAnalysis::with_last_profiler_step(&traces, true).unwrap();
    let seen = |iterations: &[i64]| -> Vec<f64> {
        let narrowed = analysis.in_iterations(iterations).unwrap();
        column(&views(&narrowed)[1].events().unwrap(), "index")
    };
    assert_eq!(seen(&[1]), [6.0, 1.0, 2.0], "the kernel runs in step 2 and was launched in step 1");
    assert_eq!(seen(&[2]), [7.0, 3.0, 4.0, 5.0]);
    assert_eq!(seen(&[1, 2]).len(), 7, "without the rows before the first step");
    let narrowed = analysis.in_iterations([2]).unwrap();
    assert_eq!(views(&narrowed)[0].gpu().len(), 1);
    let answer = narrowed.ask(&crate::analysis::TemporalBreakdown::default()).unwrap();
    assert_eq!(answer.title, "temporal_breakdown · t · ranks 0, 1 · iteration 2");
    assert_eq!(answer.figures[0].subtitle, "t · ranks 0, 1 · iteration 2");
    assert_eq!(column(&answer.tables[0].frame, "kernel_time(us)"), [10.0, 10.0]);
}

#[test]
fn unavailable_iterations_are_refused_with_the_reason() {
    let analysis = TraceAnalysis::new(&ranks(&[two_steps()])).unwrap();
    let error = |iterations: &[i64]| analysis.in_iterations(iterations).unwrap_err().to_string();
    assert_eq!(error(&[7]), "trace \"t\" has no iteration 7 (has 1)");
    assert!(error(&[2]).contains("--include-last-profiler-step"), "{}", error(&[2]));
    assert_eq!(error(&[]), "no iteration of trace \"t\" is selected (has 1)");
    let without = TraceAnalysis::new(&ranks(&[TraceBuilder::new().operator("aten::mm", 0..5)])).unwrap();
    assert!(without.in_iterations(3).unwrap_err().to_string().contains("it has no ProfilerStep"));
}

/// ```text
/// CPU     |before| |---- step 1 ----|---- step 2 ----| |after|
///                     launch 1 (2)     launch 3 (too late: ends behind the step)
/// device                  |-- 1 --|      |dma|     |-- 3 --|      |dma outside|
/// ```
#[test]
fn mtia_keeps_whole_steps_including_the_last() {
    const LAUNCH: &str = "runFunction - job_prep_and_submit_for_execution";
    let mtia = TraceBuilder::new()
        .operator("before", 0..5)
        .step(1, 10..50)
        .runtime(LAUNCH, 1, 20..22)
        .complete("kernel", "job", 0, 3, 30..40)
        .correlation(1)
        .step(2, 50..90)
        .operator("aten::mm", 60..70)
        .complete("mtia_dma", "dma copy", 0, 4, 62..66)
        .runtime(LAUNCH, 3, 85..95)
        .complete("kernel", "late job", 0, 3, 96..99)
        .correlation(3)
        .complete("mtia_dma", "dma outside", 0, 4, 97..98)
        .operator("after", 100..105);
    let traces = ranks(&[mtia]);
    assert_eq!(traces.info()[0].device_type, "MTIA");
    for include_last in [false, true] {
        let analysis = TraceAnalysis::with_last_profiler_step(&traces, include_last).unwrap();
        let events = views(&analysis)[0].events().unwrap();
        assert_eq!(column(&events, "index"), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        assert_eq!(column(&events, "stream")[5], 4.0, "a copy runs on its thread");
        assert_eq!(column(&events, "iteration")[5], 2.0);
        assert_eq!(views(&analysis)[0].gpu().len(), 2, "a job has no stream");
    }
    assert!(IntColumn::of(&traces.events(), "stream").unwrap().iter().all(|stream| stream.is_none()));
}

/// Returns the start of the launch of each GPU event of the first rank.
fn launches(analysis: &TraceAnalysis) -> Vec<Option<i64>> {
    let view = &views(analysis)[0];
    view.gpu().iter().map(view.launches()).collect()
}

#[test]
fn filtered_kernels_keep_the_time_of_their_launch() {
    let analysis = TraceAnalysis::new(&ranks(&[two_steps()])).unwrap();
    let index = |analysis: &TraceAnalysis| column(&views(analysis)[0].events().unwrap(), "index");
    let kernels = analysis.filter("stream == 7".parse::<crate::filter::Where>().unwrap()).unwrap();
    assert_eq!(index(&kernels), [6.0]);
    assert_eq!(launches(&kernels), [Some(20_000)]);
    // Times count from the first event; filters of filters compose.
    let early = analysis.filter("ts < 60us".parse::<crate::filter::Where>().unwrap()).unwrap();
    assert_eq!(index(&early), [0.0, 1.0, 2.0]);
    assert_eq!(index(&early.filter(crate::filter::name("cuda").unwrap()).unwrap()), [2.0]);
    assert!(views(&early)[0].gpu().is_empty());
    // So they do if iterations come later.
    assert_eq!(launches(&kernels.in_iterations(1).unwrap()), [Some(20_000)]);
    // What a rank lacks and another has is null there.
    let with = TraceBuilder::new().rank(1).operator("a", 0..1).arg("bytes", "3");
    let both = TraceAnalysis::new(&ranks(&[two_steps(), with])).unwrap();
    let some = both.filter("bytes == 3".parse::<crate::filter::Where>().unwrap()).unwrap();
    assert_eq!(views(&some).iter().map(|view| view.events().unwrap().height()).collect::<Vec<_>>(), [0, 1]);
}

#[test]
fn launch_analyses_see_launches_of_filtered_kernels() {
    let two = TraceBuilder::new()
        .operator("aten::mm", 0..8)
        .runtime("cudaLaunchKernel", 1, 5..6)
        .runtime("cudaLaunchKernel", 2, 20..22)
        .kernel("gemm", Stream(7), 10..19)
        .correlation(1)
        .kernel("relu", Stream(7), 25..30)
        .correlation(2);
    let analysis = TraceAnalysis::new(&ranks(&[two])).unwrap();
    let of = |text: &str| analysis.filter(text.parse::<crate::filter::Where>().unwrap()).unwrap();
    let correlations = |analysis: &TraceAnalysis| {
        let df = analysis.get_cuda_kernel_launch_stats(&CudaKernelLaunchStats::default()).unwrap();
        column(&df[&0], "correlation")
    };
    assert_eq!(correlations(&of("name == gemm")), [1.0]);
    assert_eq!(correlations(&of("stream == 7")), [1.0, 2.0]);
    // A further filter that drops a kernel drops its launch; a launch alone does not bring its kernel back.
    assert_eq!(correlations(&of("stream == 7").filter(crate::filter::name("relu").unwrap()).unwrap()), [2.0]);
    assert!(correlations(&of("cat == cuda_runtime")).is_empty());
    let lengths = of("name == gemm").get_queue_length_time_series(&QueueLengthTimeSeries::default()).unwrap();
    assert_eq!(column(&lengths[&0], "queue_length"), [1.0, 0.0]);
    // Operators must pass the filter themselves.
    let operators = |analysis: &TraceAnalysis| {
        let df = analysis.get_aten_op_kernels_and_delay(&AtenOpKernelsAndDelay::default()).unwrap();
        df[&0].height()
    };
    assert_eq!(operators(&of("name == gemm")), 0);
    assert_eq!(operators(&of("name == gemm or cat == cpu_op")), 1);
    // Other analyses see only the rows that passed.
    assert_eq!(views(&of("name == gemm"))[0].rows().len(), 1);
}

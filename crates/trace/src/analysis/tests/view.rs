//! Which events the questions see.

use super::{column, loaded, ranks};
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
fn the_last_step_and_what_it_launched_are_left_out() {
    let analysis = TraceAnalysis::new(&ranks(&[two_steps()])).unwrap();
    let events = analysis.views()[0].events().unwrap();
    // The kernel first, then the CPU in file order.
    assert_eq!(column(&events, "index"), [6.0, 0.0, 1.0, 2.0]);
    assert_eq!(column(&events, "ts"), [70e3, 0.0, 10e3, 20e3]);
    assert_eq!(column(&events, "end"), [80e3, 5e3, 50e3, 22e3]);
}

#[test]
fn with_the_last_step_what_comes_after_its_end_is_left_out_but_not_by_hta() {
    let seen = |compat| {
        let traces = loaded(&[two_steps()], compat);
        let analysis = TraceAnalysis::with_last_profiler_step(&traces, true).unwrap();
        analysis.views()[0].events().unwrap().height()
    };
    assert_eq!(seen(Compat::Exact), 8);
    assert_eq!(seen(Compat::Hta), 9);
}

#[test]
fn of_a_single_step_nothing_is_left_out_and_all_ranks_share_a_clock() {
    let late = TraceBuilder::new().rank(1).step(1, 110..120);
    let early = TraceBuilder::new().rank(0).step(1, 100..120);
    let analysis = TraceAnalysis::new(&ranks(&[early, late])).unwrap();
    let starts: Vec<f64> = analysis.views().iter().flat_map(|view| column(&view.events().unwrap(), "ts")).collect();
    assert_eq!(starts, [0.0, 10e3]);
}

#[test]
fn a_rank_without_steps_is_kept_whole_but_hta_leaves_nothing_of_it() {
    let other = TraceBuilder::new().rank(1).operator("aten::mm", 0..5);
    let height = |compat| {
        let analysis = TraceAnalysis::new(&loaded(&[two_steps(), other.clone()], compat)).unwrap();
        analysis.views()[1].events().unwrap().height()
    };
    assert_eq!((height(Compat::Exact), height(Compat::Hta)), (1, 0));
}

#[test]
fn of_some_iterations_only_their_rows_are_seen_on_the_gpu_by_the_launch() {
    let traces = ranks(&[two_steps(), two_steps().rank(1)]);
    let analysis = TraceAnalysis::with_last_profiler_step(&traces, true).unwrap();
    let seen = |iterations: &[i64]| -> Vec<f64> {
        let narrowed = analysis.in_iterations(iterations).unwrap();
        column(&narrowed.views()[1].events().unwrap(), "index")
    };
    assert_eq!(seen(&[1]), [6.0, 1.0, 2.0], "the kernel runs in step 2 and was launched in step 1");
    assert_eq!(seen(&[2]), [7.0, 3.0, 4.0, 5.0]);
    assert_eq!(seen(&[1, 2]).len(), 7, "without what lies before the first step");
    let narrowed = analysis.in_iterations([2]).unwrap();
    assert_eq!(narrowed.views()[0].gpu().len(), 1);
    let answer = narrowed.ask(&crate::analysis::TemporalBreakdown::default()).unwrap();
    assert_eq!(answer.title, "temporal_breakdown · t · ranks 0, 1 · iteration 2");
    assert_eq!(answer.figures[0].subtitle, "t · ranks 0, 1 · iteration 2");
    assert_eq!(column(&answer.tables[0].frame, "kernel_time(us)"), [10.0, 10.0]);
}

#[test]
fn an_iteration_that_is_not_seen_is_named_with_the_reason() {
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
fn on_mtia_whole_steps_are_kept_the_last_one_too() {
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
        let events = analysis.views()[0].events().unwrap();
        assert_eq!(column(&events, "index"), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        assert_eq!(column(&events, "stream")[5], 4.0, "a copy runs on its thread");
        assert_eq!(column(&events, "iteration")[5], 2.0);
        assert_eq!(analysis.views()[0].gpu().len(), 1);
    }
    assert!(IntColumn::of(&traces.events(), "stream").unwrap().iter().all(|stream| stream.is_none()));
}

#[test]
fn a_filter_leaves_the_events_it_takes_and_kernels_their_launch() {
    let analysis = TraceAnalysis::new(&ranks(&[two_steps()])).unwrap();
    let index = |analysis: &TraceAnalysis| column(&analysis.views()[0].events().unwrap(), "index");
    let kernels = analysis.filter("stream == 7".parse::<crate::filter::Where>().unwrap()).unwrap();
    assert_eq!(index(&kernels), [6.0]);
    assert_eq!(kernels.views()[0].gpu().iter().map(|event| event.launch_ts).collect::<Vec<_>>(), [Some(20_000)]);
    // Times count from the first event; filters of filters compose.
    let early = analysis.filter("ts < 60us".parse::<crate::filter::Where>().unwrap()).unwrap();
    assert_eq!(index(&early), [0.0, 1.0, 2.0]);
    assert_eq!(index(&early.filter(crate::filter::name("cuda").unwrap()).unwrap()), [2.0]);
    assert!(early.views()[0].gpu().is_empty());
    // So they do if iterations come later.
    let launched =
        |analysis: &TraceAnalysis| analysis.views()[0].gpu().iter().map(|event| event.launch_ts).collect::<Vec<_>>();
    assert_eq!(launched(&kernels.in_iterations(1).unwrap()), [Some(20_000)]);
    // What a rank lacks and another has is null there.
    let with = TraceBuilder::new().rank(1).operator("a", 0..1).arg("bytes", "3");
    let both = TraceAnalysis::new(&ranks(&[two_steps(), with])).unwrap();
    let some = both.filter("bytes == 3".parse::<crate::filter::Where>().unwrap()).unwrap();
    assert_eq!(some.views().iter().map(|view| view.events().unwrap().height()).collect::<Vec<_>>(), [0, 1]);
}

#[test]
fn questions_about_launches_see_those_of_the_kernels_that_a_filter_takes() {
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
    // The launch of what a further filter drops goes with it, and one that was dropped on its own stays away.
    assert_eq!(correlations(&of("stream == 7").filter(crate::filter::name("relu").unwrap()).unwrap()), [2.0]);
    assert!(correlations(&of("cat == cuda_runtime")).is_empty());
    let lengths = of("name == gemm").get_queue_length_time_series(&QueueLengthTimeSeries::default()).unwrap();
    assert_eq!(column(&lengths[&0], "queue_length"), [1.0, 0.0]);
    // Operators have to be taken themselves.
    let operators = |analysis: &TraceAnalysis| {
        let df = analysis.get_aten_op_kernels_and_delay(&AtenOpKernelsAndDelay::default()).unwrap();
        df[&0].height()
    };
    assert_eq!(operators(&of("name == gemm")), 0);
    assert_eq!(operators(&of("name == gemm or cat == cpu_op")), 1);
    // Other questions see only what was taken.
    assert_eq!(of("name == gemm").views()[0].rows().len(), 1);
}

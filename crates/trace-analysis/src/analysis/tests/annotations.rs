//! User annotations, profiler steps, stragglers.

use super::{column, loaded, main_table, ranks, texts};
use crate::Questions;
use crate::analysis::{GpuKernelsWithUserAnnotations, GpuUserAnnotationBreakdown, PotentialStragglers, ProfilerSteps};
use crate::{Compat, Error, TraceAnalysis, TraceSet};
use polars::prelude::DataFrame;
use trace_testkit::{Stream, TraceBuilder};
use trace_view::Points;

fn gpu_annotation(builder: TraceBuilder, name: &str, stream: i64, span: std::ops::Range<i64>) -> TraceBuilder {
    builder.complete("gpu_user_annotation", name, 0, stream, span)
}

/// ```text
/// stream 7   |------------ forward 0..100 ------------|   |- backward 100..120 -|
///                |--- attention 20..50 ---|
/// kernels   a 0..10   b 25..30   c 45..60   d 95..105   e at 30, no length   f 200..210
/// stream 9   |- other 0..40 -|   g 20..30
/// ```
fn annotated() -> TraceBuilder {
    let mut builder = TraceBuilder::new().annotation("forward", 0..60).annotation("forward", 200..240);
    builder = gpu_annotation(builder, "forward", 7, 0..100);
    builder = gpu_annotation(builder, "backward", 7, 100..120);
    builder = gpu_annotation(builder, "attention", 7, 20..50);
    builder = gpu_annotation(builder, "other", 9, 0..40);
    for (name, span) in
        [("a<int>(b)", 0..10), ("b", 25..30), ("c", 45..60), ("d", 95..105), ("e", 30..30), ("f", 200..210)]
    {
        builder = builder.kernel(name, Stream(7), span);
    }
    builder.kernel("g", Stream(9), 20..30)
}

/// The annotation of each kernel; a dash for none.
fn annotations(traces: &TraceSet) -> Vec<String> {
    let analysis = TraceAnalysis::new(traces).unwrap();
    let df = analysis.get_gpu_kernels_with_user_annotations(0, &GpuKernelsWithUserAnnotations::default()).unwrap();
    let column = df.column("s_user_annotation").unwrap().str().unwrap().clone();
    column.iter().map(|text| text.unwrap_or("-").to_owned()).collect()
}

#[test]
fn kernel_belongs_to_the_shortest_overlapping_annotation() {
    let traces = ranks(&[annotated()]);
    // d runs 5 µs in each: backward is shorter.
    assert_eq!(annotations(&traces), ["forward", "attention", "attention", "backward", "attention", "-", "other"]);
    let answer = traces.ask(&GpuKernelsWithUserAnnotations::default()).unwrap();
    let df = main_table(&answer);
    assert_eq!(texts(df, "s_name")[0], "a");
    assert_eq!((column(df, "index")[0], column(df, "ts")[1], column(df, "dur")[1]), (6.0, 25.0, 5.0));
    let whole = traces.ask(&GpuKernelsWithUserAnnotations { shorten_names: false }).unwrap();
    assert_eq!(texts(main_table(&whole), "s_name")[0], "a<int>(b)");
}

#[test]
fn hta_kernel_of_duration_0_has_no_annotation() {
    let traces = loaded(&[annotated()], Compat::Hta);
    assert_eq!(annotations(&traces), ["forward", "attention", "attention", "backward", "-", "-", "other"]);
}

#[test]
fn without_annotations_on_the_gpu_there_are_no_rows() {
    let traces = ranks(&[TraceBuilder::new().annotation("forward", 0..10).kernel("a", Stream(7), 0..10)]);
    let answer = traces.ask(&GpuKernelsWithUserAnnotations::default()).unwrap();
    assert_eq!(main_table(&answer).height(), 0);
    assert_eq!(answer.notes, ["No user annotations on the GPU on rank 0."]);
}

#[test]
fn annotations_are_timed_on_the_gpu_or_on_the_cpu() {
    let second = gpu_annotation(TraceBuilder::new().rank(1), "forward", 7, 0..30);
    let analysis = TraceAnalysis::new(&ranks(&[annotated(), second])).unwrap();
    let df = analysis.get_gpu_user_annotation_breakdown(&GpuUserAnnotationBreakdown::default()).unwrap();
    assert_eq!(texts(&df, "name"), ["attention", "backward", "forward", "other", "forward"]);
    assert_eq!(column(&df, "sum (us)"), [30.0, 20.0, 100.0, 40.0, 30.0]);
    assert_eq!(column(&df, "rank"), [0.0, 0.0, 0.0, 0.0, 1.0]);
    let cpu = GpuUserAnnotationBreakdown { use_gpu_annotation: false, ..GpuUserAnnotationBreakdown::default() };
    let answer = analysis.ask(&cpu).unwrap();
    let df = main_table(&answer);
    // 60 and 40 µs.
    assert_eq!(
        (column(df, "sum (us)"), column(df, "max (us)"), column(df, "min (us)")),
        (vec![100.0], vec![60.0], vec![40.0])
    );
    assert_eq!(column(df, "mean (us)"), [50.0]);
    assert!((column(df, "stddev")[0] - 200_f64.sqrt()).abs() < 1e-9);
    assert_eq!(answer.notes, ["No user annotations on the CPU of rank 1."]);
}

/// The annotations with one row of their own and `others`: attention 30, backward 20, other 40 and 2.
fn folded(compat: Compat, allowlist_patterns: Option<Vec<String>>) -> DataFrame {
    let breakdown = GpuUserAnnotationBreakdown {
        num_kernels: 1,
        duration_ratio: 1.0,
        allowlist_patterns,
        ..GpuUserAnnotationBreakdown::default()
    };
    let traces = loaded(&[gpu_annotation(annotated(), "other", 9, 50..52)], compat);
    TraceAnalysis::new(&traces).unwrap().get_gpu_user_annotation_breakdown(&breakdown).unwrap()
}

#[test]
fn folded_annotations_have_statistics_of_their_durations() {
    let df = folded(Compat::Exact, None);
    assert_eq!(texts(&df, "name"), ["forward", "others"]);
    assert_eq!((column(&df, "sum (us)")[1], column(&df, "max (us)")[1], column(&df, "min (us)")[1]), (92.0, 40.0, 2.0));
}

#[test]
fn hta_folded_annotations_have_statistics_of_their_sums() {
    let df = folded(Compat::Hta, None);
    assert_eq!(
        (column(&df, "sum (us)")[1], column(&df, "max (us)")[1], column(&df, "min (us)")[1]),
        (92.0, 42.0, 20.0)
    );
}

#[test]
fn allowlisted_annotations_are_not_folded() {
    let df = folded(Compat::Exact, Some(vec!["back".to_owned()]));
    assert_eq!(texts(&df, "name"), ["backward", "forward", "others"]);
}

#[test]
fn ratio_above_one_is_refused() {
    let invalid = GpuUserAnnotationBreakdown { duration_ratio: 2.0, ..GpuUserAnnotationBreakdown::default() };
    assert!(matches!(ranks(&[annotated()]).ask(&invalid), Err(Error::WrongParameter { .. })));
}

#[test]
fn steps_are_those_that_analyses_include() {
    let steps = TraceBuilder::new().step(4, 0..10).step(5, 10..20).step(6, 20..30);
    let traces = ranks(&[steps, TraceBuilder::new().rank(1).operator("aten::mm", 0..5)]);
    assert_eq!(TraceAnalysis::new(&traces).unwrap().get_profiler_steps().unwrap(), [4, 5]);
    let all = TraceAnalysis::with_last_profiler_step(&traces, true).unwrap();
    assert_eq!(all.get_profiler_steps().unwrap(), [4, 5, 6]);
    let answer = traces.ask(&ProfilerSteps {}).unwrap();
    assert_eq!(answer.notes, ["No ProfilerStep on rank 1."]);
}

/// Each rank starts its collective at a different time of every step; all end together.
///
/// ```text
/// step 1   rank 0 |--------|   rank 1 |-----|      rank 2     |--|
/// step 2   rank 0 |-----|      rank 1 |--------|   rank 2     |--|
/// ```
fn job(name: &str, starts: [[i64; 2]; 3]) -> Vec<TraceBuilder> {
    let rank = |rank: i64| {
        let mut builder = TraceBuilder::new().rank(rank);
        for step in 0..3 {
            let begin = 1000 * step;
            builder = builder.step(step + 1, begin..begin + 1000);
            if let Some(start) = starts[rank as usize].get(step as usize) {
                let id = 10 * step + 1;
                builder = builder
                    .runtime("cudaLaunchKernel", id, begin + 10..begin + 11)
                    .kernel("ncclKernel_short", Stream(20), begin + 1..begin + 5)
                    .correlation(id)
                    .runtime("cudaLaunchKernel", id + 1, begin + 20..begin + 21)
                    .kernel(name, Stream(20), begin + start..begin + 900)
                    .correlation(id + 1);
            }
        }
        builder
    };
    vec![rank(0), rank(1), rank(2)]
}

const STARTS: [[i64; 2]; 3] = [[100, 200], [200, 100], [700, 800]];

#[test]
fn ranks_that_start_late_are_stragglers() {
    let analysis = TraceAnalysis::new(&ranks(&job("ncclDevKernel_AllReduce", STARTS))).unwrap();
    let one = PotentialStragglers { num_candidates: 1, ..PotentialStragglers::default() };
    assert_eq!(analysis.get_potential_stragglers(&one).unwrap(), [2]);
    // Two of each step are marked: rank 2 twice, ranks 0 and 1 once; but these start no later than the median rank.
    let answer = analysis.ask(&PotentialStragglers::default()).unwrap();
    assert_eq!(column(main_table(&answer), "rank"), [2.0]);
    let [rule, refused, waiting] = &answer.notes[..] else { panic!("{:?}", answer.notes) };
    assert!(
        rule.starts_with("HTA's rule: which ranks start one collective last, ncclDevKernel_AllReduce on stream 20"),
        "{rule}"
    );
    assert!(
        refused.starts_with("Not named: rank 0, marked by that rule, but at most 0.00 % of a mean step later"),
        "{refused}"
    );
    assert_eq!(
        waiting,
        "By waiting: Ranks wait 2.40 ms for each other in 4 collectives: 2.40 ms (100 %) for rank 2, which arrives last at 2."
    );
    let first = PotentialStragglers { profiler_steps: Some(vec![1, 77]), num_candidates: 2 };
    assert_eq!(analysis.get_potential_stragglers(&first).unwrap(), [2]);
    let kernels = &analysis.ask(&one).unwrap().tables[1].frame;
    assert_eq!(column(kernels, "iteration"), [1.0, 1.0, 1.0, 2.0, 2.0, 2.0]);
    assert_eq!(column(kernels, "normalized_start_time"), [0.1, 0.2, 0.7, 1.2, 1.1, 1.8]);
    assert_eq!(texts(kernels, "is_straggler"), ["No", "No", "Yes", "No", "No", "Yes"]);
}

#[test]
fn timeline_has_a_line_per_kernel_at_its_rank() {
    let analysis = TraceAnalysis::new(&ranks(&job("ncclDevKernel_AllReduce", STARTS))).unwrap();
    let one = PotentialStragglers { profiler_steps: Some(vec![1]), num_candidates: 1 };
    let figure = &analysis.ask(&one).unwrap().figures[0];
    let drawn = |series: &[usize]| -> Vec<(String, Vec<f64>, Vec<Option<f64>>)> {
        let of = |&index: &usize| {
            let series = &figure.series[index];
            let Points::Numbers(x) = &series.x else { panic!("a timeline has times") };
            let y = series.y.iter().map(|y| Some(*y).filter(|y| y.is_finite())).collect();
            (series.name.clone(), x.clone(), y)
        };
        series.iter().map(of).collect()
    };
    let (yes, no) = ("is_straggler: Yes".to_owned(), "is_straggler: No".to_owned());
    assert_eq!(
        drawn(&figure.choices[0].series),
        [
            (yes, vec![700.0, 900.0, 900.0], vec![Some(2.0), Some(2.0), None]),
            (
                no,
                vec![100.0, 900.0, 900.0, 200.0, 900.0, 900.0],
                vec![Some(0.0), Some(0.0), None, Some(1.0), Some(1.0), None]
            ),
        ]
    );
    let all = drawn(&figure.choices[1].series);
    assert_eq!(
        all.iter().map(|(name, x, _)| (name.as_str(), x.len())).collect::<Vec<_>>(),
        [("ncclDevKernel_AllReduce on stream 20", 9)]
    );
}

#[test]
fn hta_ignores_collectives_with_names_of_nccl_2_18() {
    let answer = |name| {
        let traces = loaded(&job(name, STARTS), Compat::Hta);
        traces.ask(&PotentialStragglers::default()).unwrap()
    };
    assert_eq!(column(main_table(&answer("ncclKernel_AllReduce")), "rank"), [2.0, 0.0]);
    let answer = answer("ncclDevKernel_AllReduce");
    assert_eq!(main_table(&answer).height(), 0);
    assert_eq!(answer.notes, ["No collective of NCCL lasts 1 % of a step on ranks 0, 1, 2: nothing to compare."]);
}

/// Collectives of step 0 on stream 0: rank 1 starts late. In the file the short, early one comes last.
fn at_zero(rank: i64) -> TraceBuilder {
    let late = 100 + 500 * rank;
    TraceBuilder::new()
        .rank(rank)
        .operator("first", 0..1)
        .step(0, 0..1000)
        .runtime("cudaLaunchKernel", 1, 10..11)
        .runtime("cudaLaunchKernel", 2, 20..21)
        .kernel("ncclKernel_AllReduce", Stream(0), late..900)
        .correlation(2)
        .kernel("ncclKernel_AllReduce", Stream(0), 30..60 - 10 * rank)
        .correlation(1)
}

#[test]
fn stragglers_include_step_0_and_stream_0() {
    let answer = ranks(&[at_zero(0), at_zero(1)]).ask(&PotentialStragglers::default()).unwrap();
    // Both are marked; only rank 1 comes later.
    assert_eq!(column(main_table(&answer), "rank"), [1.0]);
    assert_eq!(column(&answer.tables[1].frame, "normalized_start_time"), [0.1, 0.6]);
}

#[test]
fn hta_stragglers_exclude_step_0_and_stream_0() {
    let answer = loaded(&[at_zero(0), at_zero(1)], Compat::Hta).ask(&PotentialStragglers::default()).unwrap();
    assert_eq!(main_table(&answer).height(), 0);
}

/// The starts of a collective that runs twice in a step, the later one first in the file.
fn starts_of_a_repeated_collective(compat: Compat) -> Vec<f64> {
    let job = |rank: i64| {
        TraceBuilder::new()
            .rank(rank)
            .operator("first", 0..1)
            .step(1, 0..1000)
            .runtime("cudaLaunchKernel", 1, 10..11)
            .runtime("cudaLaunchKernel", 2, 20..21)
            .kernel("ncclKernel_AllReduce", Stream(7), 500..900)
            .correlation(2)
            .kernel("ncclKernel_AllReduce", Stream(7), 30..60 + 10 * rank)
            .correlation(1)
    };
    let answer = loaded(&[job(0), job(1)], compat).ask(&PotentialStragglers::default()).unwrap();
    column(&answer.tables[1].frame, "normalized_start_time")
}

#[test]
fn last_collective_in_time_counts() {
    assert_eq!(starts_of_a_repeated_collective(Compat::Exact), [0.5, 0.5]);
}

#[test]
fn hta_last_collective_in_the_file_counts() {
    assert_eq!(starts_of_a_repeated_collective(Compat::Hta), [0.03, 0.03]);
}

#[test]
fn missing_stragglers_are_explained() {
    let one = ranks(&job("ncclKernel_AllReduce", STARTS)[..1]);
    let answer = one.ask(&PotentialStragglers::default()).unwrap();
    assert_eq!(answer.notes, ["No collective runs on two or more ranks (analysed: rank 0): nothing to compare."]);
    let unknown_step = PotentialStragglers { profiler_steps: Some(vec![77]), ..PotentialStragglers::default() };
    let error = one.ask(&unknown_step).unwrap_err();
    assert_eq!(
        error.to_string(),
        "potential_stragglers: invalid profiler_steps `77`: expected steps of the trace: 1, 2"
    );
}

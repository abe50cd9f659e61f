//! GPU time by kernel type, and the longest kernels.

use super::{column, loaded, ranks, texts};
use crate::Questions;
use crate::analysis::GpuKernelBreakdown;
use crate::{Compat, Error, TraceAnalysis};
use polars::prelude::DataFrame;
use trace_testkit::{Stream, TraceBuilder};

/// ```text
/// gemm    0..10, 20..24            relu   30..31    tanh  32..34
/// nccl         5..15
/// copy                   22..26
/// ```
fn timeline() -> TraceBuilder {
    TraceBuilder::new()
        .kernel("gemm", Stream(7), 0..10)
        .kernel("ncclDevKernel_AllReduce", Stream(20), 5..15)
        .kernel("gemm", Stream(7), 20..24)
        .memcpy("Memcpy DtoH (Device -> Pageable)", Stream(8), 64, 22..26)
        .kernel("relu", Stream(7), 30..31)
        .kernel("tanh", Stream(7), 32..34)
        .complete("cuda_sync", "Stream Synchronize", 0, 7, 0..100)
        .arg("stream", "7")
}

#[test]
fn moments_count_for_the_set_of_running_types() {
    let analysis = TraceAnalysis::new(&ranks(&[timeline()])).unwrap();
    let (types, _) = analysis.get_gpu_kernel_breakdown(&GpuKernelBreakdown::default()).unwrap();
    assert_eq!(
        texts(&types, "kernel_type"),
        [
            "COMPUTATION",
            "COMMUNICATION",
            "COMPUTATION overlapping COMMUNICATION",
            "MEMORY",
            "COMPUTATION overlapping MEMORY"
        ]
    );
    assert_eq!(column(&types, "sum"), [10.0, 5.0, 5.0, 2.0, 2.0]);
    assert_eq!(column(&types, "percentage"), [41.7, 20.8, 20.8, 8.3, 8.3]);
    let without_memory = GpuKernelBreakdown { include_memory_kernels: false, ..GpuKernelBreakdown::default() };
    let (types, kernels) = analysis.get_gpu_kernel_breakdown(&without_memory).unwrap();
    assert_eq!(column(&types, "sum"), [12.0, 5.0, 5.0]);
    assert_eq!(texts(&kernels, "name"), ["ncclDevKernel_AllReduce", "gemm", "relu", "tanh"]);
}

/// The kernels, all but one of each type folded into others: sums 14, 2, 1; cumulated 14, 16, 17; the quantile 0.5 is 16.
fn folded(compat: Compat) -> DataFrame {
    let breakdown = GpuKernelBreakdown { num_kernels: 1, duration_ratio: 0.5, ..GpuKernelBreakdown::default() };
    let analysis = TraceAnalysis::new(&loaded(&[timeline()], compat)).unwrap();
    let df = analysis.get_gpu_kernel_breakdown(&breakdown).unwrap().1;
    assert_eq!(texts(&df, "name")[1..3], ["gemm", "others"]);
    assert_eq!(column(&df, "sum (us)"), [10.0, 14.0, 3.0, 4.0]);
    df
}

#[test]
fn folded_kernels_have_statistics_of_their_durations() {
    let df = folded(Compat::Exact);
    assert_eq!(column(&df, "max (us)"), [10.0, 10.0, 2.0, 4.0]);
    assert_eq!(column(&df, "mean (us)"), [10.0, 7.0, 1.5, 4.0]);
    assert_eq!(column(&df, "stddev")[1], 18_f64.sqrt());
}

#[test]
fn hta_folded_kernels_have_statistics_of_their_sums() {
    let df = folded(Compat::Hta);
    assert_eq!(column(&df, "max (us)"), [10.0, 14.0, 2.0, 4.0]);
    assert_eq!(column(&df, "mean (us)"), [10.0, 14.0, 1.5, 4.0]);
    assert_eq!(column(&df, "stddev")[1], 0.0);
}

#[test]
fn ratio_above_one_is_refused() {
    let breakdown = GpuKernelBreakdown { duration_ratio: 80.0, ..GpuKernelBreakdown::default() };
    let error = ranks(&[timeline()]).ask(&breakdown).unwrap_err();
    assert!(matches!(error, Error::WrongParameter { .. }));
    assert_eq!(error.to_string(), "gpu_kernel_breakdown: invalid duration_ratio `80`: expected a share from 0 to 1");
}

#[test]
fn one_figure_shows_all_ranks_whatever_their_numbers() {
    let far = timeline().rank(34);
    let answer = ranks(&[timeline(), far]).ask(&GpuKernelBreakdown::default()).unwrap();
    let figure = &answer.figures[1];
    assert_eq!(figure.choices[0].name, "COMPUTATION");
    for choice in &figure.choices {
        let names: Vec<&str> = choice.series.iter().map(|&index| figure.series[index].name.as_str()).collect();
        assert_eq!(names, ["rank 0", "rank 34"], "{}", choice.name);
    }
}

#[test]
fn statistics_are_drawn_by_type_and_rank() {
    let rank = |rank: i64, last: i64| {
        let builder = TraceBuilder::new().rank(rank).kernel("gemm", Stream(7), 0..10);
        builder.kernel("gemm", Stream(7), 20..last).kernel("relu", Stream(7), 90..91)
    };
    let answer = ranks(&[rank(0, 40), rank(34, 60)]).ask(&GpuKernelBreakdown::default()).unwrap();
    let figure = &answer.figures[2];
    let shown = |choice: &str| {
        let choice = figure.choices.iter().find(|other| other.name == choice).unwrap();
        choice.series.iter().map(|&index| figure.series[index].y.clone()).collect::<Vec<_>>()
    };
    // gemm comes first: 10 and 20 µs on rank 0, 10 and 40 µs on rank 34.
    assert_eq!(shown("COMPUTATION · mean"), [[15.0, 1.0], [25.0, 1.0]]);
    assert_eq!(shown("COMPUTATION · max"), [[20.0, 1.0], [40.0, 1.0]]);
    assert_eq!(shown("COMPUTATION · min"), [[10.0, 1.0], [10.0, 1.0]]);
    assert_eq!(figure.choices.len(), 3, "types without kernels are not in the menu");
}

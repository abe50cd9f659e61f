//! Types of kernels, and the longest of each.

use super::{column, loaded, ranks, texts};
use crate::analysis::GpuKernelBreakdown;
use crate::{Compat, Error, TraceAnalysis};
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
fn every_moment_belongs_to_the_types_that_run_in_it() {
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
    let question = GpuKernelBreakdown { include_memory_kernels: false, ..GpuKernelBreakdown::default() };
    let (types, kernels) = analysis.get_gpu_kernel_breakdown(&question).unwrap();
    assert_eq!(column(&types, "sum"), [12.0, 5.0, 5.0]);
    assert_eq!(texts(&kernels, "name"), ["ncclDevKernel_AllReduce", "gemm", "relu", "tanh"]);
}

#[test]
fn kernels_without_a_row_of_their_own_are_others_with_true_statistics_and_with_sums_under_hta() {
    // Sums 14, 2, 1; cumulated 14, 16, 17; the quantile 0.5 is 16.
    let question = GpuKernelBreakdown { num_kernels: 1, duration_ratio: 0.5, ..GpuKernelBreakdown::default() };
    let kernels = |compat| {
        let analysis = TraceAnalysis::new(&loaded(&[timeline()], compat)).unwrap();
        analysis.get_gpu_kernel_breakdown(&question).unwrap().1
    };
    let (exact, hta) = (kernels(Compat::Exact), kernels(Compat::Hta));
    for df in [&exact, &hta] {
        assert_eq!(texts(df, "name")[1..3], ["gemm", "others"]);
        assert_eq!(column(df, "sum (us)"), [10.0, 14.0, 3.0, 4.0]);
    }
    assert_eq!(column(&exact, "max (us)"), [10.0, 10.0, 2.0, 4.0]);
    assert_eq!(column(&exact, "mean (us)"), [10.0, 7.0, 1.5, 4.0]);
    assert_eq!(column(&exact, "stddev")[1], 18_f64.sqrt());
    assert_eq!(column(&hta, "max (us)"), [10.0, 14.0, 2.0, 4.0]);
    assert_eq!(column(&hta, "mean (us)"), [10.0, 14.0, 1.5, 4.0]);
    assert_eq!(column(&hta, "stddev")[1], 0.0);
}

#[test]
fn a_ratio_is_a_share() {
    let question = GpuKernelBreakdown { duration_ratio: 80.0, ..GpuKernelBreakdown::default() };
    let error = ranks(&[timeline()]).ask(&question).unwrap_err();
    assert!(matches!(error, Error::WrongParameter { .. }));
    assert_eq!(error.to_string(), "gpu_kernel_breakdown: invalid duration_ratio `80`: expected a share from 0 to 1");
}

#[test]
fn one_figure_holds_all_ranks_whatever_their_numbers() {
    let far = timeline().rank(34);
    let answer = ranks(&[timeline(), far]).ask(&GpuKernelBreakdown::default()).unwrap();
    let figure = &answer.figures[1];
    assert_eq!(figure.choices[0].name, "COMPUTATION");
    for choice in &figure.choices {
        let names: Vec<&str> = choice.series.iter().map(|&place| figure.series[place].name.as_str()).collect();
        assert_eq!(names, ["rank 0", "rank 34"], "{}", choice.name);
    }
}

#[test]
fn mean_longest_and_shortest_are_drawn_by_type_and_rank() {
    let rank = |rank: i64, last: i64| {
        let builder = TraceBuilder::new().rank(rank).kernel("gemm", Stream(7), 0..10);
        builder.kernel("gemm", Stream(7), 20..last).kernel("relu", Stream(7), 90..91)
    };
    let answer = ranks(&[rank(0, 40), rank(34, 60)]).ask(&GpuKernelBreakdown::default()).unwrap();
    let figure = &answer.figures[2];
    let shown = |choice: &str| {
        let choice = figure.choices.iter().find(|other| other.name == choice).unwrap();
        choice.series.iter().map(|&place| figure.series[place].y.clone()).collect::<Vec<_>>()
    };
    // gemm stands first: 10 and 20 µs on rank 0, 10 and 40 µs on rank 34.
    assert_eq!(shown("COMPUTATION · mean"), [[15.0, 1.0], [25.0, 1.0]]);
    assert_eq!(shown("COMPUTATION · max"), [[20.0, 1.0], [40.0, 1.0]]);
    assert_eq!(shown("COMPUTATION · min"), [[10.0, 1.0], [10.0, 1.0]]);
    assert_eq!(figure.choices.len(), 3, "kinds without kernels have no place in the menu");
}

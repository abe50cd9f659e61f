//! Merging is independent of the order and grouping of ranks.

use super::{ranks, views};
use crate::TraceSet;
use crate::analysis::*;
use crate::state::{opened, sealed};
use trace_testkit::{Stream, TraceBuilder};

/// Four ranks with something for every analysis.
pub(super) fn four_ranks() -> TraceSet {
    let rank = |rank: i64| {
        TraceBuilder::new()
            .rank(rank)
            .nanos()
            .step(1, 0..70_000)
            .operator("aten::mm", 100..2_000)
            .runtime("cudaLaunchKernel", 8, 200..300 + rank)
            .runtime("cudaMemcpyAsync", 1, 0..3)
            .kernel("gemm", Stream(7), 0..10_001 + rank)
            .kernel("ncclDevKernel_AllReduce", Stream(20), 5_003..17_000 + 7 * rank)
            .correlation(8)
            .complete("gpu_user_annotation", "forward", 0, 7, 0..9_000 + rank)
            .kernel("gemm", Stream(7), 30_000..33_333)
            .kernel("relu", Stream(7), 40_000..40_100 * (rank + 1))
            .memcpy("Memcpy DtoH (Device -> Pageable)", Stream(7), 4096, 60_000..61_000)
            .correlation(1)
            .arg("memory bandwidth (GB/s)", "4.096")
            .complete("cuda_profiler_range", "gemm", 0, 0, 210..220 + rank)
            .arg("dram__bytes.sum", &(rank + 1).to_string())
    };
    ranks(&[rank(0), rank(1), rank(2), rank(3)])
}

/// Four ranks whose products of matrices have shapes, of two kinds.
fn four_ranks_with_shapes() -> TraceSet {
    let rank = |rank: i64| {
        let product = |trace: TraceBuilder, at: i64, rows: i64| {
            trace
                .operator("aten::mm", at..at + 20)
                .arg("Input Dims", &format!("[[{rows}, 32], [32, 16]]"))
                .arg("Input type", r#"["c10::BFloat16", "c10::BFloat16"]"#)
                .runtime("cudaLaunchKernel", at, at + 1..at + 3)
                .kernel("gemm", Stream(7), at + 30..at + 40 + rank)
                .correlation(at)
        };
        product(product(TraceBuilder::new().rank(rank), 100, 64), 200, 64 << rank)
    };
    ranks(&[rank(0), rank(1), rank(2), rank(3)])
}

/// Asserts that each way to merge the four partial results gives the same answer, also of states that were bytes.
fn assert_merges<A: Analysis>(parameters: &A) {
    assert_merges_of(&four_ranks(), parameters);
}

fn assert_merges_of<A: Analysis>(traces: &TraceSet, parameters: &A) {
    let analysis = TraceAnalysis::new(traces).unwrap();
    let states = || -> Vec<A::State> {
        let through_bytes = |state: A::State| -> A::State {
            let bytes = sealed(A::NAME, "", &state).unwrap();
            opened(A::NAME, "", &bytes).unwrap()
        };
        views(&analysis).iter().map(|view| through_bytes(parameters.map(view).unwrap())).collect()
    };
    let all = |order: [usize; 4]| {
        let mut states: Vec<Option<A::State>> = states().into_iter().map(Some).collect();
        order.into_iter().fold(A::State::default(), |mut merged, index| {
            merged.merge(states[index].take().unwrap());
            merged
        })
    };
    let pairs = |[a, b, c, d]: [usize; 4]| {
        let mut states: Vec<Option<A::State>> = states().into_iter().map(Some).collect();
        let mut take = |index: usize| states[index].take().unwrap();
        let (mut left, mut right) = (take(a), take(c));
        left.merge(take(b));
        right.merge(take(d));
        right.merge(left);
        right
    };
    let text = |state| {
        let answer = parameters.finish(state).unwrap();
        answer.tables.iter().map(|table| format!("{:?}", exact_text(&table.frame))).collect::<String>()
    };
    let expected = text(all([0, 1, 2, 3]));
    for order in [[3, 2, 1, 0], [1, 3, 0, 2], [2, 0, 3, 1]] {
        assert_eq!(text(all(order)), expected, "{}", A::NAME);
        assert_eq!(text(pairs(order)), expected, "{}", A::NAME);
    }
}

/// The values of a frame, with all their digits.
pub(super) fn exact_text(df: &polars::prelude::DataFrame) -> Vec<Vec<String>> {
    let row = |row: usize| df.columns().iter().map(|column| format!("{:?}", column.get(row))).collect();
    (0..df.height()).map(row).collect()
}

#[test]
fn order_and_grouping_of_ranks_do_not_matter() {
    assert_merges(&TemporalBreakdown::default());
    assert_merges(&CommCompOverlap::default());
    assert_merges(&GpuKernelBreakdown::default());
    assert_merges(&GpuKernelBreakdown { num_kernels: 1, ..GpuKernelBreakdown::default() });
    assert_merges(&IdleTimeBreakdown::default());
    assert_merges(&MemoryBwTimeSeries::default());
    assert_merges(&MemoryBwSummary::default());
    assert_merges(&QueueLengthTimeSeries::default());
    assert_merges(&QueueLengthSummary::default());
    assert_merges(&TimeBlockedOnFullQueue { ranks: None, max_queue_length: 1 });
    assert_merges(&TraceWithCounters::default());
    assert_merges(&CudaKernelLaunchStats::default());
    assert_merges(&FrequentCudaKernelSequences {
        operator_name: "aten".to_owned(),
        min_pattern_len: 1,
        ..FrequentCudaKernelSequences::default()
    });
    assert_merges(&GpuUserAnnotationBreakdown::default());
    assert_merges(&GpuKernelsWithUserAnnotations::default());
    assert_merges(&AtenOpKernelsAndDelay::default());
    assert_merges(&PotentialStragglers::default());
    assert_merges(&ProfilerSteps::default());
    assert_merges(&CompareRanks::default());
    let (shaped, roofline) = (four_ranks_with_shapes(), Roofline { peak: Some("bf16=900,bandwidth=3000".to_owned()) });
    assert_eq!(TraceAnalysis::new(&shaped).unwrap().ask(&roofline).unwrap().tables[0].frame.height(), 4);
    assert_merges_of(&shaped, &roofline);
    assert_merges(&Collectives::default());
    assert_merges(&CuptiCounters { ranks: Some(vec![0, 1, 2, 3]) });
    assert_merges(&Validate::default());
    assert_merges(&Kernels::default());
}

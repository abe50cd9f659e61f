//! The order and the grouping of ranks change nothing.

use super::ranks;
use crate::analysis::*;
use trace_testkit::{Stream, TraceBuilder};

fn four_ranks() -> TraceAnalysis {
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
    };
    TraceAnalysis::new(&ranks(&[rank(0), rank(1), rank(2), rank(3)])).unwrap()
}

/// Each way to put the four states together, as text of the answer.
fn holds<A: Analysis>(question: &A) {
    let analysis = four_ranks();
    let states = || -> Vec<A::State> {
        let through_json =
            |state: A::State| -> A::State { serde_json::from_str(&serde_json::to_string(&state).unwrap()).unwrap() };
        analysis.views().iter().map(|view| through_json(question.map(view).unwrap())).collect()
    };
    let all = |order: [usize; 4]| {
        let mut states: Vec<Option<A::State>> = states().into_iter().map(Some).collect();
        order.into_iter().fold(A::State::default(), |mut merged, place| {
            merged.merge(states[place].take().unwrap());
            merged
        })
    };
    let pairs = |[a, b, c, d]: [usize; 4]| {
        let mut states: Vec<Option<A::State>> = states().into_iter().map(Some).collect();
        let mut take = |place: usize| states[place].take().unwrap();
        let (mut left, mut right) = (take(a), take(c));
        left.merge(take(b));
        right.merge(take(d));
        right.merge(left);
        right
    };
    let text = |state| {
        let answer = question.finish(state).unwrap();
        answer.tables.iter().map(|table| format!("{:?}", table.frame.to_ndarray_text())).collect::<String>()
    };
    let expected = text(all([0, 1, 2, 3]));
    for order in [[3, 2, 1, 0], [1, 3, 0, 2], [2, 0, 3, 1]] {
        assert_eq!(text(all(order)), expected, "{}", A::NAME);
        assert_eq!(text(pairs(order)), expected, "{}", A::NAME);
    }
}

/// A frame to its last digit.
trait Text {
    fn to_ndarray_text(&self) -> Vec<Vec<String>>;
}

impl Text for polars::prelude::DataFrame {
    fn to_ndarray_text(&self) -> Vec<Vec<String>> {
        let row = |row: usize| self.columns().iter().map(|column| format!("{:?}", column.get(row))).collect();
        (0..self.height()).map(row).collect()
    }
}

#[test]
fn the_order_and_grouping_of_ranks_change_nothing() {
    holds(&TemporalBreakdown::default());
    holds(&CommCompOverlap::default());
    holds(&GpuKernelBreakdown::default());
    holds(&GpuKernelBreakdown { num_kernels: 1, ..GpuKernelBreakdown::default() });
    holds(&IdleTimeBreakdown::default());
    holds(&MemoryBwTimeSeries::default());
    holds(&MemoryBwSummary::default());
    holds(&QueueLengthTimeSeries::default());
    holds(&QueueLengthSummary::default());
    holds(&TimeBlockedOnFullQueue { ranks: None, max_queue_length: 1 });
    holds(&TraceWithCounters::default());
    holds(&CudaKernelLaunchStats::default());
    holds(&FrequentCudaKernelSequences {
        operator_name: "aten".to_owned(),
        min_pattern_len: 1,
        ..FrequentCudaKernelSequences::default()
    });
    holds(&GpuUserAnnotationBreakdown::default());
    holds(&GpuKernelsWithUserAnnotations::default());
    holds(&AtenOpKernelsAndDelay::default());
    holds(&PotentialStragglers::default());
    holds(&ProfilerSteps::default());
}

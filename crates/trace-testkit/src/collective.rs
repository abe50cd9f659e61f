//! A rank of a job whose ranks meet at an all-reduce.

use crate::{Stream, TraceBuilder};
use std::ops::Range;

/// Name of the kernel of [`rank_with_collective`].
pub const ALL_REDUCE: &str = "ncclDevKernel_AllReduce_Sum_f32_RING_LL";

/// Builds a rank of one step of 10,000 µs: a matrix product of `gemm` µs from 100 on, and an all-reduce.
pub fn rank_with_collective(number: i64, gemm: i64, all_reduce: Range<i64>) -> TraceBuilder {
    TraceBuilder::new()
        .rank(number)
        .step(1, 0..10_000)
        .operator("aten::mm", 10..50)
        .runtime("cudaLaunchKernel", 1, 20..30)
        .runtime("cudaLaunchKernel", 2, 60..70)
        .kernel("gemm", Stream(7), 100..100 + gemm)
        .correlation(1)
        .kernel(ALL_REDUCE, Stream(20), all_reduce)
        .correlation(2)
}

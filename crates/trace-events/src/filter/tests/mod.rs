//! The language and the filters, on timelines that a reader can check.
#![allow(clippy::unwrap_used)]

mod events;
mod language;
mod laws;

use crate::frame::IntColumn;
use crate::{Trace, TraceSet};
use polars::prelude::{DataFrame, Expr, IntoLazy};
use trace_testkit::{Stream, TraceBuilder};

/// Two steps, a launch and its kernel in each, a copy of no duration, and an operator before all of it.
///
/// ```text
/// CPU       warm −20..−10 | step 1 0..100: aten::mm 10..30, launch 12..14 | step 2 100..200: aten::mm 110..150, launch 112..114
/// stream 7                    ncclDevKernel_AllReduce 40..90                  gemm "x" 120..160
/// stream 20                                                                  Memcpy DtoH 130..130
/// ```
fn traces() -> TraceSet {
    let json = TraceBuilder::new()
        .operator("warm", -20..-10)
        .step(1, 0..100)
        .operator("aten::mm", 10..30)
        .arg("Input Dims", "[[2, 3]]")
        .runtime("cudaLaunchKernel", 4, 12..14)
        .kernel("ncclDevKernel_AllReduce", Stream(7), 40..90)
        .correlation(4)
        .step(2, 100..200)
        .operator("aten::mm", 110..150)
        .runtime("cudaLaunchKernel", 5, 112..114)
        .kernel("gemm \"x\"", Stream(7), 120..160)
        .correlation(5)
        .memcpy("Memcpy DtoH", Stream(20), 64, 130..130)
        .correlation(6)
        .json();
    TraceSet::from_bytes(json).unwrap()
}

fn trace() -> Trace {
    traces().rank(0).unwrap()
}

/// The places of the events that a filter takes.
fn taken(df: &DataFrame, filter: Expr) -> Vec<i64> {
    let selected = df.clone().lazy().filter(filter).collect().unwrap();
    IntColumn::of(&selected, "index").unwrap().iter().flatten().collect()
}

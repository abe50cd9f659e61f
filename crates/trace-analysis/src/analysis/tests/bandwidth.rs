//! Memory bandwidth over time.

use super::{column, loaded, ranks, texts};
use crate::Questions;
use crate::analysis::{MemoryBwSummary, MemoryBwTimeSeries};
use crate::{Compat, TraceAnalysis};
use polars::prelude::DataFrame;
use trace_testkit::{Stream, TraceBuilder};

const GBPS: &str = "memory bandwidth (GB/s)";

/// ```text
/// stream 7     |DtoH 0.1: 0..10|          |DtoH 0.3: 20..30|
/// stream 9         |DtoH 0.2: 4..10|
/// DtoH         0.1  0.3     (0.2, then nothing)   0.3       0
/// Memset                       of duration 0 at 50: counts as 1 µs
/// ```
fn timeline() -> TraceBuilder {
    TraceBuilder::new()
        .operator("aten::mm", 0..1)
        .memcpy("Memcpy DtoH (Device -> Pageable)", Stream(7), 8, 0..10)
        .arg(GBPS, "0.1")
        .memcpy("Memcpy DtoH (Device -> Pinned)", Stream(9), 8, 4..10)
        .arg(GBPS, "0.2")
        .memcpy("Memcpy DtoH (Device -> Pageable)", Stream(7), 8, 20..30)
        .arg(GBPS, "0.3")
        .memcpy("Memset (Device)", Stream(7), 8, 50..50)
        .arg(GBPS, "7")
        .kernel("gemm", Stream(7), 60..70)
}

#[test]
fn copies_of_one_kind_add_up_while_they_run() {
    let analysis = TraceAnalysis::new(&ranks(&[timeline()])).unwrap();
    let df = &analysis.get_memory_bw_time_series(&MemoryBwTimeSeries::default()).unwrap()[&0];
    assert_eq!(column(df, "ts"), [0.0, 4.0, 10.0, 10.0, 20.0, 30.0, 50.0, 51.0]);
    assert_eq!(texts(df, "name")[5..7], ["Memcpy DtoH", "Memset"]);
    let gbps = column(df, "memory_bw_gbps");
    assert!((gbps[1] - 0.3).abs() < 1e-12 && (gbps[2] - 0.2).abs() < 1e-12, "{gbps:?}");
    assert_eq!((gbps[3], gbps[4], gbps[5], gbps[6], gbps[7]), (0.0, 0.3, 0.0, 7.0, 0.0));
}

fn summary(compat: Compat) -> DataFrame {
    let analysis = TraceAnalysis::new(&loaded(&[timeline()], compat)).unwrap();
    analysis.get_memory_bw_summary(&MemoryBwSummary::default()).unwrap()
}

#[test]
fn rounding_errors_do_not_count_as_bandwidth() {
    let df = summary(Compat::Exact);
    assert_eq!(texts(&df, "name"), ["Memcpy DtoH", "Memset"]);
    assert_eq!(column(&df, "memory_bw_gbps.count"), [4.0, 1.0]);
    assert_eq!((column(&df, "memory_bw_gbps.min")[0], column(&df, "memory_bw_gbps.max")[1]), (0.1, 7.0));
    assert!(column(&df, "memory_bw_gbps.std")[1].is_nan());
}

#[test]
fn hta_rounding_errors_count_as_bandwidth() {
    // 0.1 + 0.2 − 0.1 − 0.2 is 2.8e-17.
    let df = summary(Compat::Hta);
    assert_eq!(column(&df, "memory_bw_gbps.count"), [6.0, 1.0]);
    assert!(column(&df, "memory_bw_gbps.min")[0] < 1e-16);
}

#[test]
fn missing_bandwidth_has_a_note() {
    let silent = TraceBuilder::new().memcpy("Memcpy DtoH", Stream(7), 8, 0..10);
    let traces = ranks(&[silent]);
    let series = traces.ask(&MemoryBwTimeSeries::default()).unwrap();
    assert_eq!(column(&series.tables[0].frame, "memory_bw_gbps"), [0.0, 0.0]);
    let summary = traces.ask(&MemoryBwSummary::default()).unwrap();
    assert_eq!(summary.tables[0].frame.height(), 0);
    assert!(summary.notes[0].starts_with("No memory bandwidth is recorded"), "{:?}", summary.notes);
}

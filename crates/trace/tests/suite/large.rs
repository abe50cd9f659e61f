//! Completeness of the large traces of the benchmarks.
#![allow(clippy::unwrap_used, missing_docs)]

use trace::TraceSet;
use trace_testkit::{Large, gzip};

#[test]
fn large_trace_loads_completely_and_without_warnings() {
    let mut json = Vec::new();
    let written = Large { bytes: 15_000_000, seed: 1, rank: 5 }.write(&mut json).unwrap();
    let traces = TraceSet::from_bytes(gzip(&json)).unwrap();
    assert_eq!(traces.warnings(), []);
    let trace = &traces.traces()[0];
    assert_eq!((trace.rank(), trace.iterations()), (5, vec![1000, 1001, 1002, 1003, 1004]));
    let text = String::from_utf8(json).unwrap();
    let rows = text.matches("\"ph\": \"X\"").count() - 1;
    assert_eq!((trace.events().height(), trace.info().events_in_file), (rows, written.events));
    let there = |column: &str| trace.events().column(column).unwrap().is_not_null();
    // Every kernel has its launch: only the events at the cut may have lost theirs.
    let alone = (there("stream") & !there("index_correlation")).sum().unwrap();
    assert!(alone < 50, "{alone} of {} kernels without a launch", there("stream").sum().unwrap());
    assert!(there("stream").sum().unwrap() as usize > rows / 8);
    let timeless = (!there("iteration")).sum().unwrap() as usize;
    assert!(timeless < rows / 20, "{timeless} of {rows} without an iteration");
}

//! Tests of rows, iterations and correlations, on timelines that can be checked by hand.
#![allow(clippy::unwrap_used)]

use crate::frame::IntColumn;
use crate::{Compat, LoadOptions, Trace, TraceSet};
use polars::prelude::DataType;
use trace_testkit::{Stream, TraceBuilder};

fn load(builder: &TraceBuilder) -> Trace {
    TraceSet::from_bytes(builder.json()).unwrap().rank(0).unwrap()
}

fn load_as_hta(builder: &TraceBuilder) -> Trace {
    let options = LoadOptions { compat: Compat::Hta, ..LoadOptions::default() };
    TraceSet::from_bytes_with(builder.json(), &options).unwrap().rank(0).unwrap()
}

fn ints(trace: &Trace, column: &str) -> Vec<Option<i64>> {
    IntColumn::of(&trace.events(), column).unwrap().iter().collect()
}

fn texts(trace: &Trace, column: &str) -> Vec<Option<String>> {
    let texts = trace.events().column(column).unwrap().cast(&DataType::String).unwrap();
    texts.str().unwrap().iter().map(|text| text.map(str::to_owned)).collect()
}

#[test]
fn events_with_duration_and_category_become_rows() {
    let trace = load(
        &TraceBuilder::new()
            .raw(r#"{"ph": "M", "name": "process_name", "pid": 1, "ts": 0}"#)
            .operator("a", 0..10)
            .raw(r#"{"ph": "s", "cat": "ac2g", "name": "flow", "id": 3, "ts": 1}"#)
            .raw(r#"{"ph": "X", "cat": "Trace", "name": "PyTorch Profiler (0)", "ts": 0, "dur": 99}"#)
            .raw(r#"{"ph": "X", "cat": null, "name": "x", "ts": 0, "dur": 99}"#)
            .operator("b", 10..20),
    );
    assert_eq!(ints(&trace, "index"), [Some(1), Some(5)]);
    assert_eq!((trace.info().events, trace.info().events_in_file), (2, 6));
    assert_eq!((trace.info().first_ts, trace.info().last_end, trace.info().span()), (0, 20_000, 20_000));
}

#[test]
fn iterations_follow_cpu_time_and_gpu_launches() {
    // step 4      |----------------|              0..50
    // step 5                       |--------|     50..80
    // launch        |-|                           10..12
    // kernel                          |---|       60..70, launched in step 4
    let trace = load(
        &TraceBuilder::new()
            .operator("before", -5..2)
            .step(4, 0..50)
            .step(5, 50..80)
            .runtime("cudaLaunchKernel", 7, 10..12)
            .kernel("late", Stream(20), 60..70)
            .correlation(7)
            .kernel("orphan", Stream(20), 60..70)
            .correlation(8)
            .operator("at the boundary", 50..51)
            .operator("after", 80..81),
    );
    let expected = [None, Some(4), Some(5), Some(4), Some(4), None, Some(5), None];
    assert_eq!(ints(&trace, "iteration"), expected);
    assert_eq!(trace.iterations(), [4, 5]);
    assert_eq!(trace.info().streams, [20]);
}

#[test]
fn kernels_on_stream_0_have_an_iteration_except_under_hta() {
    let timeline = TraceBuilder::new()
        .operator("first", 0..1)
        .step(1, 0..50)
        .runtime("hipLaunchKernel", 3, 5..6)
        .kernel("gemm", Stream(0), 20..30)
        .correlation(3)
        .operator("triton_op", 7..8)
        .arg("stream", "0");
    assert_eq!(ints(&load(&timeline), "iteration"), [Some(1); 5]);
    assert_eq!(ints(&load_as_hta(&timeline), "iteration"), [Some(1), Some(1), Some(1), None, Some(1)]);
}

#[test]
fn graph_launch_links_to_its_last_kernel() {
    let trace = load(
        &TraceBuilder::new()
            .operator("a", 0..1)
            .runtime("cudaGraphLaunch", 5, 1..2)
            .kernel("k1", Stream(7), 3..4)
            .correlation(5)
            .kernel("k2", Stream(7), 4..5)
            .correlation(5)
            .runtime("cudaStreamSynchronize", 6, 5..6)
            .complete("cuda_sync", "Event Sync", 0, 0, 5..6)
            .correlation(9)
            .runtime("cudaEventSynchronize", 9, 5..6)
            .kernel("negative", Stream(7), 6..7)
            .correlation(-1),
    );
    let expected = [None, Some(3), Some(1), Some(1), None, Some(6), Some(5), None];
    assert_eq!(ints(&trace, "index_correlation"), expected);
    assert_eq!(ints(&trace, "correlation")[4..], [Some(6), Some(9), Some(9), None]);
}

#[test]
fn hta_rounding_needs_a_fractional_start() {
    // 1.2 .. 1.9 crosses no whole µs;  2.0 .. 4.5;  5.1 .. 8.05
    let fractional =
        TraceBuilder::new().nanos().operator("a", 1200..1900).operator("b", 2000..4500).operator("c", 5100..8050);
    let hta = load_as_hta(&fractional);
    assert_eq!(ints(&hta, "ts"), [Some(2000), Some(2000), Some(6000)]);
    assert_eq!(ints(&hta, "dur"), [Some(-1000), Some(2000), Some(2000)]);
    assert_eq!(ints(&hta, "end"), [Some(1000), Some(4000), Some(8000)]);
    assert_eq!(ints(&load(&fractional), "dur"), [Some(700), Some(2500), Some(2950)]);

    let whole = TraceBuilder::new().raw(r#"{"cat": "cpu_op", "name": "a", "ts": 3, "dur": 0.5}"#);
    assert_eq!(ints(&load_as_hta(&whole), "dur"), [Some(500)]);
    let one_dropped_event_suffices = whole.raw(r#"{"ph": "i", "name": "mark", "ts": 0.5}"#);
    assert_eq!(ints(&load_as_hta(&one_dropped_event_suffices), "dur"), [Some(0)]);
}

#[test]
fn arguments_without_values_have_no_column() {
    let trace = load(
        &TraceBuilder::new()
            .operator("a", 0..1)
            .arg("Input Dims", "[[2,3], []]")
            .operator("b", 1..2)
            .memcpy("Memcpy HtoD", Stream(7), 4096, 2..3)
            .arg("memory bandwidth (GB/s)", "1.5")
            .operator("c", 3..4)
            .arg("Collective name", "\"all_reduce\"")
            .arg("Unknown", "5"),
    );
    let events = trace.events();
    let names: Vec<&str> = events.get_column_names().iter().map(|name| name.as_str()).collect();
    let base = crate::EVENT_COLUMNS.iter().map(|column| column.name).take(12);
    let expected: Vec<&str> = base.chain(["bytes", "memory_bw_gbps", "input_dims", "collective_name"]).collect();
    assert_eq!(names, expected);
    assert_eq!(ints(&trace, "bytes"), [None, None, Some(4096), None]);
    assert_eq!(texts(&trace, "input_dims"), [Some("[[2, 3], []]".to_owned()), None, None, None]);
    assert_eq!(texts(&trace, "collective_name")[3].as_deref(), Some("all_reduce"));
}

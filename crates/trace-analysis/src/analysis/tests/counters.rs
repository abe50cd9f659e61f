//! Copies of traces with counters.

use crate::analysis::{TimeSeries, TraceWithCounters};
use crate::{TraceAnalysis, TraceSet};
use serde_json::Value;
use std::io::Read;
use std::path::Path;
use trace_testkit::{Stream, TraceBuilder};

/// One launch, one copy, in nanoseconds.
fn timeline() -> TraceBuilder {
    TraceBuilder::new()
        .nanos()
        .runtime("cudaMemcpyAsync", 1, 1_000..2_000)
        .memcpy("Memcpy DtoH", Stream(7), 8, 3_500..5_001)
        .correlation(1)
        .arg("memory bandwidth (GB/s)", "2.5")
}

fn read(path: &Path) -> Value {
    let mut text = String::new();
    flate2::read::GzDecoder::new(std::fs::File::open(path).unwrap()).read_to_string(&mut text).unwrap();
    serde_json::from_str(&text).unwrap()
}

#[test]
fn counters_follow_the_events_on_the_clock_of_the_trace() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("a.json");
    std::fs::write(&source, timeline().json()).unwrap();
    let traces = TraceSet::load(&source).unwrap();
    let analysis = TraceAnalysis::new(&traces).unwrap();
    let files = analysis.generate_trace_with_counters(&TraceWithCounters::default()).unwrap();
    assert_eq!(files[&0], folder.path().join("a_with_counters.json.gz"));
    assert_eq!(std::fs::read_to_string(&source).unwrap(), timeline().json());
    let copy = read(&files[&0]);
    let events = copy["traceEvents"].as_array().unwrap();
    let original: Value = serde_json::from_str(&timeline().json()).unwrap();
    assert_eq!(events[..2], original["traceEvents"].as_array().unwrap()[..]);
    let expected = serde_json::json!([
        {"ph": "C", "name": "Queue Length", "id": 7, "pid": 0, "ts": 1, "args": {"Queue Length": 1}},
        {"ph": "C", "name": "Queue Length", "id": 7, "pid": 0, "ts": 3.5, "args": {"Queue Length": 0}},
        {"ph": "C", "name": "Memcpy DtoH", "pid": 0, "ts": 3.5, "args": {"Memcpy BW": 2.5}},
        {"ph": "C", "name": "Memcpy DtoH", "pid": 0, "ts": 5.001, "args": {"Memcpy BW": 0.0}},
    ]);
    assert_eq!(events[2..], expected.as_array().unwrap()[..]);
    assert_eq!(TraceSet::load(&files[&0]).unwrap().event_count(), 2, "counters are no rows");
}

#[test]
fn parameters_select_counters_and_output() {
    let folder = tempfile::tempdir().unwrap();
    for rank in 0..2 {
        std::fs::write(folder.path().join(format!("{rank}.json")), timeline().rank(rank).json()).unwrap();
    }
    std::fs::write(folder.path().join("2.json"), TraceBuilder::new().rank(2).operator("aten::mm", 0..5).json())
        .unwrap();
    let analysis = TraceAnalysis::new(&TraceSet::load(folder.path()).unwrap()).unwrap();
    let mut counters = TraceWithCounters {
        ranks: Some(vec![0, 1, 2]),
        time_series: vec![TimeSeries::QueueLength],
        output: Some(folder.path().join("out.json.gz")),
        ..TraceWithCounters::default()
    };
    let answer = analysis.ask(&counters).unwrap();
    assert_eq!(answer.tables[0].frame.height(), 2);
    assert_eq!(answer.notes, ["Nothing to count, hence no copy, on rank 2."]);
    let files = analysis.generate_trace_with_counters(&counters).unwrap();
    assert_eq!(files[&1], folder.path().join("out.rank1.json.gz"));
    assert_eq!(read(&files[&1])["traceEvents"].as_array().unwrap().len(), 4);
    counters.ranks = Some(vec![0]);
    counters.output = Some(folder.path().join("1.json"));
    let error = analysis.ask(&counters).unwrap_err().to_string();
    assert!(
        error.contains("1.json: it is the source of the trace"),
        "not even another rank's source is overwritten: {error}"
    );
}

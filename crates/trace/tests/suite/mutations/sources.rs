//! Traces to mutate: excerpts of recorded ones, small enough to break many.

use flate2::read::MultiGzDecoder;
use serde_json::{Value, json};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Events of an excerpt, besides those that share a correlation id.
const EXCERPT: usize = 120;

/// Our own traces, and the shared ones if they exist.
pub(crate) fn sources() -> Vec<Value> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let own = here.join("../../notebooks/data");
    let shared = std::env::var("TRACEBOOK_SHARED").map_or_else(|_| here.join("../../../shared"), PathBuf::from);
    let mut files = ["control/rank-3.json.gz", "job/rank-0.json.gz", "recorded_cpu/control", "recorded_cpu/test"]
        .map(|name| first_file(&own.join(name)))
        .to_vec();
    let traces = shared.join("traces");
    if traces.is_dir() {
        let others = ["amd_trace", "cpu_only", "triton_example", "trace_filter", "critical_path/alexnet"];
        files.extend(others.map(|name| first_file(&traces.join(name))));
    } else {
        eprintln!("skipped: no traces of others to break, {} is not there", traces.display());
    }
    let mut sources = vec![counters()];
    for file in files {
        let mut text = Vec::new();
        MultiGzDecoder::new(File::open(&file).unwrap()).read_to_end(&mut text).unwrap();
        let trace: Value = serde_json::from_slice(&text).unwrap();
        sources.extend(excerpts(&trace));
    }
    sources
}

fn first_file(path: &Path) -> PathBuf {
    if !path.is_dir() {
        return path.to_owned();
    }
    let mut files: Vec<PathBuf> = std::fs::read_dir(path).unwrap().map(|file| file.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|ending| ending == "gz"));
    files.sort();
    files.swap_remove(0)
}

/// Returns the beginning and two excerpts from within, each with its steps and with both ends of its correlations.
fn excerpts(trace: &Value) -> Vec<Value> {
    let events = trace["traceEvents"].as_array().unwrap();
    let correlation = |event: &Value| event["args"]["correlation"].as_i64();
    let is_step = |event: &Value| event["name"].as_str().is_some_and(|name| name.starts_with("ProfilerStep"));
    [0, events.len() / 3, events.len() * 2 / 3]
        .into_iter()
        .map(|from| {
            let to = (from + EXCERPT).min(events.len());
            let ids: Vec<i64> = events[from..to].iter().filter_map(correlation).collect();
            let within = |(at, event): &(usize, &Value)| {
                (from..to).contains(at) || is_step(event) || correlation(event).is_some_and(|id| ids.contains(&id))
            };
            let selected = events.iter().enumerate().filter(within).map(|(_, event)| event.clone()).take(2 * EXCERPT);
            let mut excerpt = trace.clone();
            excerpt["traceEvents"] = selected.collect();
            excerpt
        })
        .collect()
}

/// Events of kinds that recorded traces seldom have.
fn counters() -> Value {
    let event = |at: i64, cat: &str, name: &str, args: Value| json!({"ph": "X", "cat": cat, "name": name, "pid": 0, "tid": 7, "ts": at * 10, "dur": 8, "args": args});
    let mut events = vec![
        event(0, "user_annotation", "ProfilerStep#1", json!({})),
        event(50, "user_annotation", "ProfilerStep#2", json!({})),
    ];
    for at in 0..40 {
        events.push(event(at, "cuda_runtime", "cudaLaunchKernel", json!({"correlation": at})));
        events.push(event(at, "kernel", "ncclKernel_AllReduce", json!({"correlation": at, "stream": 7 + at % 2})));
        events.push(event(
            at,
            "gpu_memcpy",
            "Memcpy HtoD",
            json!({"correlation": at, "stream": 20, "bytes": 100, "memory bandwidth (GB/s)": 1.5}),
        ));
        events.push(event(
            at,
            "cuda_profiler_range",
            "range",
            json!({"smsp__inst_executed.sum": at, "dram__bytes.sum": 2.5}),
        ));
        events.push(event(at, "gpu_user_annotation", "annotation", json!({"stream": 7})));
        events.push(event(
            at,
            "cuda_sync",
            "Event Sync",
            json!({"correlation": at, "wait_on_stream": 7, "stream": 20}),
        ));
        events.push(json!({"ph": "C", "cat": "x", "name": "counter", "ts": at, "dur": 0, "pid": "Spans", "tid": ""}));
    }
    json!({"distributedInfo": {"backend": "nccl", "rank": 1}, "baseTimeNanoseconds": 5, "traceEvents": events})
}

/// A trace with which broken ones are compared.
pub(crate) fn good() -> String {
    counters().to_string()
}

//! Every analysis of traces with clocks far apart and impossible durations.

use super::{column, views};
use crate::Questions;
use crate::analysis::{Answer, CATALOG};
use crate::{Compat, LoadOptions, TraceAnalysis, TraceSet};
use serde_json::{Map, Value};
use trace_compare::TraceDiff;
use trace_testkit::Random;
use trace_view::Unit;

/// Moments in µs, up to the ends of 64 bits of ns.
const MOMENTS: &[&str] = &[
    "-9223372036854775.808",
    "-9223372036854775",
    "-4611686018427387.904",
    "-1.5",
    "0",
    "10",
    "20.25",
    "1000000",
    "4611686018427387.904",
    "9223372036854775",
    "9223372036854775.807",
];

/// Durations in µs.
const DURATIONS: &[&str] =
    &["-9223372036854775.808", "-100", "-0.4", "0", "0", "0.5", "7", "30", "5000000000", "9223372036854775.807"];

/// Category, name, and whether the event has a stream.
const EVENTS: &[(&str, &str, bool)] = &[
    ("kernel", "gemm", true),
    ("kernel", "relu", true),
    ("kernel", "ncclDevKernel_AllReduce", true),
    ("gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", true),
    ("gpu_memset", "Memset (Device)", true),
    ("gpu_user_annotation", "forward", true),
    ("cuda_sync", "Stream Synchronize", true),
    ("cuda_runtime", "cudaLaunchKernel", false),
    ("cuda_runtime", "cudaMemcpyAsync", false),
    ("cpu_op", "aten::mm", false),
    ("user_annotation", "forward", false),
    ("user_annotation", "ProfilerStep#1", false),
    ("user_annotation", "ProfilerStep#2", false),
];

fn hostile(random: &mut Random) -> String {
    let event = |random: &mut Random| {
        let (cat, name, on_stream) = *random.of(EVENTS);
        let (ts, dur, id) = (*random.of(MOMENTS), *random.of(DURATIONS), random.below(12));
        let stream = if on_stream { format!(r#""stream": {}, "#, 7 + random.below(2)) } else { String::new() };
        let args = format!(r#"{{{stream}"correlation": {id}, "bytes": 64, "memory bandwidth (GB/s)": 1.5}}"#);
        format!(
            r#"{{"ph": "X", "cat": "{cat}", "name": "{name}", "pid": 0, "tid": 7, "ts": {ts}, "dur": {dur}, "args": {args}}}"#
        )
    };
    let events: Vec<String> = (0..2 + random.below(30)).map(|_| event(random)).collect();
    format!(r#"{{"distributedInfo": {{"rank": 0}}, "traceEvents": [{}]}}"#, events.join(",\n"))
}

/// A moment, the delay of a kernel that starts before its launch, and differences.
const SIGNED: &[&str] = &["ts", "avg_runtime_delay", "difference (us)", "late (us)", "share_of_step"];

/// Asserts that shares are between 0 and 100 %, and that times other than moments are not negative.
fn assert_sane(answer: &Answer, what: &str) {
    for table in &answer.tables {
        for known in table.columns {
            let values = || column(&table.frame, known.name).into_iter().filter(|value| !value.is_nan());
            let is_share = known.unit == Unit::Percent || known.name.ends_with("_ratio");
            let most = if known.unit == Unit::Percent { 100.0 } else { 1.0 };
            if is_share && !SIGNED.contains(&known.name) {
                assert!(
                    values().all(|share| (0.0..=most).contains(&share)),
                    "{what}: {} {:?}",
                    known.name,
                    table.frame
                );
            } else if known.unit == Unit::Micros && !SIGNED.contains(&known.name) {
                assert!(values().all(|time| time >= 0.0), "{what}: {} {:?}", known.name, table.frame);
            }
        }
    }
}

#[test]
fn hostile_clocks_give_sane_answers_to_every_question() {
    let (mut answers, mut loaded) = (0, 0);
    for seed in 0..400 {
        let text = hostile(&mut Random::new(seed));
        for compat in [Compat::Exact, Compat::Hta] {
            let Ok(traces) = TraceSet::from_bytes_with(&text, &LoadOptions { compat, ..LoadOptions::default() }) else {
                continue;
            };
            loaded += 1;
            let page = traces.describe().unwrap();
            let device = page.ranks[0].device;
            let busy = device.and_then(|device| device.busy_percent());
            assert!(busy.is_none_or(|busy| (0.0..=100.0).contains(&busy)), "seed {seed}: {device:?}\n{text}");
            let _ = TraceDiff::new(&traces, &traces).compare_traces().unwrap();
            for include_last in [true, false] {
                let analysis = TraceAnalysis::with_last_profiler_step(&traces, include_last).unwrap();
                for entry in CATALOG {
                    let positional = entry.parameters.iter().filter(|parameter| parameter.placeholder.is_some());
                    let arguments: Map<String, Value> =
                        positional.map(|parameter| (parameter.name.to_owned(), Value::from("aten::"))).collect();
                    let Ok(answer) = entry.ask(&analysis, arguments, None) else { continue };
                    answers += 1;
                    if compat == Compat::Exact {
                        assert_sane(&answer, &format!("seed {seed}: {}\n{text}\n", entry.name));
                    }
                }
                assert!(views(&analysis)[0].events().is_ok());
            }
        }
    }
    assert!(loaded > 600 && answers > 10 * loaded, "{loaded} loaded, {answers} answers");
}

#[test]
fn clocks_at_both_ends_of_64_bits_are_idle_in_between() {
    let kernel = |ts: &str| {
        format!(
            r#"{{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": {ts}, "dur": 1, "args": {{"stream": 7}}}}"#
        )
    };
    let (first, last) = (kernel("-9223372036854775.808"), kernel("9223372036854774"));
    let traces = TraceSet::from_bytes(format!("[{first}, {last}]")).unwrap();
    let df = TraceAnalysis::new(&traces).unwrap().get_temporal_breakdown().unwrap();
    assert_eq!((column(&df, "idle_time_pctg"), column(&df, "compute_time_pctg")), (vec![100.0], vec![0.0]));
    let device = traces.describe().unwrap().ranks[0].device.unwrap();
    assert!((0.0..1e-9).contains(&device.busy_percent().unwrap()), "{device:?}");
}

//! Paths drawn over copies of trace files.

use serde_json::Value;
use trace::Questions;
use trace::{CriticalPath, TraceSet};
use trace_testkit::{Stream, TraceBuilder};

#[test]
fn path_is_drawn_within_its_events_and_loads_again() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("trace.json");
    let trace = TraceBuilder::new()
        .step(1, 0..200)
        .operator("aten::mm", 0..60)
        .runtime("cudaLaunchKernel", 7, 40..50)
        .kernel("gemm", Stream(7), 70..150)
        .correlation(7)
        .runtime("cudaDeviceSynchronize", 8, 60..160);
    std::fs::write(&source, trace.json()).unwrap();
    let traces = TraceSet::load(&source).unwrap();
    let answer = traces.critical_path(&CriticalPath::default()).unwrap();
    let out = folder.path().join("new/folder");
    let copies = answer.overlays(&traces, &out).unwrap();
    assert_eq!(copies.len(), 1);
    assert!(!copies[0].target.exists(), "nothing is written before it is saved");
    let copied = copies[0].save().unwrap();
    let trace: Value = serde_json::from_slice(&std::fs::read(&copies[0].target).unwrap()).unwrap();
    let events = trace["traceEvents"].as_array().unwrap();
    let named = |name: &str| events.iter().find(|event| event["name"] == name).unwrap();
    assert_eq!(
        (&named("gemm")["args"]["critical"], &named("gemm")["args"]["bound_by"]),
        (&1.into(), &"gpu_compute_bound".into())
    );
    assert_eq!(named("aten::mm")["args"]["on_path_us"], 40);
    // Both ends of an arrow lie within an event of their thread.
    let flows: Vec<&Value> = events.iter().filter(|event| event["cat"] == "critical_path").collect();
    assert_eq!(flows.len() as u64, copied.added);
    assert!(flows.len() >= 4, "{flows:?}");
    for flow in &flows {
        let moment = flow["ts"].as_f64().unwrap();
        let holds = |event: &&Value| {
            let (ts, dur) = (event["ts"].as_f64(), event["dur"].as_f64());
            let same = event["pid"] == flow["pid"] && event["tid"] == flow["tid"];
            same && ts.zip(dur).is_some_and(|(ts, dur)| ts <= moment && moment < ts + dur)
        };
        assert!(events.iter().any(|event| holds(&event)), "{flow}");
    }
    let again = TraceSet::load(&copies[0].target).unwrap();
    assert_eq!(again.info()[0].events, traces.info()[0].events, "arrows are no events");
    let same = again.critical_path(&CriticalPath::default()).unwrap();
    assert!(same.summary().unwrap().equals(&answer.summary().unwrap()));
    assert!(answer.overlays(&traces, &source).is_err(), "a file is no folder");
}

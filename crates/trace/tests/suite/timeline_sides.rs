//! Timelines of two traces: their lanes side by side; and what surrounds an event.

#![allow(clippy::unwrap_used, missing_docs)]

use super::timeline::{ask, builder, event, lane, load};
use serde_json::{Value, json};
use trace::{TimelineQuery, TraceSet};
use trace_testkit::TraceBuilder;

#[test]
fn lanes_of_two_traces_alternate_with_streams_first() {
    let helper = |trace: TraceBuilder, tid| {
        trace.complete("python_function", "threading.py(973): _bootstrap", 100, tid, 0..90).complete(
            "python_function",
            "queue.py(171): get",
            100,
            tid,
            1..89,
        )
    };
    let (control, test) = (load(&builder(), "control"), load(&helper(helper(builder(), 70), 71), "test"));
    let output = TimelineQuery::compare(&control, &test).run().unwrap().to_json();
    let lanes: Vec<[&str; 2]> = output["lanes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|lane| ["group", "label"].map(|key| lane[key].as_str().unwrap()))
        .collect();
    let pair = |group: &str, label: &str| {
        ["control", "test"].map(|side| [group, &format!("{side}: {label}")].map(str::to_owned))
    };
    let of_both = [
        ("GPU", "stream 7"),
        ("GPU", "queue of stream 7"),
        ("GPU", "stream 20"),
        ("CPU threads", "annotations of thread 1"),
        ("CPU threads", "thread 1"),
        ("CPU threads", "thread 2"),
        ("bandwidth", "bandwidth of Memcpy HtoD"),
    ];
    let mut expected: Vec<[String; 2]> = of_both.into_iter().flat_map(|(group, label)| pair(group, label)).collect();
    for thread in [70, 71] {
        expected.push(["threads without operators (2)".to_owned(), format!("test: thread {thread}")]);
    }
    assert_eq!(lanes, expected.iter().map(|[group, label]| [group.as_str(), label]).collect::<Vec<_>>());
    let folded = |output: &Value| {
        let lanes = output["lanes"].as_array().unwrap();
        lanes.iter().filter(|lane| lane["folded"] == true).count()
    };
    assert_eq!(folded(&output), 2);
    let alone = TimelineQuery::new(&test).run().unwrap();
    assert_eq!(folded(&alone.to_json()), 2);
    assert_eq!(alone.lanes().last().unwrap().1, "thread 71", "helpers are last");
    assert!(!alone.picture().lanes.iter().any(|lane| lane.label.contains("thread 7")), "and not in the picture");
    let python = TraceSet::from_bytes(helper(TraceBuilder::new(), 5).json()).unwrap();
    assert_eq!(folded(&TimelineQuery::new(&python).run().unwrap().to_json()), 0, "nothing else is recorded");
    // Two ranks of one trace are told apart by their ranks.
    let same = TimelineQuery::compare(&control, &control).run().unwrap().to_json();
    assert_eq!(
        [&same["lanes"][0]["label"], &same["lanes"][1]["label"]],
        ["control (1): stream 7", "control (2): stream 7"]
    );
}

#[test]
fn panel_of_an_event_has_its_caller() {
    let timeline = TimelineQuery::new(load(&builder(), "control")).run().unwrap();
    let thread = lane(&timeline, "thread 1");
    let of = |lane: usize, name: &str| {
        let found = ask(&timeline, json!({"type": "arrows", "lane": lane, "event": event(&timeline, lane, name)}));
        let arrows = found.data["arrows"].as_array().unwrap().clone();
        arrows
            .iter()
            .map(|arrow| {
                [&arrow["kind"], &arrow["from"]["name"], &arrow["to"]["name"]]
                    .map(|text| text.as_str().unwrap().to_owned())
            })
            .collect::<Vec<_>>()
    };
    let calls = |lane: usize, name: &str| {
        of(lane, name).into_iter().filter(|[kind, ..]| kind == "call").map(|[_, from, _]| from).collect::<Vec<_>>()
    };
    assert_eq!(calls(thread, "aten::addmm"), ["aten::linear"]);
    assert!(calls(thread, "aten::linear").is_empty());
    let launch = ["launch", "cudaLaunchKernel", "gemm <script>alert(1)</script>"];
    assert!(of(thread, "aten::linear").iter().any(|arrow| *arrow == launch), "the launches inside an operator");
    let kernel = of(lane(&timeline, "stream 7"), launch[2]);
    assert_eq!(kernel, [launch.map(str::to_owned), ["call", "aten::addmm", launch[2]].map(str::to_owned)]);
}

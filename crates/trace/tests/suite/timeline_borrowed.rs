//! Operators that companions lend to the kernels of a timeline.

#![allow(clippy::unwrap_used, missing_docs)]

use super::timeline::{ask, event, lane, load};
use serde_json::{Value, json};
use trace::{EventQuery, Timeline, TimelineQuery, TraceSet};
use trace_testkit::{Stream, TraceBuilder};

/// A replay of a graph of two kernels of one name, and a kernel with a launch of its own.
fn replay() -> TraceSet {
    let trace = TraceBuilder::new()
        .runtime("hipGraphLaunch", 1, 5..15)
        .kernel("gemm", Stream(7), 20..40)
        .correlation(1)
        .kernel("gelu", Stream(7), 40..50)
        .correlation(1)
        .operator("aten::add", 50..70)
        .runtime("hipLaunchKernel", 2, 55..60)
        .kernel("add", Stream(7), 80..90)
        .correlation(2);
    load(&trace, "replay")
}

fn capture() -> TraceSet {
    let mut trace = TraceBuilder::new().runtime("hipStreamBeginCapture", 8, 1..2);
    for (at, operator, kernel) in [(10, "aten::mm", "gemm"), (20, "vllm::<b>silu", "gelu")] {
        trace = trace.operator(operator, at..at + 8);
        trace = trace.runtime("hipLaunchKernel", at, at + 2..at + 3).arg("kernel", &format!("\"{kernel}\""));
    }
    load(&trace.runtime("hipStreamEndCapture", 9, 40..41), "capture")
}

/// The first arguments of the details of a kernel.
fn details(timeline: &Timeline, kernel: &str) -> Vec<Value> {
    let lane = lane(timeline, "stream 7");
    let event = event(timeline, lane, kernel);
    let reply = ask(timeline, json!({"type": "slice", "lane": lane, "event": event}));
    reply.data["args"].as_array().unwrap().iter().take(2).cloned().collect()
}

fn found(timeline: &Timeline, text: &str) -> (u64, usize) {
    let reply = ask(timeline, json!({"type": "search", "text": text})).data;
    (reply["count"].as_u64().unwrap(), reply["names"].as_array().unwrap().len())
}

#[test]
fn details_say_which_operator_is_borrowed() {
    let timeline = TimelineQuery::new(replay()).companion(capture()).run().unwrap();
    let borrowed =
        |operator: &str| vec![json!(["operator", operator]), json!(["operator_source", "borrowed from capture"])];
    assert_eq!(details(&timeline, "gemm"), borrowed("aten::mm"));
    assert_eq!(details(&timeline, "gelu"), borrowed("vllm::<b>silu"));
    assert_eq!(details(&timeline, "add"), [json!(["operator", "aten::add"]), json!(["operator_source", "recorded"])]);
    let bare = TimelineQuery::new(replay()).run().unwrap();
    assert!(!details(&bare, "gemm").iter().any(|arg| arg[0] == "operator"));
}

#[test]
fn search_finds_kernels_by_borrowed_operators() {
    let timeline = TimelineQuery::new(replay()).companion(capture()).run().unwrap();
    // The kernel, whose name does not contain the text.
    assert_eq!(found(&timeline, "SILU"), (1, 0));
    // A launched kernel is not its operator, which is found by itself.
    assert_eq!(found(&timeline, "aten::add"), (1, 1));
    assert_eq!(found(&timeline, "gelu"), (1, 1));
    assert_eq!(found(&TimelineQuery::new(replay()).run().unwrap(), "silu"), (0, 0));
}

#[test]
fn conversation_borrows_while_the_companion_is_loaded() {
    let (replay, capture) = (replay(), capture());
    let shown = TimelineQuery::new(&replay).companion(&capture).run().unwrap().to_json();
    let opened = |capture: Option<TraceSet>| {
        let of = |label: &str| if label == "replay" { Some(replay.clone()) } else { capture.clone() };
        TimelineQuery::of_request(&shown["open"], of).unwrap().run().unwrap()
    };
    assert_eq!(found(&opened(Some(capture.clone())), "silu"), (1, 0));
    assert_eq!(found(&opened(None), "silu"), (0, 0));
    let other = load(&TraceBuilder::new().operator("aten::silu", 1..2), "capture");
    assert_eq!(found(&opened(Some(other.clone())), "silu"), (0, 0));
    // Events come and go with each question.
    let mut timeline = opened(Some(capture.clone()));
    timeline.release_events();
    timeline.take_events(|label| Some(if label == "replay" { replay.clone() } else { other.clone() }));
    assert_eq!(found(&timeline, "silu"), (0, 0));
    timeline.release_events();
    timeline.take_events(|label| Some(if label == "replay" { replay.clone() } else { capture.clone() }));
    assert_eq!(found(&timeline, "silu"), (1, 0));
    assert!(TimelineQuery::new(&replay).run().unwrap().to_json()["open"]["companions"].is_null());
}

/// As many kernels of the recorded pair are found by operator as the table of events has.
#[test]
fn recorded_kernels_are_found_as_events_name_them() {
    let shared = std::env::var_os("TRACEBOOK_SHARED").map(|at| std::path::PathBuf::from(at).join("traces/capture"));
    let Some(folder) = shared.filter(|folder| folder.is_dir()) else {
        return println!("skipped: TRACEBOOK_SHARED names no folder with the recorded pair");
    };
    let load = |name: &str| TraceSet::load(folder.join(format!("sglang_decode.{name}.json.gz"))).unwrap();
    let [replay, capture] = ["replay", "capture"].map(|name| load(name).with_label(name));
    let events = EventQuery::new(&replay).companion(&capture).run().unwrap();
    let texts = |name: &str| events.column(name).unwrap().cast(&trace::polars::prelude::DataType::String).unwrap();
    let (operators, sources) = (texts("operator"), texts("operator_source"));
    let borrowed = operators.str().unwrap().iter().zip(sources.str().unwrap().iter());
    let wanted = "aten::mm";
    let expected = borrowed
        .filter(|(operator, source)| {
            source.is_some_and(|source| source.starts_with("borrowed"))
                && operator.is_some_and(|name| name.contains(wanted))
        })
        .count();
    let timeline = TimelineQuery::new(&replay).companion(&capture).run().unwrap();
    let without = found(&TimelineQuery::new(&replay).run().unwrap(), wanted).0;
    assert!(expected > 0);
    assert_eq!(found(&timeline, wanted).0 - without, expected as u64);
}

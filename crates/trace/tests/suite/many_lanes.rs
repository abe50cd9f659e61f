//! Timelines of more threads than an output lists.

#![allow(clippy::unwrap_used, missing_docs)]

use super::timeline::ask;
use serde_json::{Value, json};
use trace::{TimelineQuery, TraceSet};

/// So many threads with an operator each, and two streams.
fn many_threads(count: usize) -> TraceSet {
    let event = |cat: &str, tid: usize, args: &str| {
        let name = if tid.is_multiple_of(2) { "aten::mm" } else { "aten::add" };
        format!(
            r#"{{"ph": "X", "cat": "{cat}", "name": "{name}", "pid": 1, "tid": {tid}, "ts": {tid}, "dur": 1{args}}}"#
        )
    };
    let mut events: Vec<String> = (10..10 + count).map(|tid| event("cpu_op", tid, "")).collect();
    events.extend([7, 8].map(|stream| event("kernel", stream, &format!(r#", "args": {{"stream": {stream}}}"#))));
    TraceSet::from_bytes(format!(r#"{{"traceEvents": [{}]}}"#, events.join(","))).unwrap().with_label("many")
}

fn labels(lanes: &Value) -> Vec<&str> {
    lanes.as_array().unwrap().iter().map(|lane| lane["label"].as_str().unwrap()).collect()
}

#[test]
fn output_of_many_threads_lists_some_and_counts_all() {
    let timeline = TimelineQuery::new(many_threads(20_000)).run().unwrap();
    let output = timeline.to_json();
    let listed = labels(&output["lanes"]);
    assert!((500..=1000).contains(&listed.len()), "{}", listed.len());
    assert_eq!(listed[..2], ["thread 10", "thread 11"]);
    assert!(listed.contains(&"stream 7") && listed.contains(&"stream 8"), "streams are below all threads");
    assert_eq!((&output["version"], &output["lane_count"]), (&json!(2), &json!(timeline.lanes().count())));
    assert!(timeline.lanes().count() > 20_000);
    assert!(output.to_string().len() < 400_000, "{}", output.to_string().len());
    assert!(timeline.picture().lanes.len() <= listed.len());
    let text = timeline.text();
    assert!(text.lines().count() < listed.len() + 10, "{}", text.lines().count());
    assert!(text.contains(" more lanes\n  stream 7: 1 event\n"), "{text}");
    assert!(text.contains("20,002 events in "), "{text}");
}

#[test]
fn output_of_a_thousand_lanes_is_of_version_one() {
    let timeline = TimelineQuery::new(many_threads(900)).run().unwrap();
    let output = timeline.to_json();
    assert_eq!((&output["version"], &output["lane_count"]), (&json!(1), &Value::Null));
    assert_eq!(labels(&output["lanes"]).len(), timeline.lanes().count());
    assert!(!timeline.text().contains("more lane"), "{}", timeline.text());
    let found = ask(&timeline, json!({"type": "search", "text": "thread 10"})).data;
    assert_eq!((&found["count"], &found["lanes"]), (&json!(0), &Value::Null));
}

#[test]
fn lanes_that_are_not_listed_are_sent_on_demand() {
    let timeline = TimelineQuery::new(many_threads(20_000)).run().unwrap();
    let lanes = |request: Value| ask(&timeline, request).data["lanes"].clone();
    let some = lanes(json!({"type": "lanes", "id": 1, "from": 15_000, "count": 2}));
    assert_eq!(labels(&some), ["thread 15010", "thread 15011"]);
    assert_eq!((&some[0]["id"], &some[0]["levels"], &some[0]["events"]), (&json!(15_000), &json!(1), &json!(1)));
    assert_eq!(labels(&lanes(json!({"type": "lanes", "ids": [19_999, 3, 3, 99_999]}))), ["thread 13", "thread 20009"]);
    assert_eq!(labels(&lanes(json!({"type": "lanes", "from": 0, "count": 1_000_000}))).len(), 1_000);
    assert!(labels(&lanes(json!({"type": "lanes", "from": u64::MAX, "count": 5}))).is_empty());
    assert!(labels(&lanes(json!({"type": "lanes"}))).is_empty());
    let view =
        ask(&timeline, json!({"type": "view", "start": 0, "end": 100_000_000, "width_px": 1000, "lanes": [15_000]}));
    assert_eq!(view.data["tracks"], json!([[15_000, 0, 1]]));
}

#[test]
fn thread_that_is_not_listed_is_found_by_number_or_label() {
    let timeline = TimelineQuery::new(many_threads(20_000)).run().unwrap();
    let search = |text: &str| ask(&timeline, json!({"type": "search", "id": 1, "text": text})).data;
    for text in ["thread 15432", "Thread 15432", "15432"] {
        let found = search(text);
        assert_eq!((&found["count"], &found["lanes"]), (&json!(1), &json!(1)), "{text}");
        assert_eq!(found["tracks"], json!([[15_422, 0, 1]]), "{text}");
    }
    // 15430 to 15439.
    assert_eq!(search("thread 1543")["count"], 1, "a thread that is called so comes before those that contain it");
    assert_eq!(search("read 1543")["count"], 11);
    let events = search("aten::add");
    assert_eq!((&events["count"], &events["lanes"]), (&json!(10_001), &json!(0)));
}

#[test]
fn selection_without_lanes_sums_up_those_not_listed_too() {
    let timeline = TimelineQuery::new(many_threads(20_000)).run().unwrap();
    let all = ask(&timeline, json!({"type": "selection", "start": 0, "end": 1_000_000_000})).data;
    assert_eq!(all["count"], 20_002);
}

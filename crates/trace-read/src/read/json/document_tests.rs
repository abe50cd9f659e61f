//! The parser against serde_json, with buffers of every size.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::read::AnomalyCounts;
use crate::read::tests::oracle::{Collector, Events, oracle};
use serde_json::{Map, Value};

/// Returns the events and other values of a valid trace.
fn by_serde(json: &str) -> (Events, Map<String, Value>) {
    oracle(&serde_json::from_str(json).unwrap()).unwrap()
}

const TRACE: &str = r#" {"schemaVersion":1,
 "deviceProperties" : [ {"id": 0, "name": "N \"x\" } ]"} ], "text": "a\\", "nothing": null, "yes": true,
 "traceEvents" : [
  {"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":2,"ts":4203669604595.407,"dur":340.024,
   "args":{"External id":513,"Input Dims":[[1,2],[],["a]b\"}"]],"other":{"stream":9}}}
  ,{ "name" : "esc\u0061ped \n \"q\" \\" , "args" : { } , "x" : [ { "name" : "inner" } ] , "dur" : -1.5e3 },
  {"\u006eame":"key escaped","ts":0,"args":"no object","pid":"Spans","tid":""},{},
  {"ph":"B","cat":"of two","args":{},"args":{"stream":4},"ph":"\u0045"},{"ph":"X","ph":3,"x":["ph"]},{"ph":"longer"},
  {"name":"é ☃ 😀","cat":null,"args":{"stream":7,"Input Dims":null,"External id":1e3}}
 ],
 "distributedInfo":{"backend":"nccl","rank":3}, "after": -12.5e-3
}
"#;

#[test]
fn every_buffer_size_gives_the_values_of_serde_json() {
    let (events, metadata) = by_serde(TRACE);
    for size in 1..TRACE.len() + 2 {
        let mut sink = Collector::default();
        let outcome = read_buffered(TRACE.as_bytes(), size, "test", &mut sink).unwrap();
        assert_eq!(sink.0, events, "by {size}");
        assert_eq!(outcome.metadata, metadata, "by {size}");
        assert_eq!(outcome.events, events.len() as u64, "by {size}");
        assert_eq!(outcome.rank_in_text, None, "by {size}");
        assert_eq!((outcome.cut, outcome.skipped, outcome.stopped), (None, None, false), "by {size}");
        assert_eq!(outcome.anomalies, AnomalyCounts::default(), "by {size}");
    }
}

#[test]
fn invalid_events_are_skipped_with_every_buffer_size() {
    let json = r#"{"traceEvents": [{"name": "a", "dur": 1}, {"name": "b" c", "dur": 2}, {"cat": ,"x": {"y": 1}, "z": 3},
        {"name": "d", "dur": 4}, {"name": "e", "dur": 5}]}"#;
    for size in 1..json.len() + 2 {
        let mut sink = Collector::default();
        let outcome = read_buffered(json.as_bytes(), size, "test", &mut sink).unwrap();
        let names: Vec<&str> = sink.0.iter().filter_map(|(_, values)| values[0].as_str()).collect();
        assert_eq!(names, ["a", "d", "e"], "by {size}");
        assert_eq!(outcome.skipped.unwrap().0, 2, "by {size}");
        assert_eq!(outcome.cut, None, "by {size}");
    }
}

//! The reader against serde_json, through windows of every size.
#![allow(clippy::unwrap_used)]

use super::*;

/// Position and values of each event, in a form that compares.
pub(super) type Events = Vec<(i64, Vec<Value>)>;

/// Keeps events.
#[derive(Default)]
pub(super) struct Kept(pub(super) Events);

const KEYS: [&str; 3] = ["stream", "External id", "Input Dims"];

impl EventSink for Kept {
    fn slot(&mut self, key: &[u8]) -> Option<u16> {
        KEYS.iter().position(|known| known.as_bytes() == key).map(|slot| slot as u16)
    }

    fn restart(&mut self) {
        self.0.clear();
    }

    fn event(&mut self, event: &RawEvent<'_>) {
        let mut values: Vec<Value> =
            [event.name, event.cat, event.ts, event.dur, event.pid, event.tid].map(value).into();
        let mut args = [const { Value::Null }; KEYS.len()];
        for (slot, raw) in event.args() {
            args[slot] = value(raw);
        }
        values.extend(args);
        self.0.push((event.index, values));
    }

    fn metadata(&mut self, _: &str, _: &Value) -> ControlFlow<()> {
        ON
    }

    fn tick(&mut self, _: u64) -> ControlFlow<()> {
        ON
    }
}

fn value(raw: Raw<'_>) -> Value {
    match raw {
        Raw::Null => Value::Null,
        Raw::Token(bytes) | Raw::Nested(bytes) => serde_json::from_slice(bytes).unwrap(),
        Raw::Text(bytes) => Value::String(text::decode(bytes, &mut OddCounts::default()).into_owned()),
    }
}

/// What serde_json reads of the same text.
pub(super) fn oracle(json: &str) -> (Events, Map<String, Value>) {
    let Value::Object(mut whole) = serde_json::from_str(json).unwrap() else { panic!("an object") };
    let Some(Value::Array(events)) = whole.remove("traceEvents") else { panic!("a list") };
    let events = events.iter().zip(0..).map(|(event, index)| {
        let head = ["name", "cat", "ts", "dur", "pid", "tid"].map(|key| event[key].clone());
        let args = KEYS.map(|key| event["args"][key].clone());
        (index, head.into_iter().chain(args).collect())
    });
    (events.collect(), whole)
}

const TRACE: &str = r#" {"schemaVersion":1,
 "deviceProperties" : [ {"id": 0, "name": "N \"x\" } ]"} ], "text": "a\\", "nothing": null, "yes": true,
 "traceEvents" : [
  {"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":2,"ts":4203669604595.407,"dur":340.024,
   "args":{"External id":513,"Input Dims":[[1,2],[],["a]b\"}"]],"other":{"stream":9}}}
  ,{ "name" : "esc\u0061ped \n \"q\" \\" , "args" : { } , "x" : [ { "name" : "inner" } ] , "dur" : -1.5e3 },
  {"\u006eame":"key escaped","ts":0,"args":"no object","pid":"Spans","tid":""},{},
  {"name":"é ☃ 😀","cat":null,"args":{"stream":7,"Input Dims":null,"External id":1e3}}
 ],
 "distributedInfo":{"backend":"nccl","rank":3}, "after": -12.5e-3
}
"#;

#[test]
fn windows_of_every_size_show_what_serde_json_reads() {
    let (events, metadata) = oracle(TRACE);
    for chunk in 1..TRACE.len() + 2 {
        let mut kept = Kept::default();
        let outcome = read_by(TRACE.as_bytes(), chunk, "test", &mut kept).unwrap();
        assert_eq!(kept.0, events, "by {chunk}");
        assert_eq!(outcome.metadata, metadata, "by {chunk}");
        assert_eq!(outcome.events, events.len() as u64, "by {chunk}");
        assert_eq!(outcome.rank_in_text, None, "by {chunk}");
        assert_eq!((outcome.cut, outcome.skipped, outcome.stopped), (None, None, false), "by {chunk}");
        assert_eq!(outcome.odd, OddCounts::default(), "by {chunk}");
    }
}

#[test]
fn a_broken_event_is_left_behind_in_windows_of_every_size() {
    let json = r#"{"traceEvents": [{"name": "a", "dur": 1}, {"name": "b" c", "dur": 2}, {"cat": ,"x": {"y": 1}, "z": 3},
        {"name": "d", "dur": 4}, {"name": "e", "dur": 5}]}"#;
    for chunk in 1..json.len() + 2 {
        let mut kept = Kept::default();
        let outcome = read_by(json.as_bytes(), chunk, "test", &mut kept).unwrap();
        let names: Vec<&str> = kept.0.iter().filter_map(|(_, values)| values[0].as_str()).collect();
        assert_eq!(names, ["a", "d", "e"], "by {chunk}");
        assert_eq!(outcome.skipped.unwrap().0, 2, "by {chunk}");
        assert_eq!(outcome.cut, None, "by {chunk}");
    }
}

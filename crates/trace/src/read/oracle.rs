//! What serde_json reads of the same text: the judge of the tests and of the fuzzer.

use super::chrome::{EventSink, read_by};
use super::event::RawEvent;
use super::odd::OddCounts;
use super::scan::Raw;
use super::strict::check_json;
use super::{as_f64, integer, nanos, text};
use crate::Error;
use serde_json::{Map, Value};
use std::ops::ControlFlow;

/// Position and values of each event, in a form that compares.
pub(crate) type Events = Vec<(i64, Vec<Value>)>;

/// Keeps events.
#[derive(Default)]
pub(crate) struct Kept(pub(crate) Events);

const HEAD: [&str; 6] = ["name", "cat", "ts", "dur", "pid", "tid"];
const ARGS: [&str; 3] = ["stream", "External id", "Input Dims"];

impl EventSink for Kept {
    fn slot(&mut self, key: &[u8]) -> Option<u16> {
        ARGS.iter().position(|known| known.as_bytes() == key).map(|slot| slot as u16)
    }

    fn restart(&mut self) {
        self.0.clear();
    }

    fn event(&mut self, event: &RawEvent<'_>) {
        let mut values: Vec<Value> =
            [event.name, event.cat, event.ts, event.dur, event.pid, event.tid].map(value).into();
        let mut args = [const { Value::Null }; ARGS.len()];
        for (slot, raw) in event.args() {
            args[slot] = value(raw);
        }
        values.extend(args);
        self.0.push((event.index, values));
    }

    fn metadata(&mut self, _: &str, _: &Value) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn tick(&mut self, _: u64) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// A value as it is written, as serde_json has it; of what is no JSON the text.
fn value(raw: Raw<'_>) -> Value {
    match raw {
        Raw::Null => Value::Null,
        Raw::Token(bytes) | Raw::Nested(bytes) => {
            // Any bytes at all must pass.
            let _ = (nanos(bytes), integer(bytes), as_f64(bytes));
            serde_json::from_slice(bytes).unwrap_or_else(|_| String::from_utf8_lossy(bytes).into())
        }
        Raw::Text(bytes) => Value::String(text::decode(bytes, &mut OddCounts::default()).into_owned()),
    }
}

/// The events and the other top-level values of valid JSON; `None` if it is no trace.
pub(crate) fn oracle(json: &Value) -> Option<(Events, Map<String, Value>)> {
    let (events, metadata) = match json {
        Value::Array(events) => (events, Map::new()),
        Value::Object(whole) => {
            let mut metadata = whole.clone();
            metadata.remove("traceEvents");
            (whole.get("traceEvents")?.as_array()?, metadata)
        }
        _ => return None,
    };
    let events = events.iter().zip(0..).filter(|(event, _)| event.is_object()).map(|(event, index)| {
        let head = HEAD.map(|key| event[key].clone());
        let args = ARGS.map(|key| event["args"][key].clone());
        (index, head.into_iter().chain(args).collect())
    });
    Some((events.collect(), metadata))
}

/// Reads bytes in windows of these sizes: each must come to the same, and of valid JSON to what serde_json reads.
///
/// # Panics
/// If it does not.
pub(crate) fn agrees(bytes: &[u8], chunks: impl IntoIterator<Item = usize>) {
    let (whole, events) = came_to(bytes, 65_536);
    for chunk in chunks {
        let other = came_to(bytes, chunk);
        assert_eq!(other.0, whole, "by {chunk}: {:?}", String::from_utf8_lossy(bytes));
        assert_eq!(other.1, events, "by {chunk}: {:?}", String::from_utf8_lossy(bytes));
    }
    let strict = check_json(bytes, "test");
    match serde_json::from_slice::<Value>(bytes) {
        Ok(json) => {
            assert!(strict.is_ok(), "{strict:?}: {:?}", String::from_utf8_lossy(bytes));
            let mut kept = Kept::default();
            let read = read_by(bytes, 65_536, "test", &mut kept);
            match (read, oracle(&json)) {
                (Ok(outcome), Some((events, metadata))) => {
                    let text = String::from_utf8_lossy(bytes);
                    assert_eq!(kept.0, events, "{text:?}");
                    let mut found = outcome.metadata;
                    // A list that follows something else under the same key.
                    found.remove("traceEvents");
                    assert_eq!(found, metadata, "{text:?}");
                    assert_eq!((outcome.cut, outcome.skipped), (None, None), "{text:?}");
                }
                (Err(_), None) => {}
                // Of a list and something else under one key the list counts.
                (Ok(_), None) => assert!(bytes.windows(11).filter(|key| key == b"traceEvents").count() > 1),
                (Err(error), Some(_)) => panic!("{error}: {:?}", String::from_utf8_lossy(bytes)),
            }
        }
        // serde_json gives up on values 128 deep, which are no error here.
        Err(error) => assert!(strict.is_err() || error.to_string().contains("recursion"), "{error}"),
    }
}

/// What the reading came to.
fn came_to(bytes: &[u8], chunk: usize) -> (String, Events) {
    let mut kept = Kept::default();
    let said = match read_by(bytes, chunk, "test", &mut kept) {
        Ok(outcome) => format!("{outcome:?}"),
        // It quotes as much as it has in memory.
        Err(Error::NotATrace { reason, .. }) if reason.contains("starts with") => "no JSON".to_owned(),
        Err(error) => error.to_string(),
    };
    (said, kept.0)
}

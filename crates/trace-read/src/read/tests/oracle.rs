//! Oracle of the tests and of the fuzzer: serde_json parses the same text.

use crate::error::NotATraceReason;
use crate::exec::pool::run_jobs;
use crate::read::json::read_buffered;
use crate::read::parallel::{Boundaries, Plan, read_planned};
use crate::read::{AnomalyCounts, EventSink, FragmentSink, Outcome, Raw, RawEvent, Token, check_json, decode};
use crate::{Error, Result};
use serde_json::{Map, Value};
use std::io::Read;
use std::ops::ControlFlow;

/// Index and values of each event, in a comparable form.
pub(crate) type Events = Vec<(i64, Vec<Value>)>;

/// Sink that keeps events.
#[derive(Default)]
pub(crate) struct Collector(pub(crate) Events);

const HEAD: [&str; 6] = ["name", "cat", "ts", "dur", "pid", "tid"];
const ARGS: [&str; 3] = ["stream", "External id", "Input Dims"];

impl EventSink for Collector {
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
        values.push(event.phase.map(char::from).map(String::from).into());
        self.0.push((event.index, values));
    }

    fn metadata(&mut self, _: &str, _: &Value) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn tick(&mut self, _: u64) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

impl FragmentSink for Collector {
    fn fragment(&self) -> Self {
        Self::default()
    }

    fn can_merge(&self, _: &Self) -> bool {
        true
    }

    fn merge(&mut self, fragment: &mut Self, entries: u64) {
        self.0.extend(fragment.0.drain(..).map(|(index, values)| (index + entries as i64, values)));
    }

    fn reset(&mut self) {
        self.0.clear();
    }
}

/// Asserts that a number, or any other bytes, has the same values parsed while scanning and parsed from its text.
fn numbers_agree(token: Token<'_>) {
    let parsed = Token::of(token.text);
    assert_eq!(
        (token.nanos(), token.integer(), token.is_float()),
        (parsed.nanos(), parsed.integer(), parsed.is_float())
    );
    assert_eq!(token.as_f64().map(f64::to_bits), parsed.as_f64().map(f64::to_bits));
}

/// Returns a raw value as serde_json parses it; of invalid JSON the text.
fn value(raw: Raw<'_>) -> Value {
    if let Raw::Token(token) = raw {
        numbers_agree(token);
    }
    match raw {
        Raw::Null => Value::Null,
        Raw::Token(Token { text: bytes, .. }) | Raw::Nested(bytes) => {
            serde_json::from_slice(bytes).unwrap_or_else(|_| String::from_utf8_lossy(bytes).into())
        }
        Raw::Text(bytes) => Value::String(decode(bytes, &mut AnomalyCounts::default()).into_owned()),
    }
}

/// Returns the events and the other top-level values of valid JSON; `None` if it is not a trace.
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
        let phase =
            event["ph"].as_str().filter(|phase| matches!(phase.as_bytes(), [letter] if letter.is_ascii_graphic()));
        (index, head.into_iter().chain(args).chain([phase.into()]).collect())
    });
    Some((events.collect(), metadata))
}

/// Asserts that bytes give the same result with buffers of these sizes and in chunks, and for valid JSON the result of
/// serde_json.
///
/// # Panics
/// If they do not.
pub fn agrees(bytes: &[u8], buffer_sizes: impl IntoIterator<Item = usize>) {
    let expected = read_sequentially(bytes, 65_536);
    for size in buffer_sizes {
        let other = read_sequentially(bytes, size);
        assert_eq!(other.0, expected.0, "by {size}: {:?}", String::from_utf8_lossy(bytes));
        assert_eq!(other.1, expected.1, "by {size}: {:?}", String::from_utf8_lossy(bytes));
    }
    for (workers, size) in [(0, bytes.len() / 3), (1, bytes.len() / 9)] {
        let boundaries = Boundaries::Guessed(size.max(1));
        agrees_in_chunks(
            bytes,
            Plan { boundaries, buffer_size: 1000, coordinator_parses: workers > 0 },
            workers,
            &expected,
        );
    }
    let strict = check_json(bytes, "test");
    match serde_json::from_slice::<Value>(bytes) {
        Ok(json) => {
            assert!(strict.is_ok(), "{strict:?}: {:?}", String::from_utf8_lossy(bytes));
            let mut sink = Collector::default();
            let read = read_buffered(bytes, 65_536, "test", &mut sink);
            match (read, oracle(&json)) {
                (Ok(outcome), Some((events, metadata))) => {
                    let text = String::from_utf8_lossy(bytes);
                    assert_eq!(sink.0, events, "{text:?}");
                    let mut found = outcome.metadata;
                    // Another value under the same key as the array.
                    found.remove("traceEvents");
                    assert_eq!(found, metadata, "{text:?}");
                    assert_eq!((outcome.cut, outcome.skipped), (None, None), "{text:?}");
                }
                (Err(_), None) => {}
                // Of several values under one key an array counts.
                (Ok(_), None) => assert!(bytes.windows(11).filter(|key| key == b"traceEvents").count() > 1),
                (Err(error), Some(_)) => panic!("{error}: {:?}", String::from_utf8_lossy(bytes)),
            }
        }
        // serde_json fails at a depth of 128, which is not an error here; texts below depth 100 are not validated.
        Err(error) => assert!(strict.is_err() || depth(bytes) >= 100, "{error}"),
    }
}

/// Returns the nesting depth, brackets in texts included.
fn depth(bytes: &[u8]) -> i64 {
    let (mut depth, mut deepest) = (0, 0);
    for byte in bytes {
        depth += match byte {
            b'{' | b'[' => 1,
            b'}' | b']' => -1,
            _ => 0,
        };
        deepest = deepest.max(depth);
    }
    deepest
}

/// Asserts that bytes, parsed in chunks by this plan with so many workers, give the expected result.
///
/// # Panics
/// If they do not.
pub(crate) fn agrees_in_chunks(bytes: &[u8], plan: Plan<'_>, workers: usize, expected: &(String, Events)) {
    let (read, sink) = read_with_workers(workers, bytes, plan, Collector::default());
    let text = String::from_utf8_lossy(bytes);
    assert_eq!(in_words(read), expected.0, "{plan:?}, {workers} workers: {text:?}");
    assert_eq!(sink.0, expected.1, "{plan:?}, {workers} workers: {text:?}");
}

/// Parses a text in parallel, and returns the sink, too.
pub(crate) fn read_with_workers<'a, R: Read + Send + 'a, S: FragmentSink + 'a>(
    workers: usize,
    reader: R,
    plan: Plan<'a>,
    sink: S,
) -> (Result<Outcome>, S) {
    let read = run_jobs(1 + workers, vec![(reader, sink)], |pool, (reader, mut sink)| {
        (read_planned(reader, plan, pool, "test", &mut sink), sink)
    });
    match read.into_iter().next() {
        Some(read) => read,
        None => unreachable!("the job has a result"),
    }
}

/// Parses bytes on one thread, with a buffer of this size.
pub(crate) fn read_sequentially(bytes: &[u8], buffer_size: usize) -> (String, Events) {
    let mut sink = Collector::default();
    let read = read_buffered(bytes, buffer_size, "test", &mut sink);
    (in_words(read), sink.0)
}

/// Returns an outcome in a comparable form.
fn in_words(read: Result<Outcome>) -> String {
    match read {
        Ok(outcome) => format!("{outcome:?}"),
        // The message quotes what is in memory.
        Err(Error::NotATrace { reason: NotATraceReason::NotJson { .. }, .. }) => "not JSON".to_owned(),
        Err(error) => error.to_string(),
    }
}

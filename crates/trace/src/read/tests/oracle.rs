//! What serde_json reads of the same text: the judge of the tests and of the fuzzer.

use crate::error::NotATraceReason;
use crate::read::json::read_by;
use crate::read::parallel::{Plan, Seams, read_planned};
use crate::read::{EventSink, OddCounts, Outcome, PartSink, Raw, RawEvent, Token, check_json, decode};
use crate::{Error, Result};
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

impl PartSink for Kept {
    fn part(&self) -> Self {
        Self::default()
    }

    fn fits(&self, _: &Self) -> bool {
        true
    }

    fn absorb(&mut self, part: &mut Self, entries: u64) {
        self.0.extend(part.0.drain(..).map(|(index, values)| (index + entries as i64, values)));
    }

    fn give_up(&mut self) {
        self.0.clear();
    }
}

/// What its reading on the way and another one make of a number, of any bytes at all, must agree.
fn numbers_agree(token: Token<'_>) {
    let again = Token::of(token.text);
    assert_eq!((token.nanos(), token.integer(), token.is_float()), (again.nanos(), again.integer(), again.is_float()));
    assert_eq!(token.as_f64().map(f64::to_bits), again.as_f64().map(f64::to_bits));
}

/// A value as it is written, as serde_json has it; of what is no JSON the text.
fn value(raw: Raw<'_>) -> Value {
    if let Raw::Token(token) = raw {
        numbers_agree(token);
    }
    match raw {
        Raw::Null => Value::Null,
        Raw::Token(Token { text: bytes, .. }) | Raw::Nested(bytes) => {
            serde_json::from_slice(bytes).unwrap_or_else(|_| String::from_utf8_lossy(bytes).into())
        }
        Raw::Text(bytes) => Value::String(decode(bytes, &mut OddCounts::default()).into_owned()),
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

/// Reads bytes in windows of these sizes and in parts: each must come to the same, and of valid JSON to what serde_json
/// reads.
///
/// # Panics
/// If it does not.
pub(crate) fn agrees(bytes: &[u8], chunks: impl IntoIterator<Item = usize>) {
    let whole = came_to(bytes, 65_536);
    for chunk in chunks {
        let other = came_to(bytes, chunk);
        assert_eq!(other.0, whole.0, "by {chunk}: {:?}", String::from_utf8_lossy(bytes));
        assert_eq!(other.1, whole.1, "by {chunk}: {:?}", String::from_utf8_lossy(bytes));
    }
    for (others, seams) in [(0, bytes.len() / 3), (1, bytes.len() / 9)] {
        let plan = Plan { seams: Seams::Guessed(seams.max(1)), chunk: 1000, direct: others > 0 };
        agrees_in_parts(bytes, plan, others, &whole);
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
        // serde_json gives up on values 128 deep, which are no error here; into the texts of values 100 deep nobody looks.
        Err(error) => assert!(strict.is_err() || depth(bytes) >= 100, "{error}"),
    }
}

/// How deep values stand in each other, brackets in texts counted too.
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

/// Reads bytes in parts by this plan, with so many others: that must come to the same as reading the whole.
///
/// # Panics
/// If it does not.
pub(crate) fn agrees_in_parts(bytes: &[u8], plan: Plan<'_>, others: usize, whole: &(String, Events)) {
    let mut kept = Kept::default();
    let read = read_planned(bytes, plan, &|| others, "test", &mut kept);
    let text = String::from_utf8_lossy(bytes);
    assert_eq!(said(read), whole.0, "{plan:?}, {others} others: {text:?}");
    assert_eq!(kept.0, whole.1, "{plan:?}, {others} others: {text:?}");
}

/// What the reading came to.
pub(crate) fn came_to(bytes: &[u8], chunk: usize) -> (String, Events) {
    let mut kept = Kept::default();
    let read = read_by(bytes, chunk, "test", &mut kept);
    (said(read), kept.0)
}

fn said(read: Result<Outcome>) -> String {
    match read {
        Ok(outcome) => format!("{outcome:?}"),
        // It quotes as much as it has in memory.
        Err(Error::NotATrace { reason: NotATraceReason::NotJson { .. }, .. }) => "no JSON".to_owned(),
        Err(error) => error.to_string(),
    }
}

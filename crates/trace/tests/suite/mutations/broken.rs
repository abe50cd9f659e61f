//! Damage to a trace, from its structure down to its bytes.

use serde_json::{Map, Value, json};
use trace_testkit::Random;

/// The text of a trace with a few things wrong.
pub(crate) fn broken(random: &mut Random, source: &Value) -> Vec<u8> {
    let mut trace = source.clone();
    for _ in 0..1 + random.below(12) {
        structure(random, &mut trace);
    }
    let mut text = serde_json::to_string(&trace).unwrap();
    // What serde_json does not write.
    for (from, to) in
        [("\"<NaN>\"", "NaN"), ("\"<Infinity>\"", "-Infinity"), ("\"<huge>\"", "123456789012345678901234567890")]
    {
        text = text.replace(from, to);
    }
    let mut bytes = text.into_bytes();
    if random.below(3) == 0 {
        for _ in 0..=random.below(5) {
            letters(random, &mut bytes);
        }
    }
    bytes
}

/// One change of an event, of the list or of the metadata.
fn structure(random: &mut Random, trace: &mut Value) {
    let kind = random.below(16);
    if kind == 0 {
        let keys =
            ["distributedInfo", "baseTimeNanoseconds", "deviceProperties", "schemaVersion", "traceName", "traceEvents"];
        let most = if random.below(20) == 0 { keys.len() } else { keys.len() - 1 };
        let key = keys[random.below(most)];
        trace[key] = misfit(random);
        return;
    }
    let Some(events) = trace.get_mut("traceEvents").and_then(Value::as_array_mut).filter(|events| !events.is_empty())
    else {
        return;
    };
    let (at, other) = (random.below(events.len()), random.below(events.len()));
    match kind {
        1 => drop(events.remove(at)),
        2 => {
            let again = events[at].clone();
            events.insert(other, again);
        }
        3 => events.swap(at, other),
        4 => events[at] = misfit(random),
        5 => {
            // The same for many: all on one thread, all at one time, all of one name.
            let (key, value) = (*random.of(&["pid", "tid", "ts", "dur", "name", "cat"]), misfit(random));
            let every = 1 + random.below(4);
            events
                .iter_mut()
                .step_by(every)
                .filter_map(Value::as_object_mut)
                .for_each(|event| drop(event.insert(key.to_owned(), value.clone())));
        }
        6 => {
            let name = format!("ProfilerStep#{}", [0, 1, -1, i64::MAX, 7][random.below(5)]);
            set(&mut events[at], "name", json!(name));
        }
        7 => events.truncate(at),
        8 | 9 => {
            let from = events[other].clone();
            let key = *random.of(&["name", "cat", "ts", "dur", "pid", "tid", "args"]);
            set(&mut events[at], key, from[key].clone());
        }
        10 | 11 => {
            if let Some(args) = events[at].get_mut("args").and_then(Value::as_object_mut) {
                member(random, args);
            }
        }
        12 => {
            let key = *random.of(&[
                "stream",
                "correlation",
                "External id",
                "bytes",
                "Input Dims",
                "Python id",
                "Python parent id",
                "wait_on_stream",
                "Collective name",
                "queued",
            ]);
            let value = misfit(random);
            if let Some(args) = events[at].get_mut("args").and_then(Value::as_object_mut) {
                args.insert(key.to_owned(), value);
            }
        }
        _ => {
            if let Some(event) = events[at].as_object_mut() {
                member(random, event);
            }
        }
    }
}

fn set(event: &mut Value, key: &str, value: Value) {
    if let Some(event) = event.as_object_mut() {
        event.insert(key.to_owned(), value);
    }
}

/// A member goes, or gets another value.
fn member(random: &mut Random, object: &mut Map<String, Value>) {
    let keys: Vec<String> = object.keys().cloned().collect();
    if keys.is_empty() {
        return;
    }
    let key = random.of(&keys);
    if random.below(4) == 0 {
        object.remove(key);
    } else {
        object.insert(key.clone(), misfit(random));
    }
}

/// A value that hardly belongs where it is put.
fn misfit(random: &mut Random) -> Value {
    let whole = random.next() as i64;
    match random.below(22) {
        0 => Value::Null,
        1 => json!(0),
        2 => json!(-1),
        3 => json!(i64::MAX),
        4 => json!(i64::MIN),
        5 => json!(u64::MAX),
        6 => json!(1e308),
        7 => json!(-0.0005),
        8 => json!(9_223_372_036_854_775.807_f64),
        9 => json!("<NaN>"),
        10 => json!("<Infinity>"),
        11 => json!("<huge>"),
        12 => json!(""),
        13 => json!("0x0"),
        14 => json!("17"),
        15 => json!("a\u{0}\u{202e}\"\\<b>\n☃"),
        16 => json!([[1, 2], [], ["x"]]),
        17 => json!({"traceEvents": [{"name": "nested"}], "rank": 3}),
        18 => json!(true),
        19 => json!(whole >> random.below(63)),
        20 => json!(format!("ncclDevKernel_{}", "x".repeat(random.below(3000)))),
        _ => json!(whole as f64 / 1e12),
    }
}

/// Changes some bytes, or removes and copies ranges of them.
fn letters(random: &mut Random, bytes: &mut Vec<u8>) {
    if bytes.is_empty() {
        return;
    }
    let (at, length) = (random.below(bytes.len()), random.below(60));
    let end = (at + length).min(bytes.len());
    match random.below(12) {
        0..=2 => bytes[at] = random.next() as u8,
        3..=5 => bytes[at] = *random.of(b"\"\\{}[],:ntf0-.eu\x00\xff"),
        6 => bytes.truncate(at),
        7 | 8 => drop(bytes.drain(at..end)),
        9 => {
            let range = bytes[at..end].to_vec();
            let to = random.below(bytes.len());
            bytes.splice(to..to, range);
        }
        _ => bytes.insert(at, *random.of(b"\"\\{}[],")),
    }
}

//! Input that is longer than the reader accepts, packed small.
#![allow(clippy::unwrap_used)]

use super::unusual_input::{with_events, event, warnings, load, refused, names};
use trace_testkit::gzip;

#[test]
fn bomb_behind_the_trace_is_not_decompressed() {
    let blanks = gzip(&vec![b' '; 1 << 20]);
    let packed = [gzip(with_events(&event("a")).as_bytes()), blanks.repeat(70)].concat();
    assert!(warnings(&load(&packed)).contains("more than 64 MiB follow the trace"), "{}", warnings(&load(&packed)));
}

#[test]
fn too_long_event_is_named_as_such_with_limit_and_place() {
    let before = with_events("").len() - "]}".len();
    let long = format!(r#"{{"ph": "X", "cat": "cpu_op", "dur": 1, "args": {{"x": [{}0]}}}}"#, "1, ".repeat(23 << 20));
    let reason =
        format!("near byte {before} of the JSON text: it is too long: expected at most 64 MiB of JSON text per event");
    let alone = refused(gzip(with_events(&long).as_bytes()));
    assert!(alone.contains(&format!("of its 1 event none could be read; the first {reason}")), "{alone}");
    let other = refused(with_events(&format!(r#"{long}, {{"name": "no duration"}}"#)));
    assert!(other.contains("1 of its 2 events could not be read, no other has a duration and a category"), "{other}");
    let trace = load(with_events(&format!("{long}, {}, {}", event("a"), event("b"))));
    assert_eq!(names(&trace), ["a", "b"]);
    assert!(warnings(&trace).contains(&format!("1 event was left out, the first {reason}")), "{}", warnings(&trace));
}

//! Tests of events that are too long: what is left out, what is kept, and how much text is scanned and kept in memory.
#![allow(clippy::unwrap_used)]

use super::super::buffer::TextBuffer;
use super::super::parser::Progress;
use super::super::rank::RankFinder;
use super::*;
use crate::read::Outcome;
use crate::read::tests::oracle::Collector;

/// Parses a text with a buffer of this size and a limit on events. Returns the names of events, the outcome, and the length of
/// the buffer at the end.
fn read(text: &str, buffer_size: usize, max_value: usize) -> (Vec<String>, Outcome, usize) {
    let mut sink = Collector::default();
    let buffer = TextBuffer::new(RankFinder::new(text.as_bytes()), buffer_size).limited_to(max_value);
    let mut parser = Parser::of_document(buffer, "test", &mut sink);
    while parser.run().unwrap() == Progress::BetweenEvents {
        parser.refill();
    }
    let (outcome, text, _) = parser.into_parts();
    let names = sink.0.iter().filter_map(|(_, values)| Some(values[0].as_str()?.to_owned())).collect();
    (names, outcome, text.into_chunk().bytes.len())
}

const SIZES: [usize; 5] = [1, 7, 64, 1000, 65_536];

#[test]
fn too_long_event_is_left_out_with_place_limit_and_neighbours() {
    let long = format!(r#"{{"name": "long", "args": {{"x": [{}0]}}}}"#, "1, ".repeat(1000));
    let text = format!(r#"{{"traceEvents": [{{"name": "a"}}, {long}, {{"name": "b"}}], "rank": 0}}"#);
    for size in SIZES {
        let (names, outcome, _) = read(&text, size, 2000);
        assert_eq!(names, ["a", "b"], "by {size}");
        let (count, first) = outcome.skipped.unwrap();
        assert_eq!((count, first.offset), (1, text.find(&long).unwrap() as u64), "by {size}");
        assert_eq!(first.reason, "it is too long: expected at most 64 MiB of JSON text per event");
        assert_eq!(outcome.cut, None, "by {size}");
    }
}

#[test]
fn text_of_too_long_events_is_searched_a_few_times_only() {
    // Each event begins two lists that do not end, so each is too long.
    let (starts, limit) = (2000, 3000);
    let text = format!(r#"{{"traceEvents": [{{"name": [[{}"#, r#"1},{"name": [["#.repeat(starts));
    for size in SIZES {
        let (_, outcome, _) = read(&text, size, limit);
        let (skipped, _) = outcome.skipped.unwrap();
        let most = u64::from(MAX_SEARCHED_TWICE) + (text.len() / limit) as u64;
        assert!((2..=most).contains(&skipped), "{skipped} of {starts} starts were scanned, by {size}");
        assert!(outcome.cut.is_some(), "by {size}");
    }
}

#[test]
fn white_space_after_an_invalid_event_does_not_stay_in_memory() {
    let blanks = " ".repeat(1 << 20);
    let text = format!(r#"[{{"name" 1}}{blanks},{{"name": "b"}}, {{"name": "c"}}]"#);
    for size in [64, 1000, 65_536] {
        let (names, outcome, memory) = read(&text, size, 1 << 20);
        assert_eq!(names, ["c"], "by {size}");
        assert_eq!(outcome.skipped.unwrap().0, 1, "by {size}");
        assert!(memory <= 1 << 17, "{memory} bytes by {size}");
    }
}

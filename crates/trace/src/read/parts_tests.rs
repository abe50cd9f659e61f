//! A text read in parts comes to what one reading makes of it, wherever the parts begin.
#![allow(clippy::unwrap_used)]

use super::super::oracle::{Kept, agrees_in_parts, came_to};
use super::super::property_tests::{Writer, mutated};
use super::*;
use std::path::Path;
use trace_testkit::Random;

/// Everything that looks like the seam of two events.
fn guesses(text: &[u8]) -> Vec<u64> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Next::At(position) = next_event(&text[at..]) {
        at += position;
        found.push(at as u64);
    }
    found
}

/// One seam at every byte; all guesses, every second one, …; seams that are close to each other and lead nowhere.
fn in_all_parts(text: &[u8], every: usize) {
    let whole = came_to(text, 65_536);
    for seam in (1..text.len() as u64 + 2).step_by(every) {
        agrees_in_parts(text, &[seam], 65_536, &whole);
    }
    let guesses = guesses(text);
    for step in 1..=guesses.len().min(9) {
        let some: Vec<u64> = guesses.iter().copied().step_by(step).take(24).collect();
        for chunk in [5, 4096] {
            agrees_in_parts(text, &some, chunk, &whole);
        }
    }
    let close: Vec<u64> = (1..text.len() as u64).step_by(text.len() / 12 + 1).collect();
    agrees_in_parts(text, &close, 64, &whole);
}

#[test]
fn the_corpus_is_read_alike_in_parts_that_begin_anywhere() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/trace_reader");
    for file in std::fs::read_dir(folder).unwrap() {
        let bytes = std::fs::read(file.unwrap().path()).unwrap();
        in_all_parts(&bytes, bytes.len() / 400 + 1);
    }
}

#[test]
fn generated_and_broken_traces_are_read_alike_in_parts_that_begin_anywhere() {
    let mut random = Random::new(3);
    for seed in 0..60 {
        let json = Writer::trace(seed);
        in_all_parts(json.as_bytes(), 1 + json.len() / 40);
        let broken = mutated(&mut random, json.as_bytes());
        in_all_parts(&broken, 1 + broken.len() / 40);
    }
}

#[test]
fn good_guesses_are_used_and_bad_ones_are_not() {
    /// Counts the parts it took.
    #[derive(Default)]
    struct Counting(Kept, usize);

    impl EventSink for Counting {
        fn slot(&mut self, key: &[u8]) -> Option<u16> {
            self.0.slot(key)
        }
        fn restart(&mut self) {
            self.0.restart();
        }
        fn event(&mut self, event: &super::super::RawEvent<'_>) {
            self.0.event(event);
        }
        fn metadata(&mut self, _: &str, _: &serde_json::Value) -> std::ops::ControlFlow<()> {
            std::ops::ControlFlow::Continue(())
        }
        fn tick(&mut self, _: u64) -> std::ops::ControlFlow<()> {
            std::ops::ControlFlow::Continue(())
        }
    }

    impl PartSink for Counting {
        fn part(&self) -> Self {
            Self::default()
        }
        fn fits(&self, _: &Self) -> bool {
            true
        }
        fn absorb(&mut self, part: Self, entries: u64) {
            self.0.absorb(part.0, entries);
            self.1 += 1;
        }
    }

    let text = br#"{"rank": 1, "traceEvents": [{"name": "a"}, {"name": "}, {\"name\": "}, {"name": "b", "args": {"x": [{}, {"name": 1}]}},
        {"name": "c"}, {"name": "d"}], "list": [{}, {"name": "no event"}], "name": "x"}"#;
    let find = |pattern: &[u8]| text.windows(pattern.len()).position(|window| window == pattern).unwrap() as u64;
    for (seams, taken) in [
        (vec![find(br#"{"name": "b""#), find(br#"{"name": "d""#)], 2),
        (vec![find(br#"{"name": 1"#), find(br#"{"name": "c""#), find(br#"{"name": "no"#)], 1),
        (vec![find(br#"{\"name"#), find(b"list")], 0),
    ] {
        let mut sink = Counting::default();
        let outcome = read_at(&|from| Ok(&text[from as usize..]), &seams, 64, "test", &mut sink).unwrap();
        assert_eq!((sink.1, outcome.events, sink.0.0.len()), (taken, 5, 5), "{seams:?}");
        assert_eq!(outcome.rank_in_text, Some(1));
    }
    let from = |start: usize| seam(&text[start..], start as u64);
    assert_eq!(from(find(b"[{}") as usize), Some(find(br#"{"name": 1"#)), "a guess need not be right");
    assert_eq!(from(text.len() - 20), None);
}

//! Tests of parsing in chunks: the result is that of one thread, wherever the chunks begin.
#![allow(clippy::unwrap_used)]

use super::super::chunk::Boundaries;
use super::super::queue::max_buffered_chunks;
use super::*;
use crate::Error;
use crate::exec::pool::run_jobs;
use crate::read::json::boundary::{NextEvent, next_event};
use crate::read::source::GzipReader;
use crate::read::tests::oracle::{Collector, agrees_in_chunks, read_sequentially, read_with_workers};
use crate::read::{EventSink, read_events};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use trace_testkit::{Random, gzip, mutated, random_json};

/// Returns all apparent starts of events.
fn guesses(text: &[u8]) -> Vec<u64> {
    let mut found = Vec::new();
    let mut at = 0;
    while let NextEvent::At(position) = next_event(&text[at..]) {
        at += position;
        found.push(at as u64);
    }
    found
}

/// Returns a plan by which every chunk but the first becomes a fragment.
fn all_fragments(boundaries: Boundaries<'_>, buffer_size: usize) -> Plan<'_> {
    Plan { boundaries, buffer_size, coordinator_parses: false }
}

/// Asserts that chunks give the result of one thread: with one boundary at every byte; at all apparent events, every second one, …; at many other offsets; in chunks of
/// many sizes, on several threads.
fn agrees_in_all_chunks(text: &[u8], every: usize) {
    let expected = read_sequentially(text, 65_536);
    for boundary in (1..text.len() as u64 + 2).step_by(every) {
        agrees_in_chunks(text, all_fragments(Boundaries::At(&[boundary]), 65_536), 0, &expected);
    }
    let guesses = guesses(text);
    for step in 1..=guesses.len().min(9) {
        let some: Vec<u64> = guesses.iter().copied().step_by(step).take(24).collect();
        for buffer_size in [5, 4096] {
            agrees_in_chunks(text, all_fragments(Boundaries::At(&some), buffer_size), 0, &expected);
        }
    }
    let close: Vec<u64> = (1..text.len() as u64).step_by(text.len() / 12 + 1).collect();
    agrees_in_chunks(text, all_fragments(Boundaries::At(&close), 64), 0, &expected);
    for (at, size) in [1, 7, 64, 300, 1000].into_iter().enumerate() {
        let boundaries = Boundaries::Guessed(size.max(text.len() / 200));
        for coordinator_parses in [false, true] {
            agrees_in_chunks(text, Plan { boundaries, buffer_size: 64, coordinator_parses }, at % 4, &expected);
        }
    }
}

#[test]
fn fuzz_corpus_agrees_in_chunks_that_begin_anywhere() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/trace_reader");
    for file in std::fs::read_dir(folder).unwrap() {
        let bytes = std::fs::read(file.unwrap().path()).unwrap();
        agrees_in_all_chunks(&bytes, bytes.len() / 400 + 1);
    }
}

#[test]
fn generated_and_mutated_traces_agree_in_all_chunks() {
    let mut random = Random::new(3);
    for seed in 0..60 {
        let json = random_json(seed);
        agrees_in_all_chunks(json.as_bytes(), 1 + json.len() / 40);
        let invalid = mutated(&mut random, json.as_bytes());
        agrees_in_all_chunks(&invalid, 1 + invalid.len() / 40);
    }
}

#[test]
fn only_boundaries_at_events_give_merged_fragments() {
    /// Counts the fragments that were merged.
    #[derive(Default)]
    struct Counting(Collector, usize);

    impl EventSink for Counting {
        fn slot(&mut self, key: &[u8]) -> Option<u16> {
            self.0.slot(key)
        }
        fn restart(&mut self) {
            self.0.restart();
        }
        fn event(&mut self, event: &crate::read::RawEvent<'_>) {
            self.0.event(event);
        }
        fn metadata(&mut self, _: &str, _: &serde_json::Value) -> ControlFlow<()> {
            ControlFlow::Continue(())
        }
        fn tick(&mut self, _: u64) -> ControlFlow<()> {
            ControlFlow::Continue(())
        }
    }

    impl FragmentSink for Counting {
        fn fragment(&self) -> Self {
            Self::default()
        }
        fn can_merge(&self, _: &Self) -> bool {
            true
        }
        fn merge(&mut self, fragment: &mut Self, entries: u64) {
            self.0.merge(&mut fragment.0, entries);
            self.1 += 1;
        }
        fn reset(&mut self) {
            self.0.reset();
        }
    }

    let text = br#"{"rank": 1, "traceEvents": [{"name": "a"}, {"name": "}, {\"name\": "}, {"name": "b", "args": {"x": [{}, {"name": 1}]}},
        {"name": "c"}, {"name": "d"}], "list": [{}, {"name": "not an event"}], "name": "x"}"#;
    let find = |pattern: &[u8]| text.windows(pattern.len()).position(|window| window == pattern).unwrap() as u64;
    for (boundaries, merged) in [
        (vec![find(br#"{"name": "b""#), find(br#"{"name": "d""#)], 2),
        (vec![find(br#"{"name": 1"#), find(br#"{"name": "c""#), find(br#"{"name": "not"#)], 1),
        (vec![find(br#"{\"name"#), find(b"list")], 0),
    ] {
        let plan = all_fragments(Boundaries::At(&boundaries), 64);
        let (outcome, sink) = read_with_workers(0, &text[..], plan, Counting::default());
        let outcome = outcome.unwrap();
        assert_eq!((sink.1, outcome.events, sink.0.0.len()), (merged, 5, 5), "{boundaries:?}");
        assert_eq!(outcome.rank_in_text, Some(1));
    }
}

/// Returns a trace of so many events, and the same as gzip data of several members.
fn compressed(events: usize) -> (String, Vec<u8>) {
    let mut text = String::from(r#"{"rank": 3, "traceEvents": ["#);
    for at in 0..events {
        text += &format!(r#"{{"name": "event {}", "ts": {at}.5, "dur": 1, "args": {{"stream": {at}}}}}, "#, at % 50);
    }
    text += r#"{}], "last": 1}"#;
    let gzip = text.as_bytes().chunks(text.len() / 3).flat_map(gzip).collect();
    (text, gzip)
}

#[test]
fn truncated_and_damaged_gzip_agrees_with_any_workers() {
    let (text, gzip) = compressed(2000);
    let mut inputs = vec![gzip.clone()];
    for at in (0..gzip.len()).step_by(gzip.len() / 23) {
        inputs.push(gzip[..at].to_vec());
        let mut damaged = gzip.clone();
        damaged[at] ^= 0x55;
        inputs.push(damaged);
    }
    let mut cut = 0;
    for gzip in inputs {
        let in_words = |read: Result<Outcome>| format!("{read:?}");
        let mut sequential = Collector::default();
        let expected = in_words(read_events(GzipReader::new(&gzip[..]), "test", &mut sequential));
        cut += usize::from(expected.contains("gzip data"));
        for workers in 0..4 {
            let boundaries = Boundaries::Guessed(text.len() / 40);
            let plan = Plan { boundaries, coordinator_parses: workers % 2 == 1, ..Plan::default() };
            let (read, sink) = read_with_workers(workers, GzipReader::new(&gzip[..]), plan, Collector::default());
            assert_eq!(in_words(read), expected, "{plan:?}, {workers} workers");
            assert_eq!(sink.0, sequential.0, "{plan:?}, {workers} workers");
        }
    }
    assert!(cut > 30, "{cut}");
}

/// Sink that calls a hook after each event and at each tick, with the number of events seen on all threads.
struct Hooked<'a> {
    collector: Collector,
    seen: &'a AtomicUsize,
    hook: &'a (dyn Fn(usize) -> ControlFlow<()> + Sync),
}

impl EventSink for Hooked<'_> {
    fn slot(&mut self, key: &[u8]) -> Option<u16> {
        self.collector.slot(key)
    }
    fn restart(&mut self) {
        self.collector.restart();
    }
    fn event(&mut self, event: &crate::read::RawEvent<'_>) {
        self.collector.event(event);
        let _ = (self.hook)(self.seen.fetch_add(1, Ordering::Relaxed));
    }
    fn metadata(&mut self, _: &str, _: &serde_json::Value) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
    fn tick(&mut self, _: u64) -> ControlFlow<()> {
        (self.hook)(self.seen.load(Ordering::Relaxed))
    }
}

impl FragmentSink for Hooked<'_> {
    fn fragment(&self) -> Self {
        Self { collector: Collector::default(), ..*self }
    }
    fn can_merge(&self, _: &Self) -> bool {
        true
    }
    fn merge(&mut self, fragment: &mut Self, entries: u64) {
        self.collector.merge(&mut fragment.collector, entries);
    }
    fn reset(&mut self) {
        self.collector.reset();
    }
}

/// Parses a trace in small chunks with a hook. Returns the outcome, and how much text was read.
fn read_hooked(
    workers: usize,
    coordinator_parses: bool,
    hook: &(dyn Fn(usize) -> ControlFlow<()> + Sync),
) -> (Result<Outcome>, u64) {
    /// Counts what is read.
    struct Counted<'a>(&'a [u8], &'a AtomicU64);
    impl Read for Counted<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let read = self.0.read(buffer)?;
            self.1.fetch_add(read as u64, Ordering::Relaxed);
            Ok(read)
        }
    }
    let (text, _) = compressed(20_000);
    let (seen, read) = (AtomicUsize::new(0), AtomicU64::new(0));
    let sink = Hooked { collector: Collector::default(), seen: &seen, hook };
    let plan = Plan { boundaries: Boundaries::Guessed(5_000), coordinator_parses, buffer_size: 1000 };
    let (outcome, _) = read_with_workers(workers, Counted(text.as_bytes(), &read), plan, sink);
    (outcome, read.load(Ordering::Relaxed))
}

#[test]
fn sink_that_stops_bounds_what_is_read() {
    for workers in 0..4 {
        for coordinator_parses in [false, true] {
            let hook = |seen| if seen > 1000 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
            let (outcome, read) = read_hooked(workers, coordinator_parses, &hook);
            assert!(outcome.unwrap().stopped);
            // 1000 events are 70 kB.
            let limit = 100_000 + 5_000 * (max_buffered_chunks(workers) as u64 + 2);
            assert!(read < limit, "{read} bytes with {workers} workers");
        }
    }
}

#[test]
fn workers_that_join_late_do_not_change_the_result() {
    const EVENTS: usize = 20_000;
    let (text, _) = compressed(EVENTS);
    let expected = read_sequentially(text.as_bytes(), 65_536);
    for late in [1, 100, 5_000, EVENTS] {
        let seen = AtomicUsize::new(0);
        let hook = |_| ControlFlow::Continue(());
        // Two other jobs keep the threads busy until the file is parsed so far.
        let read = run_jobs(3, vec![true, false, false], |pool, is_file| {
            if !is_file {
                while seen.load(Ordering::Relaxed) < late {
                    std::thread::yield_now();
                }
                return None;
            }
            let mut sink = Hooked { collector: Collector::default(), seen: &seen, hook: &hook };
            let plan = Plan { boundaries: Boundaries::Guessed(5_000), ..Plan::default() };
            let outcome = read_planned(text.as_bytes(), plan, pool, "test", &mut sink).unwrap();
            Some((format!("{outcome:?}"), sink.collector.0))
        });
        assert_eq!(read[0].as_ref(), Some(&expected), "{late}");
    }
}

#[test]
fn panic_on_any_thread_reaches_the_caller() {
    for workers in 0..4 {
        for coordinator_parses in [false, true] {
            for after in [0, 1, 500, 2_000, 15_000] {
                let hook = |seen| if seen == after { panic!("in the middle") } else { ControlFlow::Continue(()) };
                let caught =
                    std::panic::catch_unwind(|| read_hooked(workers, coordinator_parses, &hook)).err().unwrap();
                assert_eq!(caught.downcast_ref(), Some(&"in the middle"), "{workers} workers, after {after}");
            }
        }
    }
}

#[test]
fn reader_error_ends_every_thread() {
    /// Is interrupted after its bytes.
    struct Ends<'a>(&'a [u8]);
    impl Read for Ends<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            match self.0.read(buffer)? {
                0 => Err(std::io::Error::from(std::io::ErrorKind::ConnectionAborted)),
                read => Ok(read),
            }
        }
    }
    let (text, _) = compressed(5_000);
    for workers in 0..4 {
        for end in [0, 10, 5_000, 100_000, text.len() - 2] {
            let plan = Plan { boundaries: Boundaries::Guessed(5_000), ..Plan::default() };
            let (read, _) = read_with_workers(workers, Ends(&text.as_bytes()[..end]), plan, Collector::default());
            assert!(matches!(read, Err(Error::Interrupted)), "{read:?} with {workers} workers, after {end}");
        }
    }
}

//! A text read in parts comes to what one reading makes of it, wherever the parts begin.
#![allow(clippy::unwrap_used)]

use super::super::chunk::Seams;
use super::super::queue::most_stretches;
use super::*;
use crate::Error;
use crate::read::json::boundary::{Next, next_event};
use crate::read::source::Unpacked;
use crate::read::tests::oracle::{Kept, agrees_in_parts, came_to};
use crate::read::{Writer, mutated, read_events};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use trace_testkit::{Random, gzip};

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

/// On one thread that reads all but the first stretch in parts.
fn all_parts(seams: Seams<'_>, chunk: usize) -> Plan<'_> {
    Plan { seams, chunk, direct: false }
}

/// One seam at every byte; all guesses, every second one, …; seams that are close to each other and lead nowhere;
/// stretches of any size, on several threads.
fn in_all_parts(text: &[u8], every: usize) {
    let whole = came_to(text, 65_536);
    for seam in (1..text.len() as u64 + 2).step_by(every) {
        agrees_in_parts(text, all_parts(Seams::At(&[seam]), 65_536), 0, &whole);
    }
    let guesses = guesses(text);
    for step in 1..=guesses.len().min(9) {
        let some: Vec<u64> = guesses.iter().copied().step_by(step).take(24).collect();
        for chunk in [5, 4096] {
            agrees_in_parts(text, all_parts(Seams::At(&some), chunk), 0, &whole);
        }
    }
    let close: Vec<u64> = (1..text.len() as u64).step_by(text.len() / 12 + 1).collect();
    agrees_in_parts(text, all_parts(Seams::At(&close), 64), 0, &whole);
    for (at, most) in [1, 7, 64, 300, 1000].into_iter().enumerate() {
        let seams = Seams::Guessed(most.max(text.len() / 200));
        for direct in [false, true] {
            agrees_in_parts(text, Plan { seams, chunk: 64, direct }, at % 4, &whole);
        }
    }
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

    impl PartSink for Counting {
        fn part(&self) -> Self {
            Self::default()
        }
        fn fits(&self, _: &Self) -> bool {
            true
        }
        fn absorb(&mut self, part: &mut Self, entries: u64) {
            self.0.absorb(&mut part.0, entries);
            self.1 += 1;
        }
        fn give_up(&mut self) {
            self.0.give_up();
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
        let outcome = read_planned(&text[..], all_parts(Seams::At(&seams), 64), &|| 0, "test", &mut sink).unwrap();
        assert_eq!((sink.1, outcome.events, sink.0.0.len()), (taken, 5, 5), "{seams:?}");
        assert_eq!(outcome.rank_in_text, Some(1));
    }
}

/// A trace of so many events, and the same as gzip in members of several sizes.
fn packed(events: usize) -> (String, Vec<u8>) {
    let mut text = String::from(r#"{"rank": 3, "traceEvents": ["#);
    for at in 0..events {
        text += &format!(r#"{{"name": "event {}", "ts": {at}.5, "dur": 1, "args": {{"stream": {at}}}}}, "#, at % 50);
    }
    text += r#"{}], "last": 1}"#;
    let packed = text.as_bytes().chunks(text.len() / 3).flat_map(gzip).collect();
    (text, packed)
}

#[test]
fn what_is_packed_is_read_alike_also_where_it_ends_early_or_is_damaged() {
    let (text, packed) = packed(2000);
    let mut broken = vec![packed.clone()];
    for at in (0..packed.len()).step_by(packed.len() / 23) {
        broken.push(packed[..at].to_vec());
        let mut damaged = packed.clone();
        damaged[at] ^= 0x55;
        broken.push(damaged);
    }
    let mut cut = 0;
    for packed in broken {
        let said = |read: Result<Outcome>| format!("{read:?}");
        let mut whole = Kept::default();
        let expected = said(read_events(Unpacked::new(&packed[..]), "test", &mut whole));
        cut += usize::from(expected.contains("gzip data"));
        for others in 0..4 {
            let plan = Plan { seams: Seams::Guessed(text.len() / 40), direct: others % 2 == 1, ..Plan::default() };
            let mut kept = Kept::default();
            let read = read_planned(Unpacked::new(&packed[..]), plan, &|| others, "test", &mut kept);
            assert_eq!(said(read), expected, "{plan:?}, {others} others");
            assert_eq!(kept.0, whole.0, "{plan:?}, {others} others");
        }
    }
    assert!(cut > 30, "{cut}");
}

/// Keeps events, and does something after so many of them.
struct Minded<'a> {
    kept: Kept,
    seen: &'a AtomicUsize,
    then: &'a (dyn Fn(usize) -> ControlFlow<()> + Sync),
}

impl EventSink for Minded<'_> {
    fn slot(&mut self, key: &[u8]) -> Option<u16> {
        self.kept.slot(key)
    }
    fn restart(&mut self) {
        self.kept.restart();
    }
    fn event(&mut self, event: &crate::read::RawEvent<'_>) {
        self.kept.event(event);
        let _ = (self.then)(self.seen.fetch_add(1, Ordering::Relaxed));
    }
    fn metadata(&mut self, _: &str, _: &serde_json::Value) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
    fn tick(&mut self, _: u64) -> ControlFlow<()> {
        (self.then)(self.seen.load(Ordering::Relaxed))
    }
}

impl PartSink for Minded<'_> {
    fn part(&self) -> Self {
        Self { kept: Kept::default(), ..*self }
    }
    fn fits(&self, _: &Self) -> bool {
        true
    }
    fn absorb(&mut self, part: &mut Self, entries: u64) {
        self.kept.absorb(&mut part.kept, entries);
    }
    fn give_up(&mut self) {
        self.kept.give_up();
    }
}

/// Reads a trace with so many others, in small stretches, with a sink that minds what comes; how much text was read.
fn minded(others: usize, direct: bool, then: &(dyn Fn(usize) -> ControlFlow<()> + Sync)) -> (Result<Outcome>, u64) {
    /// Counts what is read.
    struct Counted<'a>(&'a [u8], &'a mut u64);
    impl Read for Counted<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let read = self.0.read(buffer)?;
            *self.1 += read as u64;
            Ok(read)
        }
    }
    let (text, _) = packed(20_000);
    let (seen, mut read) = (AtomicUsize::new(0), 0);
    let mut sink = Minded { kept: Kept::default(), seen: &seen, then };
    let plan = Plan { seams: Seams::Guessed(5_000), direct, chunk: 1000 };
    let outcome = read_planned(Counted(text.as_bytes(), &mut read), plan, &|| others, "test", &mut sink);
    (outcome, read)
}

#[test]
fn a_sink_that_has_enough_ends_the_reading_and_only_so_much_is_in_memory() {
    for others in 0..4 {
        for direct in [false, true] {
            let enough = |seen| if seen > 1000 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
            let (outcome, read) = minded(others, direct, &enough);
            assert!(outcome.unwrap().stopped);
            // 1000 events are 70 kB.
            let most = 100_000 + 5_000 * (most_stretches(others) as u64 + 2);
            assert!(read < most, "{read} bytes with {others} others");
        }
    }
}

#[test]
fn others_may_come_late() {
    let (text, _) = packed(20_000);
    let whole = came_to(text.as_bytes(), 65_536);
    for late in [1, 5, 100, 5_000] {
        let asked = std::cell::Cell::new(0);
        let others = || {
            asked.set(asked.get() + 1);
            if asked.get() < late { 0 } else { 2 }
        };
        let mut kept = Kept::default();
        let plan = Plan { seams: Seams::Guessed(5_000), ..Plan::default() };
        let outcome = read_planned(text.as_bytes(), plan, &others, "test", &mut kept).unwrap();
        assert_eq!((format!("{outcome:?}"), kept.0), whole);
        // There are some 280 stretches.
        assert!(if late > 280 { asked.get() > 200 } else { asked.get() == late }, "asked until they come");
    }
}

#[test]
fn a_panic_on_any_thread_reaches_the_caller_and_hangs_nobody() {
    for others in 0..4 {
        for direct in [false, true] {
            for after in [0, 1, 500, 2_000, 15_000] {
                let panics = |seen| if seen == after { panic!("in the middle") } else { ControlFlow::Continue(()) };
                let caught = std::panic::catch_unwind(|| minded(others, direct, &panics)).err().unwrap();
                assert_eq!(caught.downcast_ref(), Some(&"in the middle"), "{others} others, after {after}");
            }
        }
    }
}

#[test]
fn an_error_of_the_reader_ends_the_reading_on_every_thread() {
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
    let (text, _) = packed(5_000);
    for others in 0..4 {
        for end in [0, 10, 5_000, 100_000, text.len() - 2] {
            let plan = Plan { seams: Seams::Guessed(5_000), ..Plan::default() };
            let read = read_planned(Ends(&text.as_bytes()[..end]), plan, &|| others, "test", &mut Kept::default());
            assert!(matches!(read, Err(Error::Interrupted)), "{read:?} with {others} others, after {end}");
        }
    }
}

//! Tests of the buffer: how much is scanned until a value is in memory.
#![allow(clippy::unwrap_used)]

use super::super::event::{EventCache, RawEvent, scan_event};
use super::*;

/// Reader that returns at most so many bytes at once, as the queue of chunks does.
struct Pieces<'a>(&'a [u8], usize);

impl Read for Pieces<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let length = self.1.min(buffer.len()).min(self.0.len());
        let (now, later) = self.0.split_at(length);
        buffer[..length].copy_from_slice(now);
        self.0 = later;
        Ok(length)
    }
}

/// Scans an event that arrives in pieces. Returns the result, the number of scans, and the bytes that were before all of them.
fn scanned(text: &[u8], piece: usize, max_value: usize) -> (Result<(), Stop>, usize, usize) {
    let mut buffer = TextBuffer::by_chunks(Pieces(text, piece), piece).limited_to(max_value);
    buffer.peek();
    let (mut scans, mut bytes) = (0, 0);
    let mut cache = EventCache::default();
    let result = buffer.scan(|scanner| {
        scans += 1;
        bytes += scanner.rest().len();
        scan_event(scanner, &mut RawEvent::at(0), &mut cache, |_| None)
    });
    (result, scans, bytes)
}

/// Events of about so many bytes, each with another reason for its length.
fn long_events(length: usize) -> Vec<String> {
    let member = r#""an argument": 12345, "#;
    let event = |args: String| format!(r#"{{"name": "long", "args": {args}, "dur": 1}}"#);
    vec![
        event(format!("{{{}\"last\": 0}}", member.repeat(length / member.len()))),
        event(format!("{{\"list\": [{}0]}}", "1, ".repeat(length / 3))),
        event(format!("{{\"deep\": {}{}}}", "[".repeat(length / 2), "]".repeat(length / 2))),
        event(format!("{{\"text\": \"{}\"}}", "x".repeat(length))),
        event(format!("{{\"number\": {}}}", "1".repeat(length))),
        event(format!("{{\"blanks\": {}1}}", " ".repeat(length))),
    ]
}

#[test]
fn long_event_in_pieces_is_scanned_a_bounded_number_of_times() {
    for text in long_events(1 << 20) {
        let length = text.len();
        let (result, scans, bytes) = scanned(text.as_bytes(), 1000, usize::MAX - 1);
        assert_eq!(result, Ok(()), "{}", &text[..40]);
        assert!(bytes <= 4 * length, "{bytes} bytes in {scans} scans of {length}: {}", &text[..40]);
    }
}

#[test]
fn too_long_event_is_scanned_up_to_the_limit_in_any_pieces() {
    let limit = 100_000;
    for text in long_events(1 << 20) {
        for piece in [1, 7, 1000, 4096, 1 << 19] {
            let (result, scans, bytes) = scanned(text.as_bytes(), piece, limit);
            assert_eq!(result, Err(Stop::Bad(Bad::Long)), "{}", &text[..40]);
            assert!(bytes <= 4 * limit, "{bytes} bytes in {scans} scans by {piece}: {}", &text[..40]);
        }
    }
}

#[test]
fn event_that_crosses_a_chunk_boundary_takes_one_more_read() {
    let text = format!("{}{}", &long_events(100)[0], " ".repeat(10_000));
    let mut buffer = TextBuffer::by_chunks(Pieces(text.as_bytes(), 100), 4096);
    buffer.peek();
    let mut cache = EventCache::default();
    buffer.scan(|scanner| scan_event(scanner, &mut RawEvent::at(0), &mut cache, |_| None)).unwrap();
    // Text of a later chunk is left to the thread that parses it.
    assert!(buffer.ahead().len() < 100, "{}", buffer.ahead().len());
}

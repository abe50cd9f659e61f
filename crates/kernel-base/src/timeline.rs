//! Timeline of a Rust cell: one log line per step, from request to reply (`TRACEBOOK_LOG=cells`).
//!
//! The kernel records its steps here. The worker process appends its own to a file that [`FILE`] names, as lines `step start end` in
//! nanoseconds since 1970.

use crate::sync::lock;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, SystemTime};
use tokio::time::Instant;

/// Environment variable that names the file for the steps of other processes.
pub const FILE: &str = "TRACEBOOK_TIMELINE";

static ON: AtomicBool = AtomicBool::new(false);
static RECORDED: Mutex<Vec<Span>> = Mutex::new(Vec::new());
/// When the request of the running cell was received.
static RECEIVED: Mutex<SystemTime> = Mutex::new(SystemTime::UNIX_EPOCH);

/// A recorded step.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Span {
    name: String,
    start: SystemTime,
    /// `None` if the step lasts until the next one starts.
    end: Option<SystemTime>,
}

/// A running step, which ends when this is dropped.
pub struct Step(Option<(&'static str, SystemTime)>);

impl Drop for Step {
    fn drop(&mut self) {
        if let Some((name, start)) = self.0 {
            add(name, start, Some(SystemTime::now()));
        }
    }
}

/// Enables recording.
pub fn start() {
    ON.store(true, Ordering::Relaxed);
}

/// Whether steps are recorded.
pub fn is_on() -> bool {
    ON.load(Ordering::Relaxed)
}

/// Starts a step.
pub fn step(name: &'static str) -> Step {
    Step(is_on().then(|| (name, SystemTime::now())))
}

/// Records a step around a call.
pub fn during<T>(name: &'static str, act: impl FnOnce() -> T) -> T {
    let _step = step(name);
    act()
}

/// Starts a step that lasts until the next one starts.
pub fn until_next(name: &'static str) {
    add(name, SystemTime::now(), None);
}

/// Records a step. It starts no earlier than an open step before it: `start` may be the time of a file, which lags by some ms.
pub fn add(name: &str, start: SystemTime, end: Option<SystemTime>) {
    if is_on() {
        let mut recorded = recorded();
        let open = recorded.last().filter(|last| last.end.is_none()).map(|last| last.start);
        let start = open.map_or(start, |open| start.max(open));
        recorded.push(Span { name: name.to_owned(), start, end });
    }
}

/// Clears the record at the start of a cell, whose request was received at this time.
pub fn begin(received: Instant) {
    if is_on() {
        recorded().clear();
        let now = SystemTime::now();
        // Converted once, before the steps: at the end, a busy machine could place it behind the first step.
        *lock(&RECEIVED) = now.checked_sub(received.elapsed()).unwrap_or(now);
        if let Some(file) = file() {
            let _ = std::fs::remove_file(file);
        }
    }
}

/// Logs the steps of the cell that ends.
pub fn end(count: usize) {
    if !is_on() {
        return;
    }
    let mut spans = std::mem::take(&mut *recorded());
    let of_worker = file().and_then(|file| std::fs::read_to_string(file).ok()).unwrap_or_default();
    spans.extend(of_worker.lines().filter_map(parse));
    if spans.is_empty() {
        return;
    }
    let now = SystemTime::now();
    let received = *lock(&RECEIVED);
    // Leave out steps of the engine's start.
    spans.retain(|span| span.start >= received);
    for line in lines(spans, received, now) {
        tracing::debug!(target: "tracebook::cells", "cell {count}: {line}");
    }
}

fn recorded() -> MutexGuard<'static, Vec<Span>> {
    lock(&RECORDED)
}

fn file() -> Option<PathBuf> {
    std::env::var_os(FILE).map(PathBuf::from)
}

/// Parses a line `step start end`.
fn parse(line: &str) -> Option<Span> {
    let mut words = line.split(' ');
    let (name, start, end) = (words.next()?, words.next()?.parse().ok()?, words.next()?.parse().ok()?);
    let time = |nanoseconds| SystemTime::UNIX_EPOCH + Duration::from_nanos(nanoseconds);
    Some(Span { name: name.to_owned(), start: time(start), end: Some(time(end)) })
}

/// Returns one line per step in order of their starts, and a last line with the total.
fn lines(mut spans: Vec<Span>, received: SystemTime, now: SystemTime) -> Vec<String> {
    spans.sort_by_key(|span| span.start);
    let between = |from: SystemTime, to: SystemTime| milliseconds(to.duration_since(from).unwrap_or_default());
    let mut lines: Vec<String> = spans
        .iter()
        .enumerate()
        .map(|(at, span)| {
            let next = spans.get(at + 1).map_or(now, |next| next.start);
            let took = between(span.start, span.end.unwrap_or(next));
            format!("{} {took}, from {}", span.name, between(received, span.start))
        })
        .collect();
    lines.push(format!("request to reply {}", between(received, now)));
    lines
}

/// Formats a duration for the log.
pub fn milliseconds(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1e3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_in_order_of_their_starts() {
        let at = |milliseconds| SystemTime::UNIX_EPOCH + Duration::from_millis(milliseconds);
        let span =
            |name: &str, start, end: Option<u64>| Span { name: name.to_owned(), start: at(start), end: end.map(at) };
        let spans = vec![span("rustc", 30, Some(80)), span("write", 12, None), span("parse", 11, Some(12))];
        assert_eq!(
            lines(spans, at(10), at(90)),
            [
                "parse 1.0 ms, from 1.0 ms",
                "write 18.0 ms, from 2.0 ms",
                "rustc 50.0 ms, from 20.0 ms",
                "request to reply 80.0 ms"
            ]
        );
    }

    #[test]
    fn steps_of_other_processes_are_parsed() {
        let span = parse("load 1000000 3000000").unwrap();
        assert_eq!((span.name.as_str(), span.end), ("load", Some(SystemTime::UNIX_EPOCH + Duration::from_millis(3))));
        assert_eq!(parse("load 1"), None);
    }
}

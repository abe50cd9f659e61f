//! One plain text read by several threads, each from a place where an event seems to begin.
//!
//! ```text
//! bytes    0         s₁        s₂        s₃
//! first    |header ──►│ absorbs, goes on where the others stopped … ──► metadata behind the list
//! parts              |events──►|events──►|events──► ]
//! ```
//!
//! That an event begins at a seam is a guess, and nothing depends on it: what a part read counts only if whoever reads
//! before it comes to that very byte between two entries of the list. If not, the part is dropped, and the reading
//! before it goes on to the next seam.

#[cfg(test)]
#[path = "parts_tests.rs"]
mod tests;

use super::chrome::{EventSink, Outcome, Reading};
use super::entries::{Handover, Others};
use super::ranks::RankText;
use super::recover::{Next, next_event};
use super::window::{CHUNK, Window};
use crate::Result;
use std::collections::VecDeque;
use std::io::{Read, Result as IoResult};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{Scope, ScopedJoinHandle};

/// So far behind a place an event is looked for; a longer one makes no seam.
const FARTHEST: u64 = 1024 * 1024;

/// A sink whose events may come from several readings.
pub(crate) trait PartSink: EventSink + Send + Sized {
    /// A sink for the events of a later part. The list goes on in it: [`EventSink::restart`] is not called.
    fn part(&self) -> Self;
    /// Whether it would be the same if it had taken the events of `part` itself.
    fn fits(&self, part: &Self) -> bool;
    /// Takes the events of the part that follows on its own so many entries of the list. Call [`Self::fits`] first.
    fn absorb(&mut self, part: Self, entries: u64);
    /// Nobody will want the events of this part.
    fn give_up(self) {}
}

/// Reads the text that `open` gives from any byte on, parts of it beside each other: one for each of the `starts`, which
/// ascend, and one from the beginning.
///
/// # Errors
/// Those of [`super::read_events`], with which it agrees whatever the starts.
pub(crate) fn read_parts<R: Read, S: PartSink>(
    open: &(impl Fn(u64) -> Result<R> + Sync),
    starts: &[u64],
    file: &str,
    sink: &mut S,
) -> Result<Outcome> {
    let mut seams = Vec::new();
    for &start in starts {
        let seam = if seams.last().is_some_and(|&last| last > start) { None } else { seam(open(start)?, start) };
        seams.extend(seam);
    }
    read_at(open, &seams, CHUNK, file, sink)
}

/// The same from these seams on, wherever they lie, in windows of any size.
pub(crate) fn read_at<R: Read, S: PartSink>(
    open: &(impl Fn(u64) -> Result<R> + Sync),
    seams: &[u64],
    chunk: usize,
    file: &str,
    sink: &mut S,
) -> Result<Outcome> {
    let gone: Vec<AtomicBool> = seams.iter().map(|_| AtomicBool::new(false)).collect();
    let parts: Vec<S> = seams.iter().map(|_| sink.part()).collect();
    std::thread::scope(|scope| {
        let parts = parts.into_iter().zip(&gone).enumerate().map(|(at, (sink, gone))| {
            let (start, later) = (seams[at], &seams[at + 1..]);
            Part { start, gone, work: read_part(scope, open, start, later, chunk, file, sink, gone) }
        });
        let mut first = First { parts: parts.collect(), open };
        let reader = RankText::new(open(0)?);
        let outcome = Reading::new(Window::new(reader, chunk), file, sink, &mut first).whole();
        first.drop_all();
        outcome
    })
}

/// A place behind `start` where an event seems to begin.
fn seam(reader: impl Read, start: u64) -> Option<u64> {
    let mut bytes = Vec::new();
    let mut reader = reader.take(FARTHEST);
    loop {
        let more = reader.by_ref().take(64 * 1024).read_to_end(&mut bytes).ok()?;
        match next_event(&bytes) {
            Next::At(position) => return Some(start + position as u64),
            Next::Perhaps(_) if more == 0 => return None,
            Next::Perhaps(_) => {}
        }
    }
}

/// What a thread of its own reads.
struct Part<'s, S> {
    start: u64,
    gone: &'s AtomicBool,
    work: ScopedJoinHandle<'s, Result<Done<S>>>,
}

/// What it read.
struct Done<S> {
    sink: S,
    outcome: Outcome,
    /// Where it stopped: at a seam or at the end of the list.
    end: u64,
}

impl<S: PartSink> Part<'_, S> {
    fn done(self) -> Result<Done<S>> {
        self.work.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }

    fn drop(self) {
        self.gone.store(true, Ordering::Relaxed);
        // What it failed at, the reading before it will meet, too, if it matters.
        if let Ok(done) = self.done() {
            done.sink.give_up();
        }
    }
}

#[allow(clippy::too_many_arguments)]
fn read_part<'s, R: Read, S: PartSink + 's>(
    scope: &'s Scope<'s, '_>,
    open: &'s (impl Fn(u64) -> Result<R> + Sync),
    start: u64,
    later: &'s [u64],
    chunk: usize,
    file: &'s str,
    mut sink: S,
    gone: &'s AtomicBool,
) -> ScopedJoinHandle<'s, Result<Done<S>>> {
    scope.spawn(move || {
        let reader = RankText::at(Wanted { inner: open(start)?, gone }, start);
        let mut stops = Stops { seams: later };
        let window = Window::at(reader, chunk, start);
        let reading = Reading::new(window, file, &mut sink, &mut stops);
        let (outcome, end) = reading.part()?;
        Ok(Done { sink, outcome, end })
    })
}

/// Ends when nobody wants it any more.
struct Wanted<'s, R> {
    inner: R,
    gone: &'s AtomicBool,
}

impl<R: Read> Read for Wanted<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> IoResult<usize> {
        if self.gone.load(Ordering::Relaxed) { Ok(0) } else { self.inner.read(buffer) }
    }
}

/// Of a part: it stops at the first later seam that it comes to.
struct Stops<'s> {
    seams: &'s [u64],
}

impl<R, S> Others<R, S> for Stops<'_> {
    fn seam(&self) -> u64 {
        self.seams.first().copied().unwrap_or(u64::MAX)
    }

    fn reached(&mut self, offset: u64, _: &mut S, _: &mut Outcome) -> Result<Handover<R>> {
        while let [seam, later @ ..] = self.seams
            && *seam <= offset
        {
            if *seam == offset {
                return Ok(Handover::Stop);
            }
            self.seams = later;
        }
        Ok(Handover::None)
    }
}

/// Of the reading from the beginning: it takes what the parts have read.
struct First<'s, S, O> {
    parts: VecDeque<Part<'s, S>>,
    open: &'s O,
}

impl<S: PartSink, O> First<'_, S, O> {
    fn drop_all(&mut self) {
        self.parts.drain(..).for_each(Part::drop);
    }
}

impl<R: Read, S: PartSink, O: Fn(u64) -> Result<R>> Others<R, S> for First<'_, S, O> {
    fn seam(&self) -> u64 {
        self.parts.front().map_or(u64::MAX, |part| part.start)
    }

    fn reached(&mut self, offset: u64, sink: &mut S, outcome: &mut Outcome) -> Result<Handover<R>> {
        let mut at = offset;
        while let Some(part) = self.parts.pop_front_if(|part| part.start <= at) {
            if part.start < at {
                part.drop();
                continue;
            }
            let done = part.done()?;
            if done.outcome.stopped || !sink.fits(&done.sink) {
                done.sink.give_up();
                continue;
            }
            sink.absorb(done.sink, outcome.events);
            outcome.follow(done.outcome);
            at = done.end;
            if outcome.cut.is_some() {
                break;
            }
        }
        Ok(if at == offset { Handover::None } else { Handover::From(at, RankText::at((self.open)(at)?, at)) })
    }
}

//! State of the parser of one text, and the steps that documents and arrays share.
//!
//! The parser pauses where the text in memory ends between two events ([`Progress::BetweenEvents`]). Its driver then
//! provides more text and continues: from a reader, or from the next chunk of a parallel load.

use super::buffer::{ChunkBuffer, End, TextBuffer};
use super::event::EventCache;
use super::rank::RankFinder;
use super::scan::Skipper;
use super::sink::EventSink;
use crate::error::NotATraceReason;
use crate::read::source::data_error;
use crate::read::{Fault, Outcome};
use crate::{Error, Result};
use std::io::Read;
use std::ops::ControlFlow;

/// Parser of one text, or of one chunk of it.
pub(in crate::read) struct Parser<'s, R, S> {
    pub(super) text: TextBuffer<RankFinder<R>>,
    pub(super) file: &'s str,
    pub(in crate::read) sink: &'s mut S,
    pub(in crate::read) outcome: Outcome,
    pub(super) cache: EventCache,
    pub(super) context: Context,
    /// A `traceEvents` array was found.
    pub(super) has_array: bool,
    /// Refills of the text that were reported to the sink.
    pub(super) reported_refills: u64,
    /// Events that were too long.
    pub(super) too_long: u32,
}

/// What encloses the cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Context {
    /// Nothing: the document begins.
    Start,
    /// The outermost object.
    Object,
    /// An array of events.
    Array(Array),
    /// Nothing: the document is over.
    End,
}

/// Kinds of arrays of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Array {
    /// The value of `traceEvents`.
    Member,
    /// The whole document; its closing bracket is optional.
    Bare,
    /// The rest of an array, from an entry on. Its closing bracket is left to the coordinator.
    Rest,
}

/// State of the parser after a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::read) enum Progress {
    /// Between two entries of the array, with all text in memory consumed.
    BetweenEvents,
    /// At the end.
    Finished,
}

/// Result of a step: `Break` once the sink stopped the parser.
pub(super) type Flow = Result<ControlFlow<()>>;
pub(super) const CONTINUE: ControlFlow<()> = ControlFlow::Continue(());
pub(super) const STOP: ControlFlow<()> = ControlFlow::Break(());

impl<'s, R: Read, S: EventSink> Parser<'s, R, S> {
    /// Creates a parser of a document, from its first byte on.
    pub(in crate::read) fn of_document(text: TextBuffer<RankFinder<R>>, file: &'s str, sink: &'s mut S) -> Self {
        Self {
            text,
            file,
            sink,
            outcome: Outcome::default(),
            cache: EventCache::default(),
            context: Context::Start,
            has_array: false,
            reported_refills: 0,
            too_long: 0,
        }
    }

    /// Creates a parser of the events of a chunk, with what earlier chunks left in `cache`.
    pub(in crate::read) fn of_chunk(text: TextBuffer<RankFinder<R>>, sink: &'s mut S, cache: EventCache) -> Self {
        Self { cache, context: Context::Array(Array::Rest), ..Self::of_document(text, "", sink) }
    }

    /// Records the rank that the consumed text names, unless earlier text named one.
    pub(in crate::read) fn note_rank(&mut self) {
        let found = self.text.reader().found(self.text.offset());
        self.outcome.rank_in_text = self.outcome.rank_in_text.or(found);
    }

    /// Reads more text into memory; at the end of the text, notes that.
    pub(in crate::read) fn refill(&mut self) {
        self.text.refill();
    }

    /// Continues in a chunk whose text begins at offset `start`, at index `at` of it. Returns the memory of the consumed
    /// text.
    pub(in crate::read) fn continue_in(&mut self, chunk: ChunkBuffer, start: u64, at: usize) -> ChunkBuffer {
        self.text.reader_mut().search(&chunk.text()[at..]);
        self.text.continue_in(chunk, start, at)
    }

    /// Appends what a fragment found, whose events end at offset `end`, and continues there.
    pub(in crate::read) fn continue_after(&mut self, fragment: Outcome, end: u64) {
        self.outcome.append(fragment);
        self.text.continue_at(end);
        self.text.reader_mut().continue_at(end);
    }

    /// Returns what was found, the text where the parser ended, and the cache.
    pub(in crate::read) fn into_parts(mut self) -> (Outcome, TextBuffer<RankFinder<R>>, EventCache) {
        self.note_rank();
        (self.outcome, self.text, self.cache)
    }

    /// Skips a value of any length and returns its bytes if they are at most `keep`, else as many zeros. `None`: the text
    /// ends first.
    pub(super) fn skip(&mut self, keep: usize) -> Option<Vec<u8>> {
        let mut skipper = Skipper::default();
        let mut value = Vec::new();
        loop {
            let ahead = self.text.ahead();
            let (used, done) = skipper.feed(ahead);
            if value.len() + used <= keep {
                value.extend_from_slice(&ahead[..used]);
            } else {
                value = vec![0; keep];
            }
            self.text.advance(used);
            if done {
                return Some(value);
            }
            if !self.text.refill() {
                return None;
            }
        }
    }

    /// Records that the text ends early, here.
    pub(super) fn cut(&mut self, reason: &str) -> Result<()> {
        let offset = self.text.offset();
        let reason = match self.text.take_end() {
            Some(End::Failed(error)) => data_error(self.file, error)?,
            _ => reason.to_owned(),
        };
        self.outcome.cut = Some(Fault { offset, reason });
        Ok(())
    }

    pub(super) fn not_a_trace(&self, reason: NotATraceReason) -> Error {
        Error::NotATrace { file: self.file.to_owned(), reason }
    }
}

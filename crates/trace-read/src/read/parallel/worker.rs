//! Workers: threads that parse chunks into fragments.

use super::queue::{ChunkParser, ChunkQueue};
use crate::exec::pool::SharedWork;
use crate::read::json::buffer::{ChunkBuffer, TextBuffer};
use crate::read::json::{EventCache, Parser, RankFinder};
use crate::read::{FragmentSink, Outcome};
use std::io::{Read, empty};

/// The events of one chunk, parsed from its first byte on.
pub(super) struct Fragment<S> {
    pub(super) sink: S,
    /// Templates and memory, kept from chunk to chunk.
    cache: EventCache,
    /// `None` if parsing failed.
    pub(super) outcome: Option<Outcome>,
    /// Offset after the last event: the end of the chunk, or of the array.
    pub(super) end: u64,
}

impl<S: FragmentSink> Fragment<S> {
    /// Discards the events.
    pub(super) fn reset(&mut self) {
        self.sink.reset();
        // The same arguments may get other slots.
        self.cache = EventCache::default();
    }
}

/// Parser of chunks into fragments of a sink.
pub(super) struct FragmentParser<S> {
    prototype: S,
}

impl<S: FragmentSink> FragmentParser<S> {
    /// Creates a parser whose fragments merge into `sink`.
    pub(super) fn of(sink: &S) -> Self {
        Self { prototype: sink.fragment() }
    }
}

impl<S: FragmentSink> ChunkParser for FragmentParser<S> {
    // Boxed, since fragments move between threads.
    type Fragment = Box<Fragment<S>>;

    fn fragment(&self) -> Option<Self::Fragment> {
        let sink = self.prototype.fragment();
        Some(Box::new(Fragment { sink, cache: EventCache::default(), outcome: None, end: 0 }))
    }

    fn parse(&self, text: ChunkBuffer, start: u64, find_rank: bool, fragment: &mut Self::Fragment) -> ChunkBuffer {
        let mut rank_finder = RankFinder::new(empty());
        if find_rank {
            rank_finder.continue_at(start);
            rank_finder.search(text.text());
        }
        let text = TextBuffer::of_chunk(text, start, rank_finder);
        let Fragment { sink, cache, .. } = &mut **fragment;
        let mut parser = Parser::of_chunk(text, sink, std::mem::take(cache));
        let parsed = parser.run();
        let (outcome, text, cache) = parser.into_parts();
        let _ = fragment.sink.tick(outcome.events);
        (fragment.cache, fragment.end) = (cache, text.offset());
        // Errors are not reported here: the coordinator parses the chunk again, and meets them in order.
        fragment.outcome = parsed.is_ok().then_some(outcome);
        text.into_chunk()
    }

    fn reset(&self, fragment: &mut Self::Fragment) {
        fragment.reset();
    }
}

impl<R: Read + Send, P: ChunkParser> SharedWork for ChunkQueue<'_, R, P> {
    fn help(&self) {
        self.work();
    }
}

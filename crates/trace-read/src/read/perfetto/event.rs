//! An event of a recording, with its arguments.

use super::strings::Symbol;
use super::tracks::Lane;

/// The duration of a slice that has no end.
pub(super) const UNFINISHED: i64 = i64::MIN;

/// Bytes of a block of arguments.
const BLOCK: usize = 1 << 20;

/// What an event is in JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Slice,
    Instant,
    Counter,
}

/// An event. Its time is that of the clock of the trace, in nanoseconds.
#[derive(Debug, Clone, Copy)]
pub(super) struct Event {
    pub(super) ts: i64,
    pub(super) dur: i64,
    pub(super) name: Symbol,
    pub(super) category: Symbol,
    pub(super) lane: Lane,
    pub(super) args: Span,
    pub(super) keys: Keys,
    pub(super) kind: Kind,
}

/// Where the arguments of an event are.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Span {
    block: u32,
    at: u32,
    length: u32,
}

/// The members of the arguments of all events, as JSON text, in blocks that never move.
#[derive(Default)]
pub(super) struct Arguments(Vec<Vec<u8>>);

impl Arguments {
    /// Keeps a text.
    pub(super) fn push(&mut self, text: &[u8]) -> Span {
        if text.is_empty() {
            return Span::default();
        }
        if self.0.last().is_none_or(|block| block.capacity() - block.len() < text.len()) {
            self.0.push(Vec::with_capacity(BLOCK.max(text.len())));
        }
        let block = self.0.len() - 1;
        let into = &mut self.0[block];
        let at = into.len();
        into.extend_from_slice(text);
        Span { block: block as u32, at: at as u32, length: text.len() as u32 }
    }

    /// Returns a text.
    pub(super) fn get(&self, span: Span) -> &[u8] {
        let block = self.0.get(span.block as usize).map_or(&[][..], Vec::as_slice);
        block.get(span.at as usize..(span.at + span.length) as usize).unwrap_or_default()
    }
}

/// Keys that tell of which category an event without one is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Keys(u16);

impl Keys {
    pub(super) const GRID: Self = Self(1);
    pub(super) const BYTES: Self = Self(2);
    pub(super) const SYNC: Self = Self(4);
    pub(super) const CALLBACK: Self = Self(8);
    pub(super) const PYTHON: Self = Self(16);
    pub(super) const OPERATOR: Self = Self(32);
    pub(super) const STREAM: Self = Self(64);
    pub(super) const EXTERNAL: Self = Self(128);

    fn of(key: &str) -> Self {
        match key {
            "grid" | "registers per thread" => Self::GRID,
            "bytes" => Self::BYTES,
            "cuda_sync_kind" => Self::SYNC,
            "cbid" => Self::CALLBACK,
            "Python id" | "Python module id" => Self::PYTHON,
            "Sequence number" | "Fwd thread id" | "Input Dims" | "Input type" | "Concrete Inputs" => Self::OPERATOR,
            "stream" => Self::STREAM,
            "External id" => Self::EXTERNAL,
            _ => Self(0),
        }
    }

    pub(super) fn has(self, key: Self) -> bool {
        self.0 & key.0 != 0
    }

    pub(super) fn add(&mut self, key: &str) {
        self.0 |= Self::of(key).0;
    }
}

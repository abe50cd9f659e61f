//! Sinks: what the parser puts events into.

use super::event::RawEvent;
use serde_json::Value;
use std::ops::ControlFlow;

/// Receiver of the events and metadata of one file, in file order.
pub trait EventSink {
    /// Returns the slot of an argument, or `None` if the argument is not wanted.
    fn slot(&mut self, key: &[u8]) -> Option<u16>;

    /// Returns how many arguments have a slot. Once the number changes, an argument without a slot may have one.
    fn args_known(&self) -> usize {
        0
    }

    /// Begins a `traceEvents` array, which supersedes an earlier one.
    fn restart(&mut self);

    /// Receives one event.
    fn event(&mut self, event: &RawEvent<'_>);

    /// Receives the text of the same event, as it is in the file.
    #[inline]
    fn event_text(&mut self, _index: i64, _text: &[u8]) {}

    /// Receives one top-level value; `Break` stops the parser.
    fn metadata(&mut self, key: &str, value: &Value) -> ControlFlow<()>;

    /// Receives the text of the same value, as it is in the file.
    fn metadata_text(&mut self, _key: &str, _text: &[u8]) {}

    /// Reports progress a few times per MB; `Break` stops the parser.
    fn tick(&mut self, events: u64) -> ControlFlow<()>;
}

/// Sink whose events may be parsed by several threads: each fills a fragment, and fragments merge in file order.
pub trait FragmentSink: EventSink + Send + Sync + Sized {
    /// Returns an empty fragment. It continues the array: [`EventSink::restart`] is not called on it.
    fn fragment(&self) -> Self;

    /// Whether merging `fragment` gives what parsing its events in order would give.
    fn can_merge(&self, fragment: &Self) -> bool;

    /// Appends the events of `fragment`, which follow the `entries` entries of the array parsed so far. The fragment is empty
    /// afterwards, but keeps what it learnt for a later chunk. Requires [`Self::can_merge`].
    fn merge(&mut self, fragment: &mut Self, entries: u64);

    /// Discards all events: the sink is as [`Self::fragment`] made it.
    fn reset(&mut self);

    /// Copies the current schema into an empty fragment, so that its events can merge.
    fn seed(&self, _fragment: &mut Self) {}
}

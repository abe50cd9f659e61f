//! JSON text → raw events: scanner, numbers, texts, event templates, and the parser of a document.

mod array;
mod bits;
pub(super) mod boundary;
pub(super) mod buffer;
mod bytes;
mod document;
mod event;
mod nested;
mod number;
mod parser;
mod quotes;
mod rank;
mod scan;
mod sink;
mod strict;
mod template;
mod text;

#[cfg(any(test, fuzzing))]
pub(super) use document::read_buffered;
pub use document::read_events;
pub(super) use event::EventCache;
pub use event::{RawEvent, each_member, object_members};
pub use number::Token;
pub(super) use parser::{Parser, Progress};
pub(super) use rank::RankFinder;
pub use scan::Raw;
pub use sink::{EventSink, FragmentSink};
pub use strict::check_json;
pub use text::{compact, decode};

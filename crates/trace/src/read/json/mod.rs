//! JSON text → raw events: scanner, numbers, texts, event templates, and the parser of a document.

mod array;
mod bits;
pub(super) mod boundary;
pub(super) mod buffer;
mod bytes;
mod document;
mod event;
mod number;
mod parser;
mod rank;
mod scan;
mod sink;
mod strict;
mod template;
mod text;

#[cfg(any(test, fuzzing))]
pub(super) use document::read_buffered;
pub(crate) use document::read_events;
pub(super) use event::EventCache;
pub(crate) use event::{RawEvent, each_member, object_members};
pub(crate) use number::Token;
pub(super) use parser::{Parser, Progress};
pub(super) use rank::RankFinder;
pub(crate) use scan::Raw;
pub(crate) use sink::{EventSink, FragmentSink};
pub(crate) use strict::check_json;
pub(crate) use text::{compact, decode};

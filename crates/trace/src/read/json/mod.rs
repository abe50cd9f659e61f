//! JSON text → raw events: scanner, numbers, texts, event templates, and the parser of a document.

mod array;
mod bits;
pub(super) mod boundary;
pub(super) mod buffer;
pub(super) mod document;
pub(super) mod event;
mod number;
mod scan;
mod strict;
mod template;
mod text;

pub(super) use array::{Others, Reached};
#[cfg(any(test, fuzzing))]
pub(super) use document::read_by;
pub(crate) use document::{EventSink, Outcome, read_events};
pub(crate) use event::{RawEvent, each_arg, object_members};
pub(crate) use number::Token;
pub(crate) use scan::Raw;
pub(crate) use strict::check_json;
pub(crate) use text::{compact, decode};

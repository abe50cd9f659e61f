//! Path → bytes → raw events. Knows JSON and files, nothing of frames.

mod ahead;
mod bits;
mod chrome;
#[cfg(test)]
mod corpus_tests;
mod entries;
mod event;
mod format;
mod layout;
mod number;
mod odd;
mod open;
#[cfg(any(test, fuzzing))]
pub(crate) mod oracle;
mod parts;
mod pipeline;
#[cfg(test)]
mod property_tests;
mod ranks;
mod recover;
mod scan;
mod stretches;
mod strict;
mod text;
mod unpack;
mod window;

pub(crate) use ahead::read_ahead;
pub(crate) use chrome::{EventSink, Outcome, read_events};
pub(crate) use event::{RawEvent, each_arg, object_members};
pub(crate) use number::Token;
pub(crate) use odd::{Odd, OddCounts};
pub(crate) use open::{Meter, open_bytes, open_file};
#[cfg(test)]
pub(crate) use parts::read_planned;
pub(crate) use parts::{PartSink, read_parts};
#[cfg(test)]
pub(crate) use pipeline::Plan;
#[cfg(test)]
pub(crate) use property_tests::{Writer, mutated};
pub(crate) use ranks::{label_of, trace_files};
pub(crate) use scan::Raw;
#[cfg(test)]
pub(crate) use stretches::Seams;
pub(crate) use strict::check_json;
pub(crate) use text::{compact, decode};

//! Path → bytes → raw events. Knows JSON and files, nothing of frames.

mod ahead;
#[cfg(test)]
mod bits;
mod chrome;
#[cfg(test)]
mod corpus_tests;
mod event;
mod number;
mod odd;
mod open;
#[cfg(any(test, fuzzing))]
pub(crate) mod oracle;
mod ranks;
mod recover;
mod scan;
mod strict;
mod text;
mod window;

pub(crate) use ahead::read_ahead;
pub(crate) use chrome::{EventSink, Outcome, read_events};
pub(crate) use event::{RawEvent, each_arg, object_members};
pub(crate) use number::{as_f64, integer, is_float, nanos};
pub(crate) use odd::{Odd, OddCounts};
pub(crate) use open::{Meter, open_bytes, open_file};
pub(crate) use ranks::{label_of, trace_files};
pub(crate) use scan::Raw;
pub(crate) use strict::check_json;
pub(crate) use text::{compact, decode};

//! Path → bytes → raw events. Knows JSON and files, nothing of frames.

mod anomaly;
mod json;
mod parallel;
mod source;
#[cfg(any(test, fuzzing))]
pub(crate) mod tests;

pub(crate) use anomaly::{Odd, OddCounts};
pub(crate) use json::{
    EventSink, Outcome, Raw, RawEvent, Token, check_json, compact, decode, each_arg, object_members, read_events,
};
pub(crate) use parallel::{PartSink, read_ahead, read_parts};
#[cfg(test)]
pub(crate) use parallel::{Plan, Seams, read_planned};
pub(crate) use source::{Meter, label_of, open_bytes, open_file, trace_files};
#[cfg(test)]
pub(crate) use tests::{Writer, mutated};

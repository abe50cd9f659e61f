//! Path → bytes → raw events. Knows JSON and files, nothing of frames.

mod anomaly;
mod json;
mod outcome;
mod parallel;
mod source;
#[cfg(any(test, fuzzing))]
pub(crate) mod tests;

pub(crate) use anomaly::{Anomaly, AnomalyCounts};
pub(crate) use json::{
    EventSink, FragmentSink, Raw, RawEvent, Token, check_json, compact, decode, each_member, object_members,
    read_events,
};
pub(crate) use outcome::{Fault, Outcome};
#[cfg(test)]
pub(crate) use parallel::{Boundaries, Plan, read_planned};
pub(crate) use parallel::{read_ahead, read_parallel};
pub(crate) use source::{Meter, label_of, open_bytes, open_file, trace_files};
#[cfg(test)]
pub(crate) use tests::{Writer, mutated};

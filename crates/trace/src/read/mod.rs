//! Path or address → bytes → raw events. Knows JSON, Perfetto's protobuf, files and storage, nothing of frames.

mod anomaly;
mod json;
mod outcome;
mod parallel;
mod perfetto;
mod remote;
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
pub(crate) use remote::{Connections, Location};
pub use source::{Input, Inputs, has_wildcard, is_name_match, is_trace_name};
pub(crate) use source::{Meter, label_of, open_bytes, open_file, open_input, trace_files};
#[cfg(test)]
pub(crate) use tests::{Writer, mutated};

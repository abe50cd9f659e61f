//! Path or address → bytes → raw events. Knows JSON, Perfetto's protobuf, files and storage, nothing of frames.

mod anomaly;
mod json;
mod outcome;
mod parallel;
mod perfetto;
mod remote;
mod source;
#[cfg(any(test, fuzzing))]
pub mod tests;

pub use anomaly::{Anomaly, AnomalyCounts};
pub use json::{
    EventSink, FragmentSink, Raw, RawEvent, Token, check_json, compact, decode, each_member, object_members,
    read_events,
};
pub use outcome::{Fault, Outcome};
pub use parallel::{Boundaries, Plan, read_ahead, read_parallel, read_planned};
pub use remote::{Connections, Location};
pub use source::{ANNOTATIONS, Input, Inputs, has_wildcard, is_name_match, is_trace_name};
pub use source::{Meter, label_of, open_bytes, open_file, open_input, read_text, trace_files};

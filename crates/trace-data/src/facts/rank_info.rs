//! Facts of a rank.

use super::SourceFile;
use crate::frame::TrackNames;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Facts of one rank that are known without its events.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RankInfo {
    /// The rank.
    pub rank: i64,
    /// The file from which it was loaded, as given.
    pub file: String,
    /// The same file as it was when it was loaded; `None` if it cannot be read again: bytes, a pipe.
    #[serde(default)]
    pub source: Option<SourceFile>,
    /// Events in the file, including those without a row (instants, flows, metadata, counters).
    pub events_in_file: u64,
    /// Rows of the frame of events.
    pub events: usize,
    /// Start of the first event, in nanoseconds of the trace's clock.
    pub first_ts: i64,
    /// End of the last event, in nanoseconds of the trace's clock.
    pub last_end: i64,
    /// Events that end before they start.
    pub negative_durations: u64,
    /// The streams, ascending.
    pub streams: Vec<i64>,
    /// The iterations, ascending: the numbers of its ProfilerStep events.
    pub iterations: Vec<i64>,
    /// The kind of GPU by HTA's rule: `NVIDIA GPU`, `AMD GPU`, `MTIA`, `UNKNOWN GPU`.
    pub device_type: String,
    /// Names that the profiler gave to processes, devices, threads and streams.
    #[serde(default, skip_serializing_if = "TrackNames::is_empty")]
    pub track_names: TrackNames,
    /// Arguments that events of the file have and that were not read, by the columns that they would become, ascending; `None` if that
    /// is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unread_args: Option<Vec<String>>,
    /// The top-level keys of the file other than `traceEvents`: `distributedInfo`, `deviceProperties`, …
    pub metadata: Map<String, Value>,
}

impl RankInfo {
    /// Returns the time from the start of the first event to the end of the last, in nanoseconds.
    pub fn span(&self) -> i64 {
        self.last_end.saturating_sub(self.first_ts)
    }

    /// Returns the file of the rank; `None` if it is not there any more, or is another one now.
    pub fn unchanged_source(&self) -> Option<&SourceFile> {
        self.source.as_ref().filter(|source| source.difference().is_none())
    }

    /// Tells whether an argument that was not read may be in the file, by the column that it would become.
    #[doc(hidden)]
    pub fn may_have(&self, column: &str) -> bool {
        self.unread_args.as_ref().is_none_or(|unread| unread.iter().any(|name| name == column))
    }

    /// Returns the properties of the devices of its machine, as recorded.
    pub fn device_properties(&self) -> &[Value] {
        self.metadata.get("deviceProperties").and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    /// Returns the kind of GPU; `no GPU activity` where nothing tells one and nothing ran on one: HTA's `UNKNOWN GPU` would mislead there.
    pub fn device(&self) -> &str {
        let is_none = self.streams.is_empty() && self.device_type == "UNKNOWN GPU";
        if is_none { "no GPU activity" } else { &self.device_type }
    }
}

//! A call that would divide a recording into iterations, as messages propose it.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A call that would divide a recording without the profiler's steps into iterations.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProposedMarker {
    /// Its name, with `…` for what differs from call to call.
    pub name: String,
    /// The regular expression that its names match.
    pub pattern: String,
    /// Number of calls.
    pub count: usize,
}

impl fmt::Display for ProposedMarker {
    /// Writes `--marker '^forward$' (10 calls of forward)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "--marker '{}' ({} calls of {})", self.pattern, self.count, self.name)
    }
}

/// Returns proposals as the end of a message; empty without any.
pub fn or_by_markers(markers: &[ProposedMarker]) -> String {
    if markers.is_empty() {
        return String::new();
    }
    let words: Vec<String> = markers.iter().map(ToString::to_string).collect();
    format!("; %explain and %compare_traces divide it by {}", words.join(" or "))
}

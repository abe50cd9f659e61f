//! Results of parsing a file besides events.

use super::AnomalyCounts;
use serde_json::{Map, Value};

/// What the parser found besides events.
#[derive(Debug, Default)]
pub struct Outcome {
    /// The top-level keys other than `traceEvents`; of a repeated key the last value.
    #[doc(hidden)]
    pub metadata: Map<String, Value>,
    /// The first number written as `"rank": N` anywhere in the text.
    #[doc(hidden)]
    pub rank_in_text: Option<i64>,
    /// Entries of `traceEvents`.
    #[doc(hidden)]
    pub events: u64,
    /// Where and why the text ends early.
    #[doc(hidden)]
    pub cut: Option<Fault>,
    /// Events that are not valid JSON: how many, and the first.
    #[doc(hidden)]
    pub skipped: Option<(u64, Fault)>,
    /// Why the file is damaged although its text is complete: a checksum that differs.
    #[doc(hidden)]
    pub damaged: Option<String>,
    /// Anomalies at the top level and in the array; the sink counts those inside events.
    #[doc(hidden)]
    pub anomalies: AnomalyCounts,
    /// The sink stopped the parser.
    #[doc(hidden)]
    pub stopped: bool,
}

impl Outcome {
    /// Appends the outcome of a fragment of the same array.
    pub(super) fn append(&mut self, fragment: Self) {
        self.rank_in_text = self.rank_in_text.or(fragment.rank_in_text);
        self.events += fragment.events;
        self.cut = self.cut.take().or(fragment.cut);
        self.anomalies.add(&fragment.anomalies);
        self.skipped = match (self.skipped.take(), fragment.skipped) {
            (Some((before, first)), Some((count, _))) => Some((before + count, first)),
            (before, after) => before.or(after),
        };
    }
}

/// An offset in the text, and what is wrong there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Offset from the start of the text, in bytes.
    pub offset: u64,
    /// Reason that the message quotes: `expected a value`.
    pub reason: String,
}

//! Anomalies: unusual values, counted by kind so that each repair is visible.

use crate::domain::NUMBER_AS_TEXT;
use crate::domain::Warning;

/// Kinds of anomalies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anomaly {
    /// NaN or Infinity, read as null.
    NotFinite,
    /// A number beyond 64 bits, read as null.
    HugeInteger,
    /// A fraction where a whole number belongs, read as null.
    Fraction,
    /// Text or a list where a number belongs, read as null.
    NotANumber,
    /// A number that is written as a text, read as a number.
    NumberAsText,
    /// A text with invalid UTF-8, its bad bytes replaced by �.
    InvalidUtf8,
    /// A text with an invalid escape, kept as far as readable.
    BadEscape,
    /// An entry of traceEvents that is no event, left out.
    NotAnEvent,
    /// A top-level value that is not valid JSON or too long, left out.
    BadMetadata,
    /// An earlier traceEvents list, replaced by the last one.
    RepeatedEvents,
    /// A file with more than 256 arguments that HTA does not know, the further ones left out.
    TooManyArgs,
    /// A complete event (`"ph": "X"`) without `dur`, left out.
    NoDuration,
    /// A complete event (`"ph": "X"`) without `cat`, left out.
    NoCategory,
    /// A begin or an end (`"ph"` is `B` or `E`) in place of a complete event, left out.
    BeginOrEnd,
}

impl Anomaly {
    /// Each kind, and its text in a warning: what was found, and the repair.
    const ALL: [(Self, &'static str); 14] = [
        (Self::NotFinite, "NaN or Infinity, read as null"),
        (Self::HugeInteger, "a number beyond 64 bits, read as null"),
        (Self::Fraction, "a fraction where a whole number belongs, read as null"),
        (Self::NotANumber, "text or a list where a number belongs, read as null"),
        (Self::NumberAsText, NUMBER_AS_TEXT),
        (Self::InvalidUtf8, "a text with invalid UTF-8, its bad bytes replaced by �"),
        (Self::BadEscape, "a text with an invalid escape, kept as far as readable"),
        (Self::NotAnEvent, "an entry of traceEvents that is no event, left out"),
        (Self::BadMetadata, "a top-level value that is not valid JSON or too long, left out"),
        (Self::RepeatedEvents, "an earlier traceEvents list, replaced by the last one"),
        (Self::TooManyArgs, "a file with more than 256 arguments that HTA does not know, the further ones left out"),
        (Self::NoDuration, "a complete event (\"ph\": \"X\") without `dur`, left out"),
        (Self::NoCategory, "a complete event (\"ph\": \"X\") without `cat`, left out"),
        (Self::BeginOrEnd, "a begin or an end (\"ph\": \"B\" or \"E\") in place of a complete event, left out"),
    ];
}

/// Number of anomalies of each kind.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AnomalyCounts([u64; Anomaly::ALL.len()]);

impl AnomalyCounts {
    /// Counts an anomaly.
    pub fn note(&mut self, anomaly: Anomaly) {
        self.0[anomaly as usize] += 1;
    }

    /// Adds the counts of another part of a text.
    pub fn add(&mut self, other: &Self) {
        for (count, more) in self.0.iter_mut().zip(&other.0) {
            *count += more;
        }
    }

    /// Returns one warning per kind that occurred.
    pub fn warnings(&self, file: &str) -> impl Iterator<Item = Warning> {
        Anomaly::ALL
            .iter()
            .map(|&(anomaly, what)| (self.0[anomaly as usize], what))
            .filter(|(count, _)| *count > 0)
            .map(move |(count, what)| Warning::Anomalies { file: file.to_owned(), what: what.to_owned(), count })
    }
}

//! Values that are not what they should be, counted by kind so that leniency is visible.

use crate::Warning;

/// What can be odd about a value, and what is done about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Odd {
    NotFinite,
    HugeInteger,
    Fraction,
    NotANumber,
    NumberAsText,
    InvalidUtf8,
    BadEscape,
    NotAnEvent,
    BadMetadata,
    RepeatedEvents,
    TooManyArgs,
}

impl Odd {
    const ALL: [(Self, &'static str); 11] = [
        (Self::NotFinite, "NaN or Infinity, read as null"),
        (Self::HugeInteger, "a number beyond 64 bits, read as null"),
        (Self::Fraction, "a fraction where a whole number belongs, read as null"),
        (Self::NotANumber, "text or a list where a number belongs, read as null"),
        (Self::NumberAsText, "a number written as text, read as the number"),
        (Self::InvalidUtf8, "a text with invalid UTF-8, its bad bytes replaced by �"),
        (Self::BadEscape, "a text with an invalid escape, kept as far as readable"),
        (Self::NotAnEvent, "an entry of traceEvents that is no event, left out"),
        (Self::BadMetadata, "a top-level value that is not valid JSON or too long, left out"),
        (Self::RepeatedEvents, "an earlier traceEvents list, replaced by the last one"),
        (Self::TooManyArgs, "a file with more than 256 arguments that HTA does not know, the further ones left out"),
    ];
}

/// How often each kind occurred.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct OddCounts([u64; Odd::ALL.len()]);

impl OddCounts {
    pub(crate) fn note(&mut self, odd: Odd) {
        self.0[odd as usize] += 1;
    }

    pub(crate) fn add(&mut self, other: &Self) {
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            *mine += theirs;
        }
    }

    /// One warning per kind that occurred.
    pub(crate) fn warnings(&self, file: &str) -> impl Iterator<Item = Warning> {
        Odd::ALL
            .iter()
            .map(|&(odd, what)| (self.0[odd as usize], what))
            .filter(|(count, _)| *count > 0)
            .map(move |(count, what)| Warning::OddValues { file: file.to_owned(), what: what.to_owned(), count })
    }
}

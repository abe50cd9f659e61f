//! Damage of compressed data, as an error of reading.

use std::fmt;
use std::io::{Error, ErrorKind};

/// What is wrong with compressed data; the text is the format's name.
#[derive(Debug, Clone)]
pub(in crate::read) enum Damage {
    /// It ends before its last block.
    EndsEarly(&'static str),
    /// A block or a checksum is wrong.
    Corrupt(&'static str, String),
    /// The data is whole, but not that of a trace: what it is instead.
    Foreign(String),
}

impl Damage {
    /// Returns the damage that a decoder reports.
    pub(super) fn corrupt(format: &'static str, error: &Error) -> Self {
        Self::Corrupt(format, error.to_string())
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::EndsEarly(format) => write!(f, "the {format} data ends early"),
            Self::Corrupt(format, reason) => write!(f, "the {format} data is damaged ({reason})"),
            Self::Foreign(reason) => f.write_str(reason),
        }
    }
}

impl std::error::Error for Damage {}

impl From<Damage> for Error {
    fn from(damage: Damage) -> Self {
        let kind = match damage {
            Damage::EndsEarly(_) => ErrorKind::UnexpectedEof,
            Damage::Corrupt(..) | Damage::Foreign(_) => ErrorKind::InvalidData,
        };
        Self::new(kind, damage)
    }
}

//! The errors and warnings of `crates/trace` that the reader names.

use std::fmt;
use std::path::PathBuf;

pub(crate) type Result<T, E = Error> = std::result::Result<T, E>;

#[derive(Debug)]
#[allow(dead_code)]
pub(crate) enum Error {
    NoSuchPath { path: PathBuf, hint: String },
    Io { path: PathBuf, source: std::io::Error },
    NoTraceFiles { path: PathBuf, folders: Vec<String> },
    NotATrace { file: String, reason: String },
    NotStrictJson { file: String, reason: String, place: Option<(usize, usize)>, byte: u64 },
    NoTraceEvents { file: String, keys: Vec<String> },
    NoEvents { file: String, reason: String },
    Interrupted,
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{self:?}")
    }
}

#[derive(Debug)]
#[allow(dead_code)]
pub(crate) enum Warning {
    OddValues { file: String, what: String, count: u64 },
}

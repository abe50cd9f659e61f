//! The errors and warnings of `crates/trace` that the reader names.

#[allow(dead_code, unreachable_pub)]
#[path = "../../../crates/trace/src/error/file.rs"]
mod file;

pub(crate) use file::{NoEventsReason, NotATraceReason, PathHint, StrictJsonReason};
use std::fmt;
use std::path::PathBuf;

pub(crate) type Result<T, E = Error> = std::result::Result<T, E>;

#[derive(Debug)]
#[allow(dead_code)]
pub(crate) enum Error {
    NoSuchPath { path: PathBuf, hint: PathHint },
    NotAFile { path: PathBuf, kind: &'static str, expected: &'static str },
    Io { path: PathBuf, error: std::io::Error },
    NoTraceFiles { path: PathBuf, folders: Vec<String> },
    NotATrace { file: String, reason: NotATraceReason },
    NotStrictJson { file: String, reason: StrictJsonReason, position: Option<(usize, usize)>, byte: u64 },
    NoTraceEvents { file: String, keys: Vec<String> },
    NoEvents { file: String, reason: NoEventsReason },
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
    Anomalies { file: String, what: String, count: u64 },
}

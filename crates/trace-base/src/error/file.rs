//! Reasons for which a file cannot be used as a trace.

use std::fmt;
use std::path::PathBuf;

/// What there is instead of a missing path.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum PathHint {
    /// The path is an address: how to turn it into a local file.
    Address(String),
    /// How far the path exists.
    Nearest {
        /// The working directory, if the path is relative.
        looked_in: Option<PathBuf>,
        /// The deepest folder on the path that exists.
        folder: Option<PathBuf>,
        /// The names in that folder, or in the working directory if there is none.
        holds: Vec<String>,
    },
}

/// Why a file is not a trace.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotATraceReason {
    /// The file is empty.
    Empty,
    /// The file has another known format.
    OtherFormat {
        /// The format: `a zip archive`.
        format: &'static str,
        /// What to do about it.
        fix: String,
    },
    /// The file is neither JSON nor compressed by gzip or zstd.
    NotJson {
        /// Its first characters.
        start: String,
    },
    /// The JSON text ends before its `traceEvents`.
    EndsEarly {
        /// The length of the text.
        byte: u64,
    },
    /// The text stops being JSON before its `traceEvents`.
    Broken {
        /// The offset of the first error.
        byte: u64,
    },
    /// The compressed data cannot be decompressed up to the first event.
    Compressed {
        /// What is wrong with the data.
        damage: String,
        /// Which part of the trace it precedes: `before its traceEvents`.
        position: &'static str,
    },
}

/// Why a trace has no events to analyse.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoEventsReason {
    /// `traceEvents` is null.
    Null,
    /// `traceEvents` is neither a list nor null.
    NotAList,
    /// `traceEvents` is an empty list.
    Empty,
    /// The text ends before the first whole event.
    EndsEarly {
        /// How it ends.
        damage: String,
        /// The offset, in bytes of JSON text.
        byte: u64,
    },
    /// No event has a duration and a category.
    NoneComplete {
        /// Events in the file.
        events: u64,
    },
    /// Events are not valid JSON or too long, and no other one has a duration and a category.
    LeftOut {
        /// Events in the file.
        events: u64,
        /// How many of them were left out.
        skipped: u64,
        /// The problem of the first one that was left out.
        damage: String,
        /// Its offset, in bytes of JSON text.
        byte: u64,
    },
}

/// Why a strict load refuses a file.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum StrictJsonReason {
    /// serde_json's message, without the position.
    Syntax(String),
    /// The compressed data is damaged or incomplete.
    Compressed(String),
}

/// Why the file of a rank cannot be read again.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SourceReason {
    /// It is not where it was when the rank was loaded.
    Gone {
        /// Where it was.
        path: PathBuf,
    },
    /// Its size or time of change is another.
    Changed {
        /// Its path.
        path: PathBuf,
    },
    /// The rank was loaded from bytes or from a pipe.
    NoFile,
}

impl fmt::Display for NotATraceReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("the file is empty"),
            Self::OtherFormat { format, fix } => write!(f, "it is {format}; {fix}"),
            Self::NotJson { start } => {
                write!(f, "neither JSON nor compressed by gzip or zstd, it starts with {start:?}")
            }
            Self::EndsEarly { byte } => write!(f, "the JSON text ends at byte {byte}, before its traceEvents"),
            Self::Broken { byte } => write!(f, "the JSON text is broken at byte {byte}, before its traceEvents"),
            Self::Compressed { damage, position } => write!(f, "{damage}, {position}"),
        }
    }
}

impl fmt::Display for NoEventsReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("its traceEvents is null"),
            Self::NotAList => f.write_str("its traceEvents is not a list"),
            Self::Empty => f.write_str("its traceEvents is empty"),
            Self::EndsEarly { damage, byte } => {
                write!(f, "{damage} at byte {byte} of the JSON text, before the first whole event")
            }
            Self::NoneComplete { events } => write!(f, "none of its {events} events has a duration and a category"),
            Self::LeftOut { events, skipped, damage, byte } => {
                if skipped == events {
                    write!(f, "of its {events} event{} none could be read", if *events == 1 { "" } else { "s" })?;
                } else {
                    write!(
                        f,
                        "{skipped} of its {events} events could not be read, no other has a duration and a category"
                    )?;
                }
                write!(f, "; the first near byte {byte} of the JSON text: {damage}")
            }
        }
    }
}

impl fmt::Display for StrictJsonReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax(reason) | Self::Compressed(reason) => f.write_str(reason),
        }
    }
}

impl fmt::Display for SourceReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Gone { path } => {
                write!(
                    f,
                    "{} does not exist any more; put it back, or load the trace from where it is now",
                    path.display()
                )
            }
            Self::Changed { path } => write!(f, "{} has changed since it was loaded; load it again", path.display()),
            Self::NoFile => {
                f.write_str("it was loaded from bytes or a pipe, which cannot be read again; load it from a file")
            }
        }
    }
}

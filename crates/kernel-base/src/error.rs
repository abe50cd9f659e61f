//! The errors of magics and cells, and their form in Jupyter's messages.

use crate::UsageError;
use std::io::ErrorKind;
use std::path::Path;

/// An error as a Jupyter message: the same three fields in `error` and in the reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The stable name of the kind of error: `UsageError`, `SelectionError`, `TraceError`, `CompileError`, `Panic`, …
    pub ename: String,
    /// The message: one paragraph, and a line for the hint if there is one.
    pub evalue: String,
    /// The lines that the notebook prints; may hold the compiler's ANSI colours.
    pub traceback: Vec<String>,
}

impl Failure {
    /// Creates an error whose traceback is its message. Messages repeat user input and text from traces, so control and
    /// bidirectional characters are replaced.
    pub fn new(ename: impl Into<String>, evalue: impl AsRef<str>) -> Self {
        let (ename, evalue) = (ename.into(), trace_view::terminal_safe(evalue.as_ref()));
        let traceback = format!("{ename}: {evalue}").lines().map(str::to_owned).collect();
        Self { ename, evalue, traceback }
    }

    /// Adds a line with the fix.
    #[must_use]
    pub fn with_hint(mut self, hint: &str) -> Self {
        let hint = trace_view::terminal_safe(hint);
        self.evalue.push_str(&format!("\nhint: {hint}"));
        self.traceback.push(format!("  = hint: {hint}"));
        self
    }

    /// Creates an error with its own traceback, keeping ANSI colours.
    pub fn coloured(ename: &str, evalue: &str, traceback: &[String]) -> Self {
        Self {
            ename: ename.to_owned(),
            evalue: trace_view::terminal_safe(evalue),
            traceback: traceback.iter().map(|line| safe_except_colours(line)).collect(),
        }
    }
}

/// Replaces all control characters but the sequences that set colours, `ESC [ 1;31 m`.
fn safe_except_colours(text: &str) -> String {
    let mut parts = text.split('\u{1b}');
    let mut safe = parts.next().map(trace_view::terminal_safe).unwrap_or_default();
    for part in parts {
        let numbers =
            part.strip_prefix('[').map(|part| part.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';'));
        safe.push(if numbers.is_some_and(|rest| rest.starts_with('m')) { '\u{1b}' } else { '\u{fffd}' });
        safe.push_str(&trace_view::terminal_safe(part));
    }
    safe
}

/// An error of a magic or of a command.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The magic was called wrongly.
    #[error(transparent)]
    Usage(#[from] UsageError),
    /// The trace library returned an error.
    #[error(transparent)]
    Trace(trace_core::Error),
    /// An output file could not be written.
    #[error("cannot write {}: {}", .path.display(), why_not_written(.path, .cause))]
    File {
        /// The file.
        path: std::path::PathBuf,
        /// Why.
        cause: std::io::Error,
    },
    /// `tracebook diff --fail-over`: the device time grew by more than the limit.
    #[error("device time grew by more than {limit} %: {change}")]
    FailOver {
        /// The limit in percent of the control.
        limit: f64,
        /// Both times and the growth, ready to be printed.
        change: String,
    },
    /// `tracebook gate`: a limit is exceeded.
    #[error("{0}")]
    Regression(String),
    /// `tracebook gate`: the recordings cannot tell whether a limit is exceeded.
    #[error("{0}")]
    Inconclusive(String),
    /// The cell was interrupted.
    #[error("interrupted")]
    Interrupted,
    /// The worker process returned an error.
    #[error("{}", .0.evalue)]
    Rust(Failure),
}

/// The reason why a file could not be written, and the fix if it is known.
fn why_not_written(path: &Path, cause: &std::io::Error) -> String {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    match (cause.kind(), folder) {
        (ErrorKind::NotFound, Some(folder)) if !folder.exists() => {
            format!("the folder {} does not exist; create it, or choose another", folder.display())
        }
        (ErrorKind::IsADirectory, _) => String::from("it is a folder; name a file in it"),
        (ErrorKind::PermissionDenied, _) => format!("{cause}; choose a file that you may write"),
        (ErrorKind::StorageFull, _) => String::from("the disk is full; free some space, or choose another disk"),
        _ => cause.to_string(),
    }
}

/// Whether a line selects what its traces do not have: a rank, an iteration, a stream, a region.
fn selects_nothing(error: &trace_core::Error) -> bool {
    matches!(
        error,
        trace_core::Error::NoSuchRanks { .. }
            | trace_core::Error::UnknownRank { .. }
            | trace_core::Error::UnknownStream { .. }
            | trace_core::Error::NoRankSelected { .. }
            | trace_core::Error::UnknownIteration { .. }
            | trace_core::Error::NoIterations { .. }
            | trace_core::Error::NoIterationSelected { .. }
            | trace_core::Error::NoIterationLeft { .. }
            | trace_core::Error::NoMarker { .. }
            | trace_core::Error::UnknownRegion { .. }
            | trace_core::Error::Explain(
                trace_core::error::ExplainReason::NothingChosen { .. }
                    | trace_core::error::ExplainReason::UnknownPhase { .. }
            )
    )
}

impl Error {
    /// Returns the stable name that clients may match on.
    pub fn ename(&self) -> &str {
        match self {
            Error::Usage(_) => "UsageError",
            Error::Trace(trace_core::Error::Sql(_)) => "SqlError",
            Error::Trace(error) if selects_nothing(error) => "SelectionError",
            Error::Trace(_) => "TraceError",
            Error::File { .. } => "FileError",
            Error::FailOver { .. } => "FailOver",
            Error::Regression(_) => "Regression",
            Error::Inconclusive(_) => "Inconclusive",
            Error::Interrupted => "KeyboardInterrupt",
            Error::Rust(failure) => &failure.ename,
        }
    }
}

impl From<trace_core::Error> for Error {
    fn from(error: trace_core::Error) -> Self {
        match error {
            trace_core::Error::Interrupted => Error::Interrupted,
            error => Error::Trace(error),
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        match error {
            Error::Rust(failure) => failure,
            error => Failure::new(error.ename(), error.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_in_messages_are_replaced() {
        let failure = Failure::new("UsageError", "no \u{1b}[2J \u{202e}txt.exe\nhere");
        assert_eq!(failure.evalue, "no \u{fffd}[2J \u{fffd}txt.exe\nhere");
        assert_eq!(failure.traceback, ["UsageError: no \u{fffd}[2J \u{fffd}txt.exe", "here"]);
        let line = "\u{1b}[1;31merror\u{1b}[0m: \u{1b}[2J\u{1b}]0;x\u{7}\u{1b}".to_owned();
        let coloured = Failure::coloured("CompileError", "\u{9b}2J", &[line]);
        assert_eq!(coloured.traceback, ["\u{1b}[1;31merror\u{1b}[0m: \u{fffd}[2J\u{fffd}]0;x\u{fffd}\u{fffd}"]);
        assert_eq!(coloured.evalue, "\u{fffd}2J");
    }
}

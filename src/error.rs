//! What a person at the notebook can meet.

use std::io::ErrorKind;
use std::path::Path;

/// An error as Jupyter carries it: one `error` message, the same three fields in the reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The stable name of the kind of error: `UsageError`, `TraceError`, `CompileError`, `Panic`, …
    pub ename: String,
    /// The message, one paragraph, and a line with a hint where there is one.
    pub evalue: String,
    /// What the notebook prints, line by line; may carry ANSI colours of the compiler.
    pub traceback: Vec<String>,
}

impl Failure {
    /// An error whose traceback is its message. Messages repeat what a person typed and what a trace holds, so characters
    /// that steer a terminal or turn the direction of writing around are replaced.
    pub fn new(ename: impl Into<String>, evalue: impl AsRef<str>) -> Self {
        let (ename, evalue) = (ename.into(), trace_view::terminal_safe(evalue.as_ref()));
        let traceback = format!("{ename}: {evalue}").lines().map(str::to_owned).collect();
        Self { ename, evalue, traceback }
    }

    /// The error with a line that says how it is mended.
    #[must_use]
    pub fn with_hint(mut self, hint: &str) -> Self {
        let hint = trace_view::terminal_safe(hint);
        self.evalue.push_str(&format!("\nhint: {hint}"));
        self.traceback.push(format!("  = hint: {hint}"));
        self
    }

    /// An error with a traceback of its own, whose colours stay.
    pub fn coloured(ename: &str, evalue: &str, traceback: &[String]) -> Self {
        Self {
            ename: ename.to_owned(),
            evalue: trace_view::terminal_safe(evalue),
            traceback: traceback.iter().map(|line| safe_but_for_colours(line)).collect(),
        }
    }
}

/// `text` with the sequences that set colours, `ESC [ 1;31 m`, and no other character that steers a terminal.
fn safe_but_for_colours(text: &str) -> String {
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

/// What can go wrong in a magic.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The line was not written as the magic's usage says.
    #[error("{0}")]
    Usage(String),
    /// The trace library refused, with its reason.
    #[error(transparent)]
    Trace(trace::Error),
    /// A file that the user named could not be written or read.
    #[error("{}", about_file(path, source))]
    File {
        /// The file.
        path: std::path::PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// `tracebook diff --fail-over`: the device time grew by more than was allowed.
    #[error("{0}")]
    FailOver(String),
    /// The user pressed the interrupt button.
    #[error("interrupted")]
    Interrupted,
    /// The Rust side answered with an error of its own.
    #[error("{}", .0.evalue)]
    Rust(Failure),
}

/// Why a file could not be written, and what to do where that is known.
fn about_file(path: &Path, source: &std::io::Error) -> String {
    let file = path.display();
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    match (source.kind(), folder) {
        (ErrorKind::NotFound, Some(folder)) if !folder.exists() => {
            format!("{file}: the folder {} does not exist; make it first, or name another", folder.display())
        }
        (ErrorKind::IsADirectory, _) => format!("{file} is a folder; name a file in it"),
        (ErrorKind::PermissionDenied, _) => format!("{file}: {source}; name a file that you may write"),
        (ErrorKind::StorageFull, _) => {
            format!("{file}: no space is left on the disk; free some, or name a file on another")
        }
        _ => format!("{file}: {source}"),
    }
}

impl Error {
    /// The stable name that clients may match on.
    pub fn ename(&self) -> &str {
        match self {
            Error::Usage(_) => "UsageError",
            Error::Trace(_) => "TraceError",
            Error::File { .. } => "FileError",
            Error::FailOver(_) => "FailOver",
            Error::Interrupted => "KeyboardInterrupt",
            Error::Rust(failure) => &failure.ename,
        }
    }
}

impl From<trace::Error> for Error {
    fn from(error: trace::Error) -> Self {
        match error {
            trace::Error::Interrupted => Error::Interrupted,
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
    fn what_a_message_repeats_cannot_steer_a_terminal() {
        let failure = Failure::new("UsageError", "no \u{1b}[2J \u{202e}txt.exe\nhere");
        assert_eq!(failure.evalue, "no \u{fffd}[2J \u{fffd}txt.exe\nhere");
        assert_eq!(failure.traceback, ["UsageError: no \u{fffd}[2J \u{fffd}txt.exe", "here"]);
        let line = "\u{1b}[1;31merror\u{1b}[0m: \u{1b}[2J\u{1b}]0;x\u{7}\u{1b}".to_owned();
        let coloured = Failure::coloured("CompileError", "\u{9b}2J", &[line]);
        assert_eq!(coloured.traceback, ["\u{1b}[1;31merror\u{1b}[0m: \u{fffd}[2J\u{fffd}]0;x\u{fffd}\u{fffd}"]);
        assert_eq!(coloured.evalue, "\u{fffd}2J");
    }
}

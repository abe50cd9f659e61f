//! What a person at the notebook can meet.

/// An error as Jupyter carries it: one `error` message, the same three fields in the reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The stable name of the kind of error: `UsageError`, `TraceError`, `CompileError`, `Panic`, …
    pub ename: String,
    /// The message, one paragraph.
    pub evalue: String,
    /// What the notebook prints, line by line; may carry ANSI colours of the compiler.
    pub traceback: Vec<String>,
}

impl Failure {
    /// An error whose traceback is its message.
    pub fn new(ename: impl Into<String>, evalue: impl Into<String>) -> Self {
        let (ename, evalue) = (ename.into(), evalue.into());
        let traceback = format!("{ename}: {evalue}").lines().map(str::to_owned).collect();
        Self { ename, evalue, traceback }
    }
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
    #[error("{path}: {source}")]
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

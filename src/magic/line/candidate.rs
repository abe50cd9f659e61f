//! Candidates of a completion.

/// One candidate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// The text.
    pub text: String,
    /// Its kind.
    pub kind: CandidateKind,
}

/// The kind of a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CandidateKind {
    /// The name of a magic.
    Magic,
    /// A flag.
    Flag,
    /// The label of a loaded trace.
    Trace,
    /// A file or folder.
    Path,
    /// A Rust variable.
    Variable,
    /// A value of an argument: a choice, a column.
    Value,
    /// A table of SQL.
    Table,
    /// A function of SQL.
    Function,
    /// A keyword of SQL.
    Keyword,
}

impl CandidateKind {
    /// Returns the word for Jupyter's `_jupyter_types_experimental`.
    pub fn as_str(self) -> &'static str {
        match self {
            CandidateKind::Magic => "magic",
            CandidateKind::Flag => "flag",
            CandidateKind::Trace => "trace",
            CandidateKind::Path => "path",
            CandidateKind::Variable => "variable",
            CandidateKind::Value => "value",
            CandidateKind::Table => "table",
            CandidateKind::Function => "function",
            CandidateKind::Keyword => "keyword",
        }
    }
}

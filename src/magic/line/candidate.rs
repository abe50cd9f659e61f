//! Candidates of completion.

/// One thing that could stand at the cursor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// The text.
    pub text: String,
    /// What it is.
    pub kind: CandidateKind,
}

/// What a candidate is.
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
    /// A word that an argument takes: a choice, a column.
    Value,
}

impl CandidateKind {
    /// The word that Jupyter's `_jupyter_types_experimental` carries.
    pub fn as_str(self) -> &'static str {
        match self {
            CandidateKind::Magic => "magic",
            CandidateKind::Flag => "flag",
            CandidateKind::Trace => "trace",
            CandidateKind::Path => "path",
            CandidateKind::Variable => "variable",
            CandidateKind::Value => "value",
        }
    }
}

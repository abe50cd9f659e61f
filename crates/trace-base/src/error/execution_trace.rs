//! Why a file is no execution trace.

use std::fmt;

/// Why a file is no execution trace that can be read.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ExecutionTraceReason {
    /// It is not the JSON of one; the parser's words.
    Malformed(String),
    /// Its schema is unknown.
    Schema {
        /// The schema that it names.
        found: String,
        /// Begin of those that are known.
        known: String,
    },
}

impl fmt::Display for ExecutionTraceReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed(words) => {
                write!(f, "expected an object with schema and nodes, as ExecutionTraceObserver writes it ({words})")
            }
            Self::Schema { found, known } => write!(f, "its schema is {found:?}; expected one of {known}"),
        }
    }
}

//! Why a statement of SQL is refused.

use std::fmt::{Display, Formatter};

/// A statement of SQL that cannot run: why, where, and what to write instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SqlError {
    /// What is wrong, in one sentence.
    pub message: String,
    /// What to write instead; empty if the message says it.
    pub rewrite: String,
    /// Line and column of the statement, both from 1, if the place is known.
    pub place: Option<(usize, usize)>,
    /// The line with a caret below the place, ready to be printed; empty if the place is not known.
    pub marked: String,
}

impl Display for SqlError {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)?;
        if !self.rewrite.is_empty() {
            write!(f, "; {}", self.rewrite)?;
        }
        if self.marked.is_empty() { Ok(()) } else { write!(f, "\n{}", self.marked) }
    }
}

impl std::error::Error for SqlError {}

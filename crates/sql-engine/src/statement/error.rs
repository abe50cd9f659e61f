//! Reasons for which a statement of SQL is refused.

use super::position::{line_and_column, marked};
use super::token::tokens;
use std::fmt::{Display, Formatter};
use std::ops::Range;

/// A statement of SQL that cannot run: why, where, and what to write instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatementError {
    /// What is wrong, in one sentence.
    pub message: String,
    /// What to write instead; empty if the message says it.
    pub rewrite: String,
    /// Line and column of the statement, both from 1, if the place is known.
    pub position: Option<(usize, usize)>,
    /// The line with a caret below the place, ready to be printed; empty if the place is not known.
    pub marked: String,
}

impl StatementError {
    /// Creates an error without a place.
    pub fn new(message: impl Into<String>, rewrite: impl Into<String>) -> Self {
        Self { message: message.into(), rewrite: rewrite.into(), position: None, marked: String::new() }
    }

    /// Returns the error with a caret below these bytes of the statement.
    #[must_use]
    pub fn at(self, statement: &str, bytes: Range<usize>) -> Self {
        let position = Some(line_and_column(statement, bytes.start));
        Self { position, marked: marked(statement, bytes.start, bytes.len()), ..self }
    }

    /// Returns the error with a caret below the first word of the statement that is this name; unchanged if there is none.
    #[must_use]
    pub fn at_name(self, statement: &str, name: &str) -> Self {
        match tokens(statement).into_iter().find(|token| token.is_name(name)) {
            Some(token) => self.at(statement, token.range),
            None => self,
        }
    }
}

impl Display for StatementError {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)?;
        if !self.rewrite.is_empty() {
            write!(f, "; {}", self.rewrite)?;
        }
        if self.marked.is_empty() { Ok(()) } else { write!(f, "\n{}", self.marked) }
    }
}

impl std::error::Error for StatementError {}

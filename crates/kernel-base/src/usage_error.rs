//! The error of a magic or command that was called wrongly.

use std::fmt::{Display, Formatter};

/// A wrong call: which magic, what is wrong, and the fix.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsageError {
    /// `%name` or `tracebook diff`; empty if the line names no known magic.
    pub magic: String,
    /// What is wrong.
    pub problem: Problem,
    /// The fix, without a full stop; empty if the problem says it.
    pub hint: String,
}

/// What is wrong with a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Problem {
    /// `invalid --top `many`: expected a whole number`
    Invalid {
        /// The flag or argument.
        what: String,
        /// What was typed.
        value: String,
        /// What is accepted.
        expected: String,
    },
    /// `invalid --where: REASON`, where the reason quotes the value.
    Rejected {
        /// The flag or argument.
        what: String,
        /// Why.
        reason: String,
    },
    /// `unknown trace `contrl`: expected control or test`
    Unknown {
        /// The kind of thing: trace, flag, column.
        what: &'static str,
        /// What was typed.
        name: String,
        /// The names that exist; empty if they are too many to list.
        expected: String,
    },
    /// `missing TEST`
    Missing {
        /// The arguments, or the value of a flag.
        what: String,
    },
    /// `unexpected argument `x``
    Unexpected {
        /// What was typed.
        value: String,
    },
    /// `repeated --top: expected it once`
    Repeated {
        /// The flag.
        what: String,
    },
    /// `cannot bind x: %trace_list has no result`
    Cannot {
        /// What cannot be done.
        what: String,
        /// Why.
        reason: String,
    },
}

impl UsageError {
    /// An error of `magic` without a hint.
    pub fn new(magic: impl Into<String>, problem: Problem) -> Self {
        Self { magic: magic.into(), problem, hint: String::new() }
    }

    /// The error with a hint; an empty one changes nothing.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = hint.into();
        self
    }
}

impl Display for UsageError {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        if !self.magic.is_empty() {
            write!(f, "{}: ", self.magic)?;
        }
        write!(f, "{}", self.problem)?;
        if self.hint.is_empty() { Ok(()) } else { write!(f, "; {}", self.hint) }
    }
}

impl Display for Problem {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Invalid { what, value, expected } => write!(f, "invalid {what} `{value}`: expected {expected}"),
            Self::Rejected { what, reason } => write!(f, "invalid {what}: {reason}"),
            Self::Unknown { what, name, expected } if expected.is_empty() => write!(f, "unknown {what} `{name}`"),
            Self::Unknown { what, name, expected } => write!(f, "unknown {what} `{name}`: expected {expected}"),
            Self::Missing { what } => write!(f, "missing {what}"),
            Self::Unexpected { value } => write!(f, "unexpected argument `{value}`"),
            Self::Repeated { what } => write!(f, "repeated {what}: expected it once"),
            Self::Cannot { what, reason } => write!(f, "cannot {what}: {reason}"),
        }
    }
}

impl std::error::Error for UsageError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn message_names_magic_problem_and_hint() {
        let missing = Problem::Missing { what: "TEST".to_owned() };
        let error = UsageError::new("%compare_traces", missing.clone()).hint("usage: %compare_traces CONTROL TEST");
        assert_eq!(error.to_string(), "%compare_traces: missing TEST; usage: %compare_traces CONTROL TEST");
        assert_eq!(UsageError::new("", missing).to_string(), "missing TEST");
        let unknown = Problem::Unknown { what: "trace", name: "contrl".to_owned(), expected: "control".to_owned() };
        assert_eq!(unknown.to_string(), "unknown trace `contrl`: expected control");
    }
}

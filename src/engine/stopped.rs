//! Why code did not run to its end.

use crate::Failure;
use ::evcxr::CompilationError;

/// Why code did not run to its end.
pub(super) enum Stopped {
    /// It does not compile.
    Rejected(Vec<CompilationError>),
    /// evcxr cannot keep this variable; nothing has run.
    Unkept(String),
    /// Anything else.
    Failed(Failure),
}

impl Stopped {
    /// Reads a message of evcxr's own.
    pub(super) fn of_message(message: String) -> Self {
        let name = message.split('`').nth(1).filter(|_| message.contains("ariable `"));
        match name {
            Some(name) => Self::Unkept(name.to_owned()),
            None => Self::Failed(Failure::new("Error", message)),
        }
    }
}

impl From<Failure> for Stopped {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

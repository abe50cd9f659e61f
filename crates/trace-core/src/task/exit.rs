//! Exit codes of a task: whether it is worth trying again.

use crate::Error;
use crate::error::{DistributedReason, StorageError};
use std::io::ErrorKind;

/// This input cannot be done.
pub const EXIT_INPUT: u8 = 1;
/// The plan or the build is wrong: no other rank would fare better.
pub const EXIT_PLAN: u8 = 2;
/// The storage said "later": the same task may succeed, perhaps on another node.
pub const EXIT_LATER: u8 = 75;

/// Returns the exit code of a task that ended with this error.
pub fn exit_code(error: &Error) -> u8 {
    match error {
        Error::Distributed(
            DistributedReason::OtherBuild { .. } | DistributedReason::Plan { .. } | DistributedReason::TooLarge { .. },
        )
        | Error::WrongState { .. }
        | Error::WrongParameter { .. }
        | Error::WrongFilter { .. }
        | Error::BadWhere { .. }
        | Error::MemorySetting { .. } => EXIT_PLAN,
        Error::Storage(StorageError::WrongAddress { .. }) => EXIT_PLAN,
        Error::Io { error, .. } if is_transient(error) => EXIT_LATER,
        error if error.is_transient() => EXIT_LATER,
        _ => EXIT_INPUT,
    }
}

/// Whether the storage may answer later.
fn is_transient(error: &std::io::Error) -> bool {
    let kinds = [
        ErrorKind::TimedOut,
        ErrorKind::Interrupted,
        ErrorKind::StaleNetworkFileHandle,
        ErrorKind::NetworkDown,
        ErrorKind::HostUnreachable,
        ErrorKind::NetworkUnreachable,
        ErrorKind::ConnectionReset,
        ErrorKind::ConnectionAborted,
        ErrorKind::ResourceBusy,
    ];
    kinds.contains(&error.kind())
}

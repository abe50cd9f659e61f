//! How whoever runs the library ends its long calls.

use crate::{Error, Result};
use std::sync::OnceLock;

static ASKED: OnceLock<fn() -> bool> = OnceLock::new();

/// Sets what long calls (loading, a question of many ranks) ask from time to time: once it answers `true` they end with
/// [`Error::Interrupted`]. It must be quick, and may be asked from any thread. The first call counts.
pub fn set_checkpoint(interrupted: fn() -> bool) {
    let _ = ASKED.set(interrupted);
}

/// Whether a long call is to end.
pub(crate) fn interrupted() -> bool {
    ASKED.get().is_some_and(|asked| asked())
}

/// Ends a long call that is to end.
pub(crate) fn check() -> Result<()> {
    if interrupted() { Err(Error::Interrupted) } else { Ok(()) }
}

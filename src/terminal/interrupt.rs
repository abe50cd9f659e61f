//! Ctrl-C in a command that has to end something before it ends itself: an export its folder, an engine its job.

use crate::Error;
use signal_hook::consts::SIGINT;
use signal_hook::flag::{register, register_conditional_shutdown};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Returns a flag that Ctrl-C sets. A second Ctrl-C ends the program at once.
///
/// # Errors
/// If the system refuses a handler.
pub(super) fn interrupt_flag() -> Result<Arc<AtomicBool>, Error> {
    let flag = Arc::new(AtomicBool::new(false));
    let failed = |cause| Error::File { path: "the interrupt handler".into(), cause };
    register_conditional_shutdown(SIGINT, 130, Arc::clone(&flag)).map_err(failed)?;
    register(SIGINT, Arc::clone(&flag)).map_err(failed)?;
    Ok(flag)
}

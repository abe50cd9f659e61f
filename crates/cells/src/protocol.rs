//! The pipe to evcxr: one line per message.

use std::fs::File;
use std::io::Write;
use std::sync::{Mutex, OnceLock, PoisonError};

/// Tells evcxr that a variable has another type than when it was stored; the name follows.
pub const VARIABLE_CHANGED_TYPE: &str = "EVCXR_VARIABLE_CHANGED_TYPE:";

/// Tells evcxr that a `?` met an error.
pub const USER_ERROR_OCCURRED: &str = "EVCXR_ERROR_OCCURRED";

static PIPE: OnceLock<Mutex<File>> = OnceLock::new();

/// Sets the pipe. No print of a cell reaches it.
pub(crate) fn set_pipe(file: File) {
    let _ = PIPE.set(Mutex::new(file));
}

/// Writes one line to evcxr. A failure is ignored: evcxr notices when the process is gone.
pub(crate) fn send_line(line: &str) {
    if let Some(file) = PIPE.get() {
        let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = file.write_all(format!("{line}\n").as_bytes());
    }
}

//! What the code around a cell calls; not for people.

use crate::channel::send;
use std::fmt::Display;
use std::fs::File;
use std::io::Write;
use std::sync::{Mutex, OnceLock};
use trace_view::envelope::Envelope;

static PROTOCOL: OnceLock<Mutex<File>> = OnceLock::new();

/// Keeps the pipe to evcxr, which no print of the cell can reach.
pub(crate) fn keep_protocol(file: File) {
    let _ = PROTOCOL.set(Mutex::new(file));
}

/// Says one line to evcxr. What cannot be said is lost: evcxr then notices that the process is gone.
pub fn protocol(line: &str) {
    if let Some(file) = PROTOCOL.get() {
        let mut file = file.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let _ = file.write_all(format!("{line}\n").as_bytes());
    }
}

/// A `?` in the cell met an error: the cell ends with it.
pub fn question_mark<E: Display + ?Sized>(error: &E) {
    send(&Envelope::Failure { message: error.to_string() });
}

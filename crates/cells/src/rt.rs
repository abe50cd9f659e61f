//! What the code around a cell calls; not for people.

use crate::channel::send;
use std::fmt::Display;
use std::fs::File;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
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

static INTERRUPTED: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// The signal of the interrupt button sets a flag from now on, instead of ending the process.
pub(crate) fn watch_for_interrupts() -> std::io::Result<()> {
    let flag = Arc::clone(INTERRUPTED.get_or_init(Arc::default));
    signal_hook::flag::register(signal_hook::consts::SIGINT, flag).map(drop)
}

/// A new cell starts: an interrupt that came before is not meant for it.
pub(crate) fn forget_interrupt() {
    if let Some(flag) = INTERRUPTED.get() {
        flag.store(false, Ordering::Relaxed);
    }
}

/// Stands at the head of every loop body of a cell. After an interrupt it unwinds, past the panic hook, to where evcxr
/// catches panics: variables that the cell had not moved survive.
#[inline]
pub fn checkpoint() {
    if INTERRUPTED.get().is_some_and(|flag| flag.load(Ordering::Relaxed)) {
        std::panic::resume_unwind(Box::new("interrupted"));
    }
}

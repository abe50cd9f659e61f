//! What the code around a cell calls; not for people.

use crate::channel::send;
use crate::rich::Shown;
use crate::show::show_all;
use crate::store::USER_ERROR_OCCURRED;
use std::fs::File;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::Duration;
use tokio::runtime::Runtime;
use trace_view::Bundle;
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

/// A panic ended the cell.
pub fn panicked() {
    send(&Envelope::Panicked);
    protocol("EVCXR_PANIC_NOTIFICATION");
}

/// What `display!` does.
pub fn display(shown: Shown) {
    show_all(shown);
}

/// What `display_id!` does: the first bundle stands under the id.
pub fn display_id(id: &str, shown: Shown) {
    named(shown, |bundle| Envelope::Display { bundle, id: Some(id.to_owned()) });
}

/// What `update_display!` does.
pub fn update_display(id: &str, shown: Shown) {
    named(shown, |bundle| Envelope::Update { bundle, id: id.to_owned() });
}

fn named(shown: Shown, envelope: impl FnOnce(Bundle) -> Envelope) {
    match shown.map(|bundles| bundles.into_iter().next()) {
        Ok(Some(bundle)) => send(&envelope(bundle)),
        Ok(None) => {}
        Err(message) => send(&Envelope::Failure { message }),
    }
}

/// A `?` in the cell met an error: the cell ends with it.
fn question_mark(message: String) {
    send(&Envelope::Failure { message });
    protocol(USER_ERROR_OCCURRED);
}

macro_rules! errors {
    ($($(#[$doc:meta])* $name:ident: $bound:path, $format:literal;)*) => {$(
        $(#[$doc])*
        pub struct $name;

        impl<T: $bound> From<T> for $name {
            fn from(error: T) -> Self {
                question_mark(format!($format, error));
                Self
            }
        }
    )*};
}

errors! {
    /// What `?` makes of an error in a cell.
    Plain: std::fmt::Display, "{}";
    /// What `?` makes of an error in a cell after `:efmt {:?}`.
    Debugged: std::fmt::Debug, "{:?}";
    /// What `?` makes of an error in a cell after `:efmt {:#?}`.
    Spread: std::fmt::Debug, "{:#?}";
}

/// Whether the interrupt button was pressed since the cell started.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// The signal of the interrupt button sets a flag from now on, instead of ending the process.
pub(crate) fn watch_for_interrupts() -> std::io::Result<()> {
    let mut signals = signal_hook::iterator::Signals::new([signal_hook::consts::SIGINT])?;
    let watch = move || signals.forever().for_each(|_| INTERRUPTED.store(true, Ordering::Relaxed));
    std::thread::Builder::new().name("interrupts".to_owned()).spawn(watch).map(drop)
}

/// A new cell starts: an interrupt that came before is not meant for it.
pub(crate) fn forget_interrupt() {
    INTERRUPTED.store(false, Ordering::Relaxed);
}

/// Whether the interrupt button was pressed since the cell started.
pub(crate) fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// Stands at the head of every loop body of a cell. After an interrupt it unwinds, past the panic hook, to where evcxr
/// catches panics: variables that the cell had not moved survive.
///
/// One load, also in a cell that is not optimised.
#[inline(always)]
pub fn checkpoint() {
    if INTERRUPTED.load(Ordering::Relaxed) {
        unwind();
    }
}

#[cold]
#[inline(never)]
fn unwind() {
    std::panic::resume_unwind(Box::new("interrupted"));
}

/// How often a cell that waits looks whether it is to end.
const PATIENCE: Duration = Duration::from_millis(50);

/// Runs a cell with `.await` in it.
pub trait BlockOn {
    /// `block_on`, with checkpoints while the cell waits.
    fn block_on_cell<F: Future>(&self, cell: F) -> F::Output;
}

impl BlockOn for Runtime {
    fn block_on_cell<F: Future>(&self, cell: F) -> F::Output {
        self.block_on(async move {
            let mut cell = std::pin::pin!(cell);
            loop {
                match tokio::time::timeout(PATIENCE, &mut cell).await {
                    Ok(output) => return output,
                    Err(_) => checkpoint(),
                }
            }
        })
    }
}

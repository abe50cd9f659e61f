//! The runtime that the code around a cell calls; not part of the interface of cells.

use crate::channel::send;
use crate::protocol::{USER_ERROR_OCCURRED, send_line};
use crate::rich::Shown;
use crate::show::show_all;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::runtime::Runtime;
use trace_view::Bundle;
use trace_view::envelope::Envelope;

/// Reports that a panic ended the cell.
pub fn panicked() {
    send(&Envelope::Panicked);
    send_line("EVCXR_PANIC_NOTIFICATION");
}

/// Shows the bundles of `display!`.
pub fn display(shown: Shown) {
    show_all(shown);
}

/// Shows the first bundle of `display_id!` under its id.
pub fn display_id(id: &str, shown: Shown) {
    send_first(shown, |bundle| Envelope::Display { bundle, id: Some(id.to_owned()) });
}

/// Replaces what `display_id!` showed by the first bundle of `update_display!`.
pub fn update_display(id: &str, shown: Shown) {
    send_first(shown, |bundle| Envelope::Update { bundle, id: id.to_owned() });
}

fn send_first(shown: Shown, envelope: impl FnOnce(Bundle) -> Envelope) {
    match shown.map(|bundles| bundles.into_iter().next()) {
        Ok(Some(bundle)) => send(&envelope(bundle)),
        Ok(None) => {}
        Err(message) => send(&Envelope::Failure { message }),
    }
}

/// Ends the cell with the error that a `?` met.
fn fail(message: String) {
    send(&Envelope::Failure { message });
    send_line(USER_ERROR_OCCURRED);
}

macro_rules! errors {
    ($($(#[$doc:meta])* $name:ident: $bound:path, $format:literal;)*) => {$(
        $(#[$doc])*
        pub struct $name;

        impl<T: $bound> From<T> for $name {
            fn from(error: T) -> Self {
                fail(format!($format, error));
                Self
            }
        }
    )*};
}

errors! {
    /// The error type of `?` in a cell: `Display` text.
    DisplayError: std::fmt::Display, "{}";
    /// The error type of `?` in a cell after `:efmt {:?}`.
    DebugError: std::fmt::Debug, "{:?}";
    /// The error type of `?` in a cell after `:efmt {:#?}`.
    PrettyDebugError: std::fmt::Debug, "{:#?}";
}

/// Whether an interrupt request came since the cell started.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Makes SIGINT set a flag instead of ending the process.
pub(crate) fn watch_for_interrupts() -> std::io::Result<()> {
    let mut signals = signal_hook::iterator::Signals::new([signal_hook::consts::SIGINT])?;
    let watch = move || signals.forever().for_each(|_| INTERRUPTED.store(true, Ordering::Relaxed));
    std::thread::Builder::new().name("interrupts".to_owned()).spawn(watch).map(drop)
}

/// Clears the flag as a cell starts: an earlier interrupt request does not concern it.
pub(crate) fn clear_interrupt() {
    INTERRUPTED.store(false, Ordering::Relaxed);
}

/// Tells whether an interrupt request came since the cell started.
pub(crate) fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// Ends an interrupted cell. The kernel inserts the call at the start of every loop body. It unwinds, past the panic hook, to
/// where evcxr catches panics, so that variables that the cell had not moved survive.
///
/// Inlined even into a cell that is not optimised: it costs one load.
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

/// The time between two checkpoints of a cell at `.await`.
const CHECKPOINT_INTERVAL: Duration = Duration::from_millis(50);

/// Runs a cell that uses `.await`.
pub trait BlockOn {
    /// Runs the cell as `block_on` does, with checkpoints while it waits.
    fn block_on_cell<F: Future>(&self, cell: F) -> F::Output;
}

impl BlockOn for Runtime {
    fn block_on_cell<F: Future>(&self, cell: F) -> F::Output {
        self.block_on(async move {
            let mut cell = std::pin::pin!(cell);
            loop {
                match tokio::time::timeout(CHECKPOINT_INTERVAL, &mut cell).await {
                    Ok(output) => return output,
                    Err(_) => checkpoint(),
                }
            }
        })
    }
}

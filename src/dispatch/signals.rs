//! Signals of the system: SIGINT interrupts the cell, SIGTERM and SIGHUP end the kernel, SIGXFSZ becomes an I/O error.

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::iterator::Signals;

/// A signal, by its effect.
pub(super) enum Signal {
    /// SIGINT, as from Ctrl-C in a terminal.
    Interrupt,
    /// SIGTERM, or SIGHUP from a terminal that closes.
    Terminate,
}

/// Calls `on_signal` for each signal until the process ends.
///
/// # Errors
/// If the handlers cannot be registered or the thread cannot be started.
pub(super) fn listen(on_signal: impl Fn(Signal) + Send + 'static) -> std::io::Result<()> {
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP])?;
    // Unhandled, a write beyond the limit on file sizes (`ulimit -f`) kills the process; handled, the write fails.
    signal_hook::flag::register(SIGXFSZ, std::sync::Arc::default())?;
    std::thread::Builder::new().name("signals".to_owned()).spawn(move || {
        for signal in signals.forever() {
            on_signal(if signal == SIGINT { Signal::Interrupt } else { Signal::Terminate });
        }
    })?;
    Ok(())
}

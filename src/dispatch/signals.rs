//! Signals: the terminal's Ctrl-C interrupts the cell, a polite end is an end, a limit of the system is an error.

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::iterator::Signals;

/// What a signal asks for.
pub(super) enum Wish {
    /// SIGINT.
    Interrupt,
    /// SIGTERM, or SIGHUP from a terminal that closes.
    End,
}

/// Listens for signals until the process ends.
pub(super) fn listen(tell: impl Fn(Wish) + Send + 'static) -> std::io::Result<()> {
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP])?;
    // A file that may not grow further (`ulimit -f`) ends a process that does not listen; so it is an error of the write.
    signal_hook::flag::register(SIGXFSZ, std::sync::Arc::default())?;
    std::thread::Builder::new().name("signals".to_owned()).spawn(move || {
        for signal in signals.forever() {
            tell(if signal == SIGINT { Wish::Interrupt } else { Wish::End });
        }
    })?;
    Ok(())
}

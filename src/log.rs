//! The log: lines on standard error, which Jupyter shows in its terminal and not in the notebook.

use std::fmt::Arguments;
use std::io::Write;
use std::sync::LazyLock;

/// With `TRACEBOOK_LOG=debug`, every request is a line in the log.
static DEBUG: LazyLock<bool> = LazyLock::new(|| std::env::var("TRACEBOOK_LOG").is_ok_and(|level| level == "debug"));

/// Writes one line. A terminal that is gone is no reason to stop.
pub(crate) fn line(text: Arguments<'_>) {
    let _ = writeln!(std::io::stderr().lock(), "[tracebook] {text}");
}

/// Writes one line if the person who started the kernel asked for many.
pub(crate) fn debug(text: Arguments<'_>) {
    if *DEBUG {
        line(text);
    }
}

//! The log: lines on standard error, which Jupyter shows in its terminal and not in the notebook.

use std::fmt::Arguments;
use std::io::Write;

/// Writes one line. A terminal that is gone is no reason to stop.
pub(crate) fn line(text: Arguments<'_>) {
    let _ = writeln!(std::io::stderr().lock(), "[tracebook] {text}");
}

//! A line of progress on standard error, if it is a terminal.

use kernel_magic::argument::Call;
use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Delay before progress is shown.
const DELAY: Duration = Duration::from_millis(300);
/// Carriage return, and clear the line.
const CLEAR_LINE: &str = "\r\u{1b}[2K";
/// Do not wrap what is longer than a line, since only one line is cleared; and wrap again.
const WRAP: [&str; 2] = ["\u{1b}[?7l", "\u{1b}[?7h"];

/// A line that is replaced in place; shown after a delay, and not with `--quiet`.
#[derive(Debug)]
pub(super) struct ProgressLine {
    start: Instant,
    is_visible: bool,
    is_shown: AtomicBool,
}

impl ProgressLine {
    /// Starts the clock.
    pub(super) fn new(call: &Call<'_>) -> Self {
        let is_visible = std::io::stderr().is_terminal() && !call.quiet();
        Self { start: Instant::now(), is_visible, is_shown: AtomicBool::new(false) }
    }

    /// Replaces the line.
    pub(super) fn print(&self, text: impl FnOnce() -> String) {
        if self.is_visible && self.start.elapsed() >= DELAY {
            self.is_shown.store(true, Ordering::Relaxed);
            let text = trace_view::terminal_safe(&text());
            write(&[CLEAR_LINE, WRAP[0], &text, WRAP[1]].concat());
        }
    }

    /// Removes the line.
    pub(super) fn clear(&self) {
        if self.is_shown.swap(false, Ordering::Relaxed) {
            write(CLEAR_LINE);
        }
    }
}

fn write(text: &str) {
    let mut err = std::io::stderr();
    // Progress is not worth an error.
    let _ = err.write_all(text.as_bytes()).and_then(|()| err.flush());
}

//! Outputs of a running cell, and the sink that sends them.

use crate::Failure;
use trace_view::Bundle;

/// An output of a running cell.
#[derive(Debug, Clone, PartialEq)]
pub enum Output {
    /// Text printed on standard output.
    Stdout(String),
    /// Text printed on standard error.
    Stderr(String),
    /// Rich content.
    Display {
        /// The content.
        bundle: Bundle,
        /// The `display_id`, if it may be replaced later.
        id: Option<String>,
    },
    /// New content for what was displayed under `id`.
    Update {
        /// The content.
        bundle: Bundle,
        /// The `display_id`.
        id: String,
    },
    /// The value of the cell's last expression.
    Result(Bundle),
    /// A page for the pager (`%name?`): becomes a `payload` of the reply.
    Page(Bundle),
    /// Clears what the cell has shown so far.
    Clear {
        /// Clears only when the next output comes.
        wait: bool,
    },
}

/// The receiver of a running cell's outputs, which keeps their order. Calls do not block for long and may come from any thread.
pub trait Sink: Send + Sync {
    /// Sends one output.
    fn emit(&self, output: Output);

    /// Asks the user for a line of input.
    ///
    /// # Errors
    /// If the front end does not allow input, or the wait was interrupted.
    fn input(&self, prompt: &str, password: bool) -> Result<String, Failure>;

    /// Tells whether this cell was interrupted; long work calls it every few milliseconds.
    fn interrupted(&self) -> bool;

    /// Returns the characters of a line, if outputs are shown as plain text on a screen of that width.
    fn width(&self) -> Option<usize> {
        None
    }

    /// Tells whether the process ends with this work: interrupted work is then waited for, so that it ends what it started elsewhere.
    fn ends_process(&self) -> bool {
        false
    }
}

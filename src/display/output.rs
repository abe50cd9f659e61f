//! One thing a running cell shows, and where it goes.

use crate::Failure;
use trace_view::Bundle;

/// One thing a running cell shows.
#[derive(Debug, Clone, PartialEq)]
pub enum Output {
    /// Text printed on standard output.
    Stdout(String),
    /// Text printed on standard error.
    Stderr(String),
    /// Rich content; with an id it can be replaced later.
    Display {
        /// The alternatives.
        bundle: Bundle,
        /// The `display_id`, if it is to be replaced later.
        id: Option<String>,
    },
    /// New content for what was displayed under `id`.
    Update {
        /// The alternatives.
        bundle: Bundle,
        /// The `display_id` it was displayed under.
        id: String,
    },
    /// The value of the cell's last expression.
    Result(Bundle),
    /// A page for the pager (`%name?`): becomes a `payload` of the reply.
    Page(Bundle),
    /// Clears what the cell has shown so far.
    Clear {
        /// Only when the next output comes.
        wait: bool,
    },
}

/// Where a running cell's outputs go, in order. Calls never block for long and may come from any thread.
pub trait Sink: Send + Sync {
    /// Passes one output on.
    fn emit(&self, output: Output);

    /// Asks the person for a line of input.
    ///
    /// # Errors
    /// If the front end does not allow input, or the wait was interrupted.
    fn input(&self, prompt: &str, password: bool) -> Result<String, Failure>;

    /// Whether this cell was interrupted; long work asks every few milliseconds.
    fn interrupted(&self) -> bool;
}

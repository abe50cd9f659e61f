//! The engine as the rest of the kernel sees it.

use crate::Failure;
use crate::display::Sink;
use crate::session::Cells;
use std::sync::Arc;
use std::time::Duration;

/// Runs Rust.
pub trait Engine: Cells + Send {
    /// Runs a segment of Rust. Emits what it prints and shows to `out`, in order; all of it is there when this returns.
    ///
    /// # Errors
    /// One [`Failure`]: errors of the compiler, a panic, a lost worker process, or an interrupt.
    fn run(&mut self, code: &str, out: &Arc<dyn Sink>) -> Result<(), Failure>;

    /// Runs Rust with text inserted at byte offsets, in ascending order; only the last insertion may contain a line end. Errors
    /// name positions in `code`. Shows no value of `code` and keeps none of its variables.
    ///
    /// # Errors
    /// As [`Engine::run`].
    fn run_within(&mut self, code: &str, insertions: &[(usize, String)], out: &Arc<dyn Sink>) -> Result<(), Failure>;

    /// Returns how long Rust has run since the last call, without compilation.
    fn take_run_time(&mut self) -> Duration;

    /// Returns a function that any thread may call at an interrupt request. It binds the request to the segment that runs
    /// at that moment.
    fn interrupter(&self) -> Box<dyn Fn() -> Stop + Send + Sync>;
}

/// Stops one segment and no later one; may block until that has ended.
pub type Stop = Box<dyn FnOnce() + Send>;

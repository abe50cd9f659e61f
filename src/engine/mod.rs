//! Rust cells: evcxr behind one trait.

use crate::Failure;
use crate::display::Sink;
use crate::session::Cells;
use std::sync::Arc;

/// Runs Rust.
pub trait Engine: Cells + Send {
    /// Runs a stretch of Rust; what it shows goes to `out` in order and is complete when this returns.
    ///
    /// # Errors
    /// Compiler errors, a panic, a lost process, an interrupt: one [`Failure`] each.
    fn run(&mut self, code: &str, out: &Arc<dyn Sink>) -> Result<(), Failure>;

    /// A handle that stops the running cell, from any thread.
    fn interrupter(&self) -> Box<dyn Fn() + Send + Sync>;
}

//! Rust cells: evcxr behind one trait. `docs/engine.md` draws how the pieces meet.

mod analyse;
mod at_once;
mod bindings;
mod cargo;
mod clash;
mod commands;
mod compiler;
mod dependencies;
mod diagnostic;
mod direct;
mod edits;
mod environment;
mod evcxr;
mod exchange;
mod failure;
mod handover;
mod hints;
mod interrupt;
mod items;
mod leftovers;
mod linker;
mod live;
mod named;
mod outdated;
mod probe;
mod pump;
mod reading;
mod ready;
mod redefined;
mod server;
mod silent;
mod source;
mod stopped;
mod syntax;
mod toolchain;
mod transient;
mod waiting;
mod within;

pub use environment::{RunFolder, enter};
pub use evcxr::start;
pub use toolchain::{CELLS_VARIABLE, CellsKit, KitError, compiler_version, default_folder};

use crate::Failure;
use crate::display::Sink;
use crate::session::Cells;
use std::sync::Arc;
use std::time::Duration;

/// Runs Rust.
pub trait Engine: Cells + Send {
    /// Runs a stretch of Rust; what it shows goes to `out` in order and is complete when this returns.
    ///
    /// # Errors
    /// Compiler errors, a panic, a lost process, an interrupt: one [`Failure`] each.
    fn run(&mut self, code: &str, out: &Arc<dyn Sink>) -> Result<(), Failure>;

    /// Runs Rust with text inserted at byte offsets of it, in ascending order, none but the last with a line end: errors
    /// name the places of `code` alone. No value of it is shown, and no variable of it is kept.
    ///
    /// # Errors
    /// As [`Engine::run`].
    fn run_within(&mut self, code: &str, insertions: &[(usize, String)], out: &Arc<dyn Sink>) -> Result<(), Failure>;

    /// For how long Rust has run since this was asked last, without the time to compile.
    fn ran(&mut self) -> Duration;

    /// The interrupt button, for any thread: it gives at once what stops the cell that runs at that moment.
    fn interrupter(&self) -> Box<dyn Fn() -> Stop + Send + Sync>;
}

/// Stops one cell, and no other; may wait until that has ended.
pub type Stop = Box<dyn FnOnce() + Send>;

/// Must be the first statement of `main`: this binary is also the compiler that evcxr calls, and then this does not
/// return.
pub fn runtime_hook() {
    compiler::hook();
    ::evcxr::runtime_hook();
}

//! Cells with a `let` without a type, compiled once: the compiler names the types while it compiles (see `named`).

use super::analyse::{self, Cell};
use super::evcxr::{Evcxr, Written};
use super::server;
use crate::Failure;
use crate::display::Sink;
use std::sync::Arc;

/// The most variables without types that one compilation names. evcxr took 27 s to write a cell of 2,000 before the compiler starts,
/// and an interrupt request waits for it; the analysis before can be interrupted.
const MOST_UNTYPED: usize = 64;

impl Evcxr {
    /// Runs a cell without an analysis before. `None`: it does not compile so, and nothing has run. Then the analysis tells what
    /// is wrong, or its types come from there.
    ///
    /// # Errors
    /// If the engine is gone, or a bound value cannot be handed over.
    pub(super) fn run_at_once(
        &mut self,
        code: &str,
        cell: &Cell,
        written: &Written,
        out: &Arc<dyn Sink>,
    ) -> Result<Option<Result<(), Failure>>, Failure> {
        let untyped = cell.untyped();
        // Outdated variables are dropped in a cell of their own, once it is known that this one compiles.
        let outdated = self.outdated(&cell.definitions())?;
        let suits = (1..=MOST_UNTYPED).contains(&untyped.len()) && cell.is_whole() && !cell.binds_closure();
        if !suits || !outdated.is_empty() || !server::compiles(&self.folder) {
            return Ok(None);
        }
        let mut written = Written::of(written.base.clone());
        analyse::add_placeholders(&untyped, self.placeholders, &mut written.base);
        self.placeholders += untyped.len();
        let edits = self.edits(cell, &mut written);
        server::forget_compiled(&self.folder);
        let Err(stopped) = self.evaluate(code, &edits, out) else { return Ok(Some(Ok(()))) };
        if !self.control.requested() && !server::has_compiled(&self.folder) {
            // Offered once more to the cell that is compiled once more.
            self.bindings.attach(code)?;
            return Ok(None);
        }
        Ok(Some(Err(self.failure(stopped, code, &edits))))
    }
}

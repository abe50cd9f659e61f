//! Rust cells: the engine that runs them, and their completion and inspection.
//!
//! It knows no magic and no SQL; cells link the library for cells, which this crate finds but does not contain.

pub mod engine;
pub mod introspect;

use kernel_base::{Failure, cell, display, log, program, session, sync, timeline};

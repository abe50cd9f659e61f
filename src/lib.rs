//! The kernel: Rust cells and trace magics over the Jupyter protocol.
//!
//! `docs/house.md` lists the rooms. Data flows one way: wire → dispatch → cell → magic or engine → display → wire.

pub mod cli;
pub mod dispatch;
pub mod install;
pub mod magic;
mod provenance;
pub mod terminal;

pub use kernel_base::{Error, Failure, Problem, UsageError, cell, comm, display, session, wire};
use kernel_base::{cluster, execution, log, program, sync, timeline};
pub use kernel_rust::engine;
use kernel_rust::introspect;
pub use provenance::start;

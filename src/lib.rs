//! The kernel: Rust cells and trace magics over the Jupyter protocol.
//!
//! `docs/house.md` lists the rooms. Data flows one way: wire → dispatch → cell → magic or engine → display → wire.

#[cfg(windows)]
compile_error!("Tracebook does not run on Windows: build and run it in WSL (Linux on x86-64), where it is tested");

pub mod cell;
pub mod cli;
mod cluster;
pub mod comm;
pub mod dispatch;
pub mod display;
pub mod engine;
mod error;
mod execution;
pub mod install;
mod introspect;
mod log;
pub mod magic;
mod program;
pub mod session;
mod sync;
pub mod terminal;
mod timeline;
mod usage_error;
pub mod wire;

pub use error::{Error, Failure};
pub use usage_error::{Problem, UsageError};

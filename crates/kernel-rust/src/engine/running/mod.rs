//! The running engine: evcxr's session, its worker process, output, interrupts.

mod compile_server;
mod engine;
mod error_hints;
mod exchange;
mod exit_status;
mod interrupt;
mod panic;
mod pump;
mod run_cell;
mod run_folder;
mod stale_folders;
mod startup;
mod stdin_probe;

pub use engine::{runtime_hook, start};
pub use run_folder::{RunFolder, enter};

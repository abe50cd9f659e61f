//! The base of the kernel, which its other crates share: messages and sockets, cells as text, loaded traces, engines, errors.
//!
//! It knows no magic and runs no Rust: `kernel-rust` and `kernel-magic` do.

#[cfg(windows)]
compile_error!("Tracebook does not run on Windows: build and run it in WSL (Linux on x86-64), where it is tested");

pub mod cell;
pub mod cluster;
pub mod comm;
pub mod display;
mod error;
pub mod execution;
pub mod log;
pub mod program;
pub mod provenance;
pub mod scripts;
pub mod session;
pub mod sync;
pub mod timeline;
mod usage_error;
pub mod wire;

pub use error::{Error, Failure};
pub use usage_error::{Problem, UsageError};

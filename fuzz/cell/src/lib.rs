//! `crates/kernel-base/src/cell` alone, compiled from the same files.

#[allow(dead_code, unused_imports)]
#[path = "../../../crates/kernel-base/src/cell/mod.rs"]
mod cell;

#[cfg(fuzzing)]
pub use cell::oracle;

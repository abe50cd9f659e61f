//! The parts of `crates/trace/src/exec` that the reader needs.

#[allow(dead_code)]
#[path = "../../../crates/trace/src/exec/checkpoint.rs"]
pub(crate) mod checkpoint;
#[allow(dead_code)]
#[path = "../../../crates/trace/src/exec/pool.rs"]
pub(crate) mod pool;

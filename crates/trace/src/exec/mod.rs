//! Execution of work: thread pool of a load, fork and join, batches of ranks, cancellation, memory budget, abandoned threads.

pub(crate) mod abandon;
pub(crate) mod batches;
pub(crate) mod checkpoint;
pub(crate) mod fork_join;
pub(crate) mod memory;
pub(crate) mod pool;

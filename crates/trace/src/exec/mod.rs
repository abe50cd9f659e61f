//! Execution of work: its context (cancellation, memory, threads), thread pool of a load, fork and join, batches of ranks,
//! abandoned threads, mapped files that changed meanwhile.

pub(crate) mod abandon;
pub(crate) mod allocator;
pub(crate) mod batches;
pub(crate) mod cancellation;
pub(crate) mod changed_files;
pub(crate) mod checkpoint;
pub(crate) mod context;
mod default_config;
pub(crate) mod fork_join;
pub(crate) mod machine_memory;
pub(crate) mod memory;
pub(crate) mod pool;

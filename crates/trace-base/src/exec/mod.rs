//! Execution of work: its context (cancellation, memory, threads), thread pool of a load, fork and join, batches of ranks,
//! merge of their results, abandoned threads, mapped files that changed meanwhile.

pub mod abandon;
pub mod allocator;
pub mod batches;
pub mod cancellation;
pub mod changed_files;
pub mod checkpoint;
pub mod context;
mod default_config;
pub mod fork_join;
pub mod machine_memory;
pub mod memory;
mod merge_tree;
pub mod pool;

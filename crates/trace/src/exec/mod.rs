//! How work is run: shared among threads, cancelled, kept within a memory budget, left behind where it blocks.

pub(crate) mod abandon;
pub(crate) mod checkpoint;
pub(crate) mod memory;
pub(crate) mod pool;

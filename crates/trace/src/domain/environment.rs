//! Environment variables that the library reads.

/// The variable that sets the memory budget: `8G`, `500M`, or a number of bytes.
pub const MEMORY_VARIABLE: &str = "TRACEBOOK_MEMORY";

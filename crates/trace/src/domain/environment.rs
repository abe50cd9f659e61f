//! Environment variables of the programs that messages name; the library reads none.

/// The variable from which programs take the memory budget: `8G`, `500M`, or a number of bytes.
pub const MEMORY_VARIABLE: &str = "TRACEBOOK_MEMORY";

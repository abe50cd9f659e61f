//! Environment variables of the programs that messages name; the library reads none.

/// The variable from which programs take the memory budget: `8G`, `500M`, or a number of bytes.
pub const MEMORY_VARIABLE: &str = "TRACEBOOK_MEMORY";

/// The variable that sets the cache of loaded traces: its limit (`10G`), its folder, or `off`. Programs read it.
pub const CACHE_VARIABLE: &str = "TRACEBOOK_CACHE";

/// How long a failing request to object storage is tried again, in seconds, for the programs.
pub const STORAGE_TIMEOUT_VARIABLE: &str = "TRACEBOOK_STORAGE_TIMEOUT";

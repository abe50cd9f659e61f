//! Cache of loaded ranks: a folder of rank files, each named by the file and the options from which it was loaded.
//!
//! Any number of processes use one folder. An entry appears whole, by renaming; it is removed under a lock of the folder,
//! and only if no living process has opened it. An entry that is damaged or old is removed when it is looked up. Files that no
//! cache wrote are neither counted, listed nor removed, and a folder of them does not become a cache.

mod access;
mod entries;
mod folder_lock;
mod in_use;
mod insert;
mod key;
mod own_files;
#[cfg(test)]
mod own_files_tests;
mod sync;
#[cfg(test)]
mod tests;

pub use access::Cache;
pub use entries::{CacheEntry, Cleared};
pub use key::{Key, Object};

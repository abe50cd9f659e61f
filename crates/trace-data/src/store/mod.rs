//! Tables of ranks in files: one immutable Arrow file per table, written once and mapped when it is used.
//!
//! The layout is described in `docs/rank-files.md`. The same file is an entry of the cache, a rank that did not fit into
//! memory, and what a Rust cell maps.

mod batch;
mod bounds;
mod bus_errors;
mod cache;
mod columns;
mod contents;
mod disk;
mod header;
mod identity;
mod manifest;
mod mapping;
mod new_column;
mod new_file;
mod new_table;
mod packed;
mod pages;
mod private_folder;
mod spillable_frame;
mod spilled_bytes;
mod stored_column;
mod stored_table;
mod symbols;
mod table_kind;
#[cfg(test)]
mod tests;

pub(crate) use bounds::{file_metadata, is_mappable, verify};
pub use cache::{Cache, CacheEntry, Cleared};
pub use cache::{Key, Object};
pub use disk::{free_space, is_in_memory, no_space};
pub use header::{FileKind, crc32, metadata, verified};
pub(crate) use new_table::NewTable;
pub use private_folder::private_folder;
pub use spillable_frame::SpillableFrame;
pub use spilled_bytes::SpilledBytes;
pub(crate) use stored_table::StoredTable;
pub(crate) use table_kind::TableKind;

//! A trace as a folder of Parquet files, which any engine reads, and which [`TraceSet::load`](crate::TraceSet::load) reads
//! back exactly.
//!
//! ```text
//! DIR/tracebook.json                   manifest: version, label, warnings, facts, columns and parts of each rank
//! DIR/rank=0/part-00000.parquet     a million events of rank 0 at most, in file order
//! DIR/rank=0/part-00001.parquet
//! DIR/rank=1/part-00000.parquet
//! ```
//!
//! `docs/parquet-schema.md` describes the schema. A folder is written under a temporary name and renamed once it is
//! complete. A part is read into memory and verified (size, CRC-32, bounds) before it is decoded.

mod bounds;
mod columns;
mod export;
mod folder;
#[cfg(test)]
mod hostile_tests;
mod import;
mod manifest;
mod numbers;
mod pages;
mod part;
#[cfg(test)]
mod tests;

pub use export::{ExportOptions, ExportProgress, Exported, export, export_with};
pub(crate) use import::Export;

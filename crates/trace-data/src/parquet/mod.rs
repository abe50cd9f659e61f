//! A trace as a folder of Parquet files, which any engine reads, and which [`TraceSet::load`](crate::TraceSet::load) reads
//! back exactly: names, manifest, parts, reading. [`write::parquet`](crate::write::parquet) writes it.
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
pub mod columns;
mod import;
pub(crate) mod manifest;
pub mod names;
mod numbers;
mod pages;
pub mod part;

pub use import::{Export, warnings_about};

//! Writing a trace as a folder of Parquet files: [`crate::parquet`] describes it.

mod export;
#[cfg(test)]
mod hostile_tests;
mod new_folder;
#[cfg(test)]
mod tests;

pub use export::{ExportOptions, ExportProgress, Exported, export, export_with};

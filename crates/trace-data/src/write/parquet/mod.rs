//! A trace written as a folder of Parquet files. The room `parquet` defines the layout of the folder.

mod export;
#[cfg(test)]
mod hostile_tests;
mod new_folder;
#[cfg(test)]
mod tests;

pub use export::{ExportOptions, ExportProgress, Exported, export, export_with};

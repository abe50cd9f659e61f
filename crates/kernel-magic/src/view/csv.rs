//! CSV output of frames: all rows, unrounded.

use crate::Error;
use crate::context::write;
use polars_io::SerWriter;
use polars_io::csv::write::CsvWriter;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use trace_core::polars::prelude::{DataFrame, PolarsError};

/// Writes `df` to `path` as CSV, unrounded.
///
/// # Errors
/// If the file cannot be written.
pub(crate) fn write_csv(path: &Path, df: &DataFrame) -> Result<(), Error> {
    write(path, |out| csv(df, out))
}

/// Writes `df` as CSV, unrounded.
///
/// # Errors
/// If it cannot be written.
pub fn csv(df: &DataFrame, out: &mut dyn Write) -> std::io::Result<()> {
    CsvWriter::new(out).include_header(true).finish(&mut df.clone()).map_err(|error| match error {
        // The error of the system, without polars' wording around it.
        PolarsError::IO { error, .. } => Arc::try_unwrap(error).unwrap_or_else(|error| error.kind().into()),
        error => std::io::Error::other(error),
    })
}

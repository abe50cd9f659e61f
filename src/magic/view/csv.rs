//! A frame as a CSV file: every row, unrounded.

use crate::Error;
use crate::magic::scene::write;
use polars_io::SerWriter;
use polars_io::csv::write::CsvWriter;
use std::path::Path;
use trace::polars::prelude::DataFrame;

/// Writes `df` to `path`, numbers to their last digit.
///
/// # Errors
/// If the file cannot be written.
pub(in crate::magic) fn write_csv(path: &Path, df: &DataFrame) -> Result<(), Error> {
    let mut df = df.clone();
    write(path, |out| CsvWriter::new(out).include_header(true).finish(&mut df).map_err(std::io::Error::other))
}

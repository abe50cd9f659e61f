//! Verification of a Parquet file before it is decoded.
//!
//! The checksum excludes damage. What is verified here excludes that a file with a correct checksum, but of another
//! program, makes polars allocate more than its rows need, or read outside of the file.

use super::columns::schema;
use super::manifest::ColumnEntry;
use super::pages::are_sound;
use polars::prelude::{CompatLevel, DataType};
use polars_arrow::datatypes::ArrowSchema;
use polars_io::prelude::FileMetadata;

/// Verifies that a file has the columns of the manifest, and that each of them has all `rows`, inside the
/// file.
///
/// # Errors
/// What is wrong, in words.
pub(super) fn verify(
    metadata: &FileMetadata,
    found: &ArrowSchema,
    bytes: &[u8],
    columns: &[ColumnEntry],
    rows: usize,
) -> Result<(), String> {
    let expected = schema(columns);
    let same = |((name, field), (expected, dtype)): ((&_, &polars_arrow::datatypes::Field), (&_, &DataType))| {
        name == expected && field.dtype() == &dtype.to_arrow(CompatLevel::newest())
    };
    if found.len() != expected.len() || !found.iter().zip(expected.iter()).all(same) {
        return Err("its columns are not those of its manifest".to_owned());
    }
    let of_groups = metadata.row_groups.iter().fold(0, |rows: usize, group| rows.saturating_add(group.num_rows()));
    if metadata.num_rows != rows || of_groups != rows {
        return Err(format!("it has {} rows, expected {rows}", metadata.num_rows));
    }
    for group in &metadata.row_groups {
        let chunks = group.parquet_columns();
        let is_whole = chunks.len() == columns.len()
            && chunks.iter().all(|chunk| {
                let range = chunk.byte_range();
                let (start, end) = (usize::try_from(range.start).ok(), usize::try_from(range.end).ok());
                let column = start.zip(end).and_then(|(start, end)| bytes.get(start..end));
                usize::try_from(chunk.num_values()) == Ok(group.num_rows())
                    && column.is_some_and(|column| are_sound(column, group.num_rows()))
            });
        if !is_whole {
            return Err("its columns are not inside the file, or do not have its rows".to_owned());
        }
    }
    Ok(())
}

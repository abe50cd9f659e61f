//! One Parquet file: written, verified and read.

use super::bounds;
use super::columns::{schema, to_events, to_parquet};
use super::manifest::{ColumnEntry, FileEntry, VERSION};
use crate::error::ImportReason;
use crate::exec::checkpoint;
use crate::store::crc32;
use crate::{Error, Result};
use polars::prelude::{DataFrame, PolarsError, PolarsResult};
use polars_io::prelude::{
    KeyValueMetadata, ParallelStrategy, ParquetCompression, ParquetReader, ParquetWriter, SerReader,
};
use std::fs::OpenOptions;
use std::io::{Cursor, ErrorKind, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

/// Rows of a row group, at most.
pub(crate) const GROUP_ROWS: usize = 1 << 18;

/// Rows of a part, at most.
pub(crate) const PART_ROWS: usize = 1 << 20;

/// Key of the version of the schema in the metadata of a file.
const SCHEMA_KEY: &str = "tracebook.export";

/// Encodes rows of a rank as a Parquet file: zstd, dictionaries, minima and maxima of each row group.
///
/// # Errors
/// [`Error::Interrupted`]; if polars refuses, which no input should cause.
pub(crate) fn encode(events: &DataFrame, columns: &[ColumnEntry], first: usize, rows: usize) -> Result<Vec<u8>> {
    let metadata = KeyValueMetadata::from_static(vec![(SCHEMA_KEY.to_owned(), VERSION.to_string())]);
    let mut bytes = Vec::new();
    let mut writer = ParquetWriter::new(&mut bytes)
        .with_compression(ParquetCompression::Zstd(None))
        .with_key_value_metadata(Some(metadata))
        .set_parallel(false)
        .batched(&schema(columns))?;
    for start in (first..first + rows).step_by(GROUP_ROWS) {
        checkpoint::check()?;
        let group = to_parquet(events, start, GROUP_ROWS.min(first + rows - start))?;
        unpanicked(|| writer.write_batch(&group))?;
    }
    unpanicked(|| writer.finish())?;
    drop(writer);
    Ok(bytes)
}

/// Reads the bytes of a part, and verifies them.
///
/// # Errors
/// Why the file is not the one that was written.
pub(crate) fn read(path: &Path, entry: &FileEntry) -> Result<Vec<u8>> {
    let invalid = |reason| Error::NotAnExport { path: path.to_owned(), reason };
    let failed = |error| Error::Io { path: path.to_owned(), error };
    // Opening a pipe without a writer would block.
    let flags = rustix::fs::OFlags::NONBLOCK.bits() as i32;
    let file = match OpenOptions::new().read(true).custom_flags(flags).open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Err(invalid(ImportReason::Missing)),
        opened => opened.map_err(failed)?,
    };
    let found = file.metadata().map_err(failed)?;
    if !found.is_file() {
        return Err(invalid(ImportReason::NotAFile));
    }
    let of_size = |found: u64| {
        if found == entry.bytes { Ok(()) } else { Err(invalid(ImportReason::Size { found, expected: entry.bytes })) }
    };
    of_size(found.len())?;
    let mut bytes = Vec::with_capacity(found.len() as usize);
    file.take(entry.bytes + 1).read_to_end(&mut bytes).map_err(failed)?;
    of_size(bytes.len() as u64)?;
    if crc32(&bytes) == entry.crc32 { Ok(bytes) } else { Err(invalid(ImportReason::Checksum)) }
}

/// Decodes a part into events.
///
/// # Errors
/// If it does not hold the rows and columns that the manifest names.
pub(crate) fn decode(path: &Path, bytes: &[u8], columns: &[ColumnEntry], rows: usize) -> Result<DataFrame> {
    let invalid = |reason: String| Error::NotAnExport { path: path.to_owned(), reason: ImportReason::Content(reason) };
    let decoded = unpanicked(|| {
        let mut reader = ParquetReader::new(Cursor::new(bytes)).read_parallel(ParallelStrategy::None);
        let found = reader.schema()?;
        if let Err(reason) = bounds::verify(reader.get_metadata()?, &found, bytes, columns, rows) {
            return Ok(Err(reason));
        }
        Ok(Ok(reader.finish()?))
    });
    let frame = decoded.map_err(|error| invalid(error.to_string()))?.map_err(invalid)?;
    if frame.height() != rows || !schema(columns).iter().eq(frame.schema().iter()) {
        return Err(invalid("its rows or columns are not those of its manifest".to_owned()));
    }
    Ok(to_events(&frame, columns)?)
}

/// Runs work of polars, which panics instead of failing at some damage.
fn unpanicked<T>(work: impl FnOnce() -> PolarsResult<T>) -> PolarsResult<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("unknown").to_owned();
        Err(PolarsError::ComputeError(format!("its Parquet data is damaged ({text})").into()))
    })
}

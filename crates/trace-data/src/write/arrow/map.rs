//! Mapping saved traces and frames into memory.

use super::listing::Listing;
use crate::error::SavedFileReason;
use crate::store::{FileKind, file_metadata, is_mappable, verified, verify};
use crate::{Error, Result, TraceSet};
use polars::prelude::DataFrame;
use polars_arrow::bitmap::utils::count_zeros;
use polars_io::prelude::{IpcReader, SerReader};
use std::fs::File;
use std::io::{Seek, SeekFrom};
use std::path::Path;

/// Opens a trace that [`save`](super::save) wrote, by the path of its folder, or one of its ranks by the path of its file.
/// Nothing of the columns is read before they are used; then they are mapped.
///
/// # Errors
/// [`Error::Io`] if a file cannot be opened, [`Error::NotASavedFile`] if it was not written by this version of the
/// library or is damaged.
pub fn map(path: impl AsRef<Path>) -> Result<TraceSet> {
    let path = path.as_ref();
    if path.is_dir() {
        return Listing::read(path)?.open(path);
    }
    let label = path.file_stem().unwrap_or_default().to_string_lossy();
    Listing::of_file(path, &label)?.open(Path::new(""))
}

/// Opens a frame that [`save_frame`](super::save_frame) wrote: mapped if all its columns have a fixed width, otherwise
/// read into memory.
///
/// # Errors
/// [`Error::Io`] if the file cannot be opened, [`Error::NotASavedFile`] if it was not written by this version of the
/// library or is damaged.
#[allow(unsafe_code)]
pub fn map_frame(path: impl AsRef<Path>) -> Result<DataFrame> {
    let path = path.as_ref();
    let failed = |error| Error::Io { path: path.to_owned(), error };
    let invalid = |reason| Error::NotASavedFile { path: path.to_owned(), reason };
    let mut file = File::open(path).map_err(failed)?;
    let metadata = file_metadata(&mut file).map_err(invalid)?;
    let texts = metadata.custom_schema_metadata.as_deref().ok_or_else(|| invalid(SavedFileReason::Foreign))?;
    verified(texts, FileKind::Frame).map_err(invalid)?;
    let mappable = is_mappable(&metadata);
    if mappable {
        verify(&mut file, &metadata).map_err(invalid)?;
    }
    file.seek(SeekFrom::Start(0)).map_err(failed)?;
    let mut reader = IpcReader::new(file).set_rechunk(false);
    if mappable {
        // SAFETY: `verify` found all columns to be of fixed width, inside the file and as long as their batch, so that no
        // content of theirs is invalid. That the file is not written to while it is mapped is demanded by the
        // documentation of the module.
        reader = unsafe { reader.memory_mapped(Some(path.to_owned())) };
    }
    let frame = reader.finish()?;
    if mappable && !has_stated_nulls(&frame) {
        return Err(invalid(SavedFileReason::Bounds));
    }
    Ok(frame)
}

/// Whether the validity bitmaps have as many unset bits as the file states, on which polars relies.
fn has_stated_nulls(frame: &DataFrame) -> bool {
    let chunks = frame.columns().iter().flat_map(|column| column.as_materialized_series().chunks());
    chunks.into_iter().filter_map(|chunk| chunk.validity()).all(|validity| {
        let (bytes, offset, length) = validity.as_slice();
        count_zeros(bytes, offset, length) == validity.unset_bits()
    })
}

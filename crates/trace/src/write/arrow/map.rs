//! Mapping a saved file into memory.

use super::manifest::Manifest;
use crate::error::SavedFileReason;
use crate::frame::{Categories, categorical, categorical_unchecked};
use crate::store::{FileKind, file_metadata, is_mappable, verified, verify};
use crate::{Error, Result, Trace, TraceSet};
use polars::prelude::{ChunkApply, Column, DataFrame, IntoColumn, PolarsResult, Series, UInt32Chunked};
use polars_arrow::bitmap::utils::count_zeros;
use polars_io::prelude::{IpcReader, SerReader};
use std::fs::File;
use std::io::{Seek, SeekFrom};
use std::path::Path;

/// Maps a trace that [`save`](super::save) wrote.
///
/// # Errors
/// [`Error::Io`] if the file cannot be opened, [`Error::NotASavedFile`] if it was not written by this version of the
/// library, is damaged, or holds codes without a text.
pub fn map(path: impl AsRef<Path>) -> Result<TraceSet> {
    let path = path.as_ref();
    let invalid = |reason| Error::NotASavedFile { path: path.to_owned(), reason };
    let (frame, manifest) = open(path, FileKind::Trace)?;
    let manifest: Manifest =
        serde_json::from_str(&manifest).map_err(|error| invalid(SavedFileReason::Manifest(error.to_string())))?;
    let expected = manifest.ranks.iter().fold(0, |rows: usize, info| rows.saturating_add(info.events));
    if frame.height() != expected {
        return Err(invalid(SavedFileReason::Rows { found: frame.height(), expected }));
    }
    let texts = Texts::new(&manifest.texts)?;
    let mut traces = Vec::with_capacity(manifest.ranks.len());
    let mut first_row = 0;
    for (info, names) in manifest.ranks.into_iter().zip(&manifest.columns) {
        let rank = frame.slice(i64::try_from(first_row).unwrap_or(i64::MAX), info.events);
        first_row += info.events;
        let columns: Result<Vec<Column>> = names
            .iter()
            .map(|name| {
                let missing = |_| invalid(SavedFileReason::Column { column: name.clone() });
                let column = rank.column(name).map_err(missing)?;
                if !manifest.categorical.contains(name) {
                    return Ok(column.clone());
                }
                let codes = column.u32().map_err(missing)?;
                let column = texts.categories_of(codes).map_err(|code| {
                    let texts = manifest.texts.len();
                    invalid(SavedFileReason::Code { column: name.clone(), code, texts })
                })?;
                Ok(column.into_column())
            })
            .collect();
        let events = DataFrame::new(info.events, columns?)?;
        traces.push(Trace::in_memory(info, events));
    }
    Ok(TraceSet::of(&manifest.label, manifest.compat, traces, manifest.warnings))
}

/// Opens a frame that [`save_frame`](super::save_frame) wrote: mapped if all its columns have a fixed width, otherwise
/// read into memory.
///
/// # Errors
/// [`Error::Io`] if the file cannot be opened, [`Error::NotASavedFile`] if it was not written by this version of the
/// library or is damaged.
pub fn map_frame(path: impl AsRef<Path>) -> Result<DataFrame> {
    Ok(open(path.as_ref(), FileKind::Frame)?.0)
}

/// The texts of a file as categories of this process.
struct Texts {
    categories: Categories,
    /// The number of texts, which are the valid codes of the file.
    count: usize,
    /// Code in the file → code here; `None` if all are equal.
    translation: Option<Vec<u32>>,
}

impl Texts {
    fn new(texts: &[String]) -> PolarsResult<Self> {
        let categories = Categories::shared();
        let here = categories.codes(texts.iter().map(String::as_str))?;
        let equal = here.iter().enumerate().all(|(code, &here)| code == here as usize);
        Ok(Self { categories, count: texts.len(), translation: (!equal).then_some(here) })
    }

    /// Converts codes of the file to categories.
    ///
    /// # Errors
    /// The highest code, if it has no text.
    #[allow(unsafe_code)]
    fn categories_of(&self, codes: &UInt32Chunked) -> Result<Series, u32> {
        let is_known = |code: &u32| (*code as usize) < self.count;
        // Rows without a value hold a code, too, which polars may look up.
        let all_known = highest_of_all_rows(codes).is_none_or(|highest| is_known(&highest));
        if !all_known && let Some(highest) = codes.iter().flatten().max().filter(|code| !is_known(code)) {
            return Err(highest);
        }
        Ok(match &self.translation {
            Some(translation) => {
                let here = codes.apply_values(|code| translation.get(code as usize).copied().unwrap_or_default());
                categorical(here, &self.categories)
            }
            None if !all_known => categorical(codes.clone(), &self.categories),
            // SAFETY: every code, also of rows without a value, is below `count`, as was just checked; `Self::new` put
            // the text of every code below `count` into the shared table and found it under the same code. The table
            // forgets no text while `self.categories` is alive.
            None => unsafe { categorical_unchecked(codes.clone(), &self.categories) },
        })
    }
}

/// Returns the highest value of a column, rows without a value included.
fn highest_of_all_rows(codes: &UInt32Chunked) -> Option<u32> {
    // A fold is vectorised, which `Iterator::max` is not.
    let highest = |values: &[u32]| values.iter().fold(0, |highest, &code| code.max(highest));
    codes.downcast_iter().filter(|chunk| chunk.len() > 0).map(|chunk| highest(chunk.values().as_slice())).max()
}

/// Opens a file of the expected kind; returns its frame, and the text of its manifest.
#[allow(unsafe_code)]
fn open(path: &Path, expected: FileKind) -> Result<(DataFrame, String)> {
    let failed = |error| Error::Io { path: path.to_owned(), error };
    let invalid = |reason| Error::NotASavedFile { path: path.to_owned(), reason };
    let mut file = File::open(path).map_err(failed)?;
    let metadata = file_metadata(&mut file).map_err(invalid)?;
    let texts = metadata.custom_schema_metadata.as_deref().ok_or_else(|| invalid(SavedFileReason::Foreign))?;
    let manifest = verified(texts, expected).map_err(invalid)?.to_owned();
    let mappable = is_mappable(&metadata);
    if mappable || expected == FileKind::Trace {
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
    Ok((frame, manifest))
}

/// Whether the validity bitmaps have as many unset bits as the file states, on which polars relies.
fn has_stated_nulls(frame: &DataFrame) -> bool {
    let chunks = frame.columns().iter().flat_map(|column| column.as_materialized_series().chunks());
    chunks.into_iter().filter_map(|chunk| chunk.validity()).all(|validity| {
        let (bytes, offset, length) = validity.as_slice();
        count_zeros(bytes, offset, length) == validity.unset_bits()
    })
}

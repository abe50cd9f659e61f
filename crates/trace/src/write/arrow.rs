//! A trace or a frame as one uncompressed Arrow file, opened again without a copy.
//!
//! The file of a trace has one batch per rank. Categories are written as plain numbers; the texts behind them, and all
//! that is known of the trace besides its events, stand as JSON in the metadata of the schema. Opened in a process whose
//! table of categories gives the same texts the same numbers, the columns are the file's pages themselves; otherwise the
//! numbers of the categories are translated once. A file tells the texts of all numbers up to its highest, so a process that
//! numbers no texts itself gets the same numbers whichever of the writer's files it opens first.
//!
//! A mapped file must stay as it is while anything refers to it. Deleting or replacing it by another file is fine;
//! writing into it is not.

#[cfg(test)]
#[path = "arrow_tests.rs"]
mod tests;

use crate::dataset::union_of_columns;
use crate::error::SavedFileReason;
use crate::frame::{Categories, categorical, trusted_categorical};
use crate::{Compat, Error, RankInfo, Result, Trace, TraceSet, Warning};
use polars::prelude::{
    Categorical32Type, ChunkApply, Column, DataFrame, DataType, IntoColumn, PlSmallStr, PolarsResult, UInt32Chunked,
};
use polars_io::prelude::{IpcReader, IpcWriter, SerReader, SerWriter};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::Arc;

/// The key of the schema's metadata.
const KEY: &str = "tracebook.trace";
/// Changes whenever the layout does.
const FORMAT: u32 = 1;

/// What a file holds besides events.
#[derive(Serialize, Deserialize)]
struct Manifest {
    format: u32,
    label: String,
    compat: Compat,
    warnings: Vec<Warning>,
    ranks: Vec<RankInfo>,
    /// The columns that each rank has; a batch has those of all.
    columns: Vec<Vec<String>>,
    /// The columns whose numbers stand for texts.
    categorical: BTreeSet<String>,
    /// Number → text, for all numbers up to the highest that occurs.
    texts: BTreeMap<u32, String>,
}

/// Writes a trace, whole, to one Arrow file.
///
/// # Errors
/// If the file cannot be written.
pub fn save(trace: &TraceSet, path: impl AsRef<Path>) -> Result<()> {
    let mut manifest = Manifest {
        format: FORMAT,
        label: trace.label().to_owned(),
        compat: trace.compat(),
        warnings: trace.warnings().to_vec(),
        ranks: trace.info().into_iter().cloned().collect(),
        columns: Vec::new(),
        categorical: BTreeSet::new(),
        texts: BTreeMap::new(),
    };
    let union = union_of_columns(trace.traces());
    let mut all: Option<DataFrame> = None;
    for rank in trace.traces() {
        manifest.columns.push(rank.events.get_column_names().iter().map(|name| name.to_string()).collect());
        let rows = rank.events.height();
        let columns: PolarsResult<Vec<Column>> = union
            .iter()
            .map(|(name, dtype)| match rank.events.column(name) {
                Ok(column) => codes(column, &mut manifest),
                Err(_) if dtype.is_categorical() => Ok(Column::full_null(name.clone(), rows, &DataType::UInt32)),
                Err(_) => Ok(Column::full_null(name.clone(), rows, dtype)),
            })
            .collect();
        let mut part = DataFrame::new(rows, columns?)?;
        part.rechunk_mut();
        match &mut all {
            None => all = Some(part),
            Some(all) => {
                all.vstack_mut(&part)?;
            }
        }
    }
    let text = serde_json::to_string(&manifest)
        .map_err(|error| Error::Io { path: path.as_ref().into(), error: error.into() })?;
    write(&mut all.unwrap_or_default(), path.as_ref(), Some(text))
}

/// Opens a trace that [`save`] wrote, mapped into memory.
///
/// # Errors
/// If the file cannot be read or is none of ours.
pub fn map(path: impl AsRef<Path>) -> Result<TraceSet> {
    let path = path.as_ref();
    let foreign = |reason| Error::NotASavedFile { path: path.to_owned(), reason };
    let (frame, text) = open(path)?;
    let text = text.ok_or_else(|| foreign(SavedFileReason::Foreign))?;
    let manifest: Manifest =
        serde_json::from_str(&text).map_err(|error| foreign(SavedFileReason::Manifest(error.to_string())))?;
    if manifest.format != FORMAT {
        return Err(foreign(SavedFileReason::Version { found: manifest.format, expected: FORMAT }));
    }
    let texts = Texts::new(&manifest.texts)?;
    let mut traces = Vec::with_capacity(manifest.ranks.len());
    let mut first_row = 0;
    for (info, names) in manifest.ranks.into_iter().zip(&manifest.columns) {
        let rows = i64::try_from(first_row).unwrap_or(i64::MAX);
        let part = frame.slice(rows, info.events);
        first_row += info.events;
        if part.height() != info.events {
            return Err(foreign(SavedFileReason::Rows { found: frame.height(), expected: first_row }));
        }
        let columns: Result<Vec<Column>> = names
            .iter()
            .map(|name| {
                let column =
                    part.column(name).map_err(|_| foreign(SavedFileReason::Column { column: name.clone() }))?;
                if !manifest.categorical.contains(name) {
                    return Ok(column.clone());
                }
                Ok(texts.column(column.u32()?))
            })
            .collect();
        let events = DataFrame::new(info.events, columns?)?;
        traces.push(Trace { info: Arc::new(info), events });
    }
    Ok(TraceSet::of(&manifest.label, manifest.compat, traces, manifest.warnings))
}

/// Writes a frame to one Arrow file.
///
/// # Errors
/// If the file cannot be written.
pub fn save_frame(df: &DataFrame, path: impl AsRef<Path>) -> Result<()> {
    let mut df = df.clone();
    df.rechunk_mut();
    write(&mut df, path.as_ref(), None)
}

/// Opens a frame that [`save_frame`] wrote, mapped into memory.
///
/// # Errors
/// If the file cannot be read.
pub fn map_frame(path: impl AsRef<Path>) -> Result<DataFrame> {
    Ok(open(path.as_ref())?.0)
}

/// A column as it is written: categories as their numbers, whose texts go into the manifest.
fn codes(column: &Column, manifest: &mut Manifest) -> PolarsResult<Column> {
    if !column.dtype().is_categorical() {
        return Ok(column.clone());
    }
    let series = column.as_materialized_series();
    let categories = series.cat::<Categorical32Type>()?;
    let mapping = categories.get_mapping();
    let known = manifest.texts.last_key_value().map_or(0, |(last, _)| last + 1);
    let end = categories.physical().iter().flatten().max().map_or(0, |highest| highest + 1);
    manifest.texts.extend((known..end).map(|code| (code, mapping.cat_to_str(code).unwrap_or_default().to_owned())));
    manifest.categorical.insert(column.name().to_string());
    Ok(categories.physical().clone().into_column())
}

/// From the numbers of a file to the categories of this process.
struct Texts {
    categories: Categories,
    /// Number in the file → number here; `None` if all are equal.
    translation: Option<Vec<u32>>,
}

impl Texts {
    fn new(texts: &BTreeMap<u32, String>) -> PolarsResult<Self> {
        let categories = Categories::shared();
        let here = categories.codes(texts.values().map(String::as_str))?;
        let equal = texts.keys().zip(&here).all(|(there, here)| there == here);
        let translation = (!equal).then(|| {
            let mut translation = vec![0; texts.keys().last().map_or(0, |last| *last as usize + 1)];
            for (there, here) in texts.keys().zip(&here) {
                translation[*there as usize] = *here;
            }
            translation
        });
        Ok(Self { categories, translation })
    }

    fn column(&self, codes: &UInt32Chunked) -> Column {
        let series = match &self.translation {
            None => trusted_categorical(codes.clone(), &self.categories),
            Some(translation) => {
                let here = codes.apply_values(|code| translation.get(code as usize).copied().unwrap_or_default());
                categorical(here, &self.categories)
            }
        };
        series.into_column()
    }
}

fn write(df: &mut DataFrame, path: &Path, manifest: Option<String>) -> Result<()> {
    let failed = |error| Error::Io { path: path.to_owned(), error };
    let mut file = BufWriter::with_capacity(1 << 20, File::create(path).map_err(failed)?);
    let mut writer = IpcWriter::new(&mut file);
    if let Some(manifest) = manifest {
        let entry = (PlSmallStr::from_static(KEY), PlSmallStr::from_string(manifest));
        writer.set_custom_schema_metadata(Arc::new(std::iter::once(entry).collect()));
    }
    writer.finish(df)?;
    file.flush().map_err(failed)
}

/// A mapped frame, and the manifest if there is one.
#[allow(unsafe_code)]
fn open(path: &Path) -> Result<(DataFrame, Option<String>)> {
    let file = File::open(path).map_err(|error| Error::Io { path: path.to_owned(), error })?;
    let mut reader = IpcReader::new(file).set_rechunk(false);
    let manifest = reader.custom_metadata()?.and_then(|metadata| metadata.get(KEY).map(|text| text.to_string()));
    // SAFETY: the file is one that this module wrote (its footer was just read) and, as the module's documentation
    // demands, nobody writes into it while it is mapped.
    let reader = unsafe { reader.memory_mapped(Some(path.to_owned())) };
    Ok((reader.finish()?, manifest))
}

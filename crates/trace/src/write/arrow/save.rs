//! Writing a trace or a frame to an Arrow file.

use super::manifest::Manifest;
use crate::dataset::union_of_columns;
use crate::store::{FileKind, metadata};
use crate::{Error, Result, TraceSet};
use polars::prelude::{Categorical32Type, Column, DataFrame, DataType, IntoColumn, PolarsResult};
use polars_io::prelude::{IpcWriter, SerWriter};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::Arc;

/// Writes a trace, whole, to one Arrow file.
///
/// # Errors
/// If the file cannot be written.
pub fn save(trace: &TraceSet, path: impl AsRef<Path>) -> Result<()> {
    let mut manifest = Manifest::of(trace);
    let union = union_of_columns(trace.traces());
    let mut all: Option<DataFrame> = None;
    for rank in trace.traces() {
        let events = rank.frame()?;
        manifest.columns.push(events.get_column_names().iter().map(|name| name.to_string()).collect());
        let rows = events.height();
        let columns: PolarsResult<Vec<Column>> = union
            .iter()
            .map(|(name, dtype)| match events.column(name) {
                Ok(column) => codes(column, &mut manifest),
                Err(_) if dtype.is_categorical() => Ok(Column::full_null(name.clone(), rows, &DataType::UInt32)),
                Err(_) => Ok(Column::full_null(name.clone(), rows, dtype)),
            })
            .collect();
        let mut batch = DataFrame::new(rows, columns?)?;
        batch.rechunk_mut();
        match &mut all {
            None => all = Some(batch),
            Some(all) => {
                all.vstack_mut(&batch)?;
            }
        }
    }
    write(&mut all.unwrap_or_default(), path.as_ref(), Some(&manifest))
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

/// Returns a column as it is written: categories as their codes, whose texts are added to the manifest.
fn codes(column: &Column, manifest: &mut Manifest) -> PolarsResult<Column> {
    if !column.dtype().is_categorical() {
        return Ok(column.clone());
    }
    let series = column.as_materialized_series();
    let categories = series.cat::<Categorical32Type>()?;
    let mapping = categories.get_mapping();
    let known = u32::try_from(manifest.texts.len()).unwrap_or(u32::MAX);
    let end = categories.physical().iter().flatten().max().map_or(0, |highest| highest + 1);
    manifest.texts.extend((known..end).map(|code| mapping.cat_to_str(code).unwrap_or_default().to_owned()));
    manifest.categorical.insert(column.name().to_string());
    Ok(categories.physical().clone().into_column())
}

/// Writes a frame with the metadata of its kind: a trace if there is a manifest.
pub(super) fn write(df: &mut DataFrame, path: &Path, manifest: Option<&Manifest>) -> Result<()> {
    let failed = |error| Error::Io { path: path.to_owned(), error };
    let kind = if manifest.is_some() { FileKind::Trace } else { FileKind::Frame };
    let text = manifest.map(serde_json::to_string).transpose();
    let metadata = text.and_then(|text| metadata(kind, text)).map_err(|error| failed(error.into()))?;
    let mut file = BufWriter::with_capacity(1 << 20, File::create(path).map_err(failed)?);
    let mut writer = IpcWriter::new(&mut file);
    writer.set_custom_schema_metadata(Arc::new(metadata));
    writer.finish(df)?;
    file.flush().map_err(failed)
}

//! Writing a trace or a frame to Arrow files.

use super::listing::{ListedRank, Listing};
use crate::dataset::TableSource;
use crate::store::{FileKind, StoredTable, metadata};
use crate::{Error, Result, Trace, TraceSet};
use polars::prelude::DataFrame;
use polars_io::prelude::{IpcWriter, SerWriter};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Saves a trace, whole, in a folder, which is created: one file per rank, and `trace.json`. A rank whose events are in a file
/// already gets a link to that file, or a copy of it on another disk.
///
/// # Errors
/// If a file cannot be written.
pub fn save(trace: &TraceSet, folder: impl AsRef<Path>) -> Result<()> {
    let copied = |table: &StoredTable, own: &Path| {
        std::fs::copy(table.path(), own).map(|_| ()).map_err(|error| Error::Io { path: own.to_owned(), error })
    };
    save_as(trace, folder.as_ref(), copied, |_| None).map(|_| ())
}

/// Saves a trace for another process of this machine, which maps it as long as `trace` and the folder exist: like [`save`], but
/// the file of a rank that is on another disk is not copied. Returns the trace with columns of the written files in place of
/// those in memory: both processes map the same pages.
///
/// # Errors
/// If a file cannot be written.
pub fn hand_over(trace: &TraceSet, folder: impl AsRef<Path>) -> Result<TraceSet> {
    let tables = save_as(trace, folder.as_ref(), |_, _| Ok(()), |rank| rank.table_source().cloned())?;
    let mapped = |(trace, table): (&Trace, Option<StoredTable>)| match table {
        Some(table) => trace.mapped_from(table),
        None => Ok(trace.clone()),
    };
    let traces = trace.traces().iter().zip(tables).map(mapped).collect::<Result<Vec<Trace>>>()?;
    Ok(TraceSet::of(trace.label(), trace.compat(), traces, trace.warnings().to_vec()))
}

/// Saves a trace in a folder; `elsewhere` may copy a file that cannot be linked, `tables` says where the instants and counters of
/// a rank are. Returns the written file of each rank.
fn save_as(
    trace: &TraceSet,
    folder: &Path,
    elsewhere: impl Fn(&StoredTable, &Path) -> Result<()>,
    tables: impl Fn(&Trace) -> Option<TableSource>,
) -> Result<Vec<Option<StoredTable>>> {
    std::fs::create_dir_all(folder).map_err(|error| Error::Io { path: folder.to_owned(), error })?;
    let (mut listed, mut written) = (Vec::new(), Vec::new());
    for rank in trace.traces() {
        let name = PathBuf::from(format!("rank-{:04}.arrow", rank.rank()));
        let own = folder.join(&name);
        let (table, new) = match rank.stored_table() {
            None => {
                let new = rank.write_to(&own, trace.compat())?;
                (new.clone(), Some(new))
            }
            Some(table) => {
                if !link(table.path(), &own) {
                    elsewhere(table, &own)?;
                }
                (table.clone(), None)
            }
        };
        let file = if own.exists() { name } else { table.path().to_owned() };
        let info = (**table.info() != *rank.info()).then(|| rank.info().clone());
        listed.push(ListedRank { file, info, tables: tables(rank) });
        written.push(new);
    }
    Listing::of(trace, listed).write(folder)?;
    Ok(written)
}

/// Gives a file another name, in place of an older file of that name; returns whether it has it.
fn link(file: &Path, name: &Path) -> bool {
    if std::fs::canonicalize(file).is_ok_and(|file| std::fs::canonicalize(name).is_ok_and(|name| name == file)) {
        return true;
    }
    let _ = std::fs::remove_file(name);
    std::fs::hard_link(file, name).is_ok()
}

/// Writes a frame to one Arrow file.
///
/// # Errors
/// If the file cannot be written.
pub fn save_frame(df: &DataFrame, path: impl AsRef<Path>) -> Result<()> {
    let (path, mut df) = (path.as_ref(), df.clone());
    df.rechunk_mut();
    let failed = |error| Error::Io { path: path.to_owned(), error };
    let metadata = metadata(FileKind::Frame, None).map_err(|error| failed(error.into()))?;
    let mut file = BufWriter::with_capacity(1 << 20, File::create(path).map_err(failed)?);
    let mut writer = IpcWriter::new(&mut file);
    writer.set_custom_schema_metadata(Arc::new(metadata));
    writer.finish(&mut df)?;
    file.flush().map_err(failed)
}

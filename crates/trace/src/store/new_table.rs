//! Writing a table to a file.

use super::TableKind;
use super::columns::{ColumnType, StoredColumn};
use super::contents::checksum;
use super::header::{FileKind, metadata};
use super::manifest::{Entry, Manifest};
use super::new_file::NewFile;
use super::symbols::NewSymbols;
use crate::{Compat, Error, RankInfo, Result, Warning};
use polars::prelude::DataFrame;
use polars_io::prelude::{IpcWriter, SerWriter};
use std::fs::FileTimes;
use std::io::{BufWriter, Error as IoError, Write};
use std::sync::Arc;

/// What a file states besides its columns.
#[derive(Clone, Copy)]
pub(crate) struct NewTable<'t> {
    pub(crate) table: TableKind,
    pub(crate) info: &'t RankInfo,
    pub(crate) compat: Compat,
    pub(crate) warnings: &'t [Warning],
}

impl NewTable<'_> {
    /// Writes the table to a file that has no name yet; `entry_of` is the key of an entry of the cache. Equal tables make equal
    /// files, entries of the cache aside.
    ///
    /// # Errors
    /// If the file cannot be written, or a column has a type of variable width.
    pub(super) fn write(self, new: NewFile, entry_of: Option<String>, frame: &DataFrame) -> Result<NewFile> {
        let failed = |error| Error::Io { path: new.path().to_owned(), error };
        let mut symbols = NewSymbols::default();
        let mut columns = Vec::with_capacity(frame.width());
        let mut stored = Vec::with_capacity(frame.width());
        for column in frame.columns() {
            let name = column.name().to_string();
            let refused =
                || failed(IoError::other(format!("cannot store the column `{name}` of type {}", column.dtype())));
            let kind = ColumnType::of(column.dtype()).ok_or_else(refused)?;
            let column = symbols.stored(column)?.rechunk();
            let crc32 = checksum(column.as_materialized_series()).ok_or_else(refused)?;
            columns.push(column);
            stored.push(StoredColumn { name, kind, crc32 });
        }
        let entry = entry_of.map(Entry::now);
        let written = entry.as_ref().map(Entry::written);
        let manifest = Manifest {
            table: self.table,
            rows: frame.height(),
            compat: self.compat,
            info: self.info.clone(),
            warnings: self.warnings.to_vec(),
            columns: stored,
            texts: symbols.texts,
            entry,
        };
        let text = serde_json::to_string(&manifest).map_err(|error| failed(error.into()))?;
        let metadata = metadata(FileKind::Table, Some(text)).map_err(|error| failed(error.into()))?;
        let mut file = BufWriter::with_capacity(1 << 20, &new.file);
        let mut batch = DataFrame::new(frame.height(), columns)?;
        batch.rechunk_mut();
        let mut writer = IpcWriter::new(&mut file);
        writer.set_custom_schema_metadata(Arc::new(metadata));
        writer.finish(&mut batch)?;
        file.flush().map_err(failed)?;
        drop(file);
        if let Some(written) = written {
            new.file.set_times(FileTimes::new().set_modified(written)).map_err(failed)?;
        }
        Ok(new)
    }
}

//! Writing a table to a file.

use super::batch::{Head, Node};
use super::header::{FileKind, metadata};
use super::manifest::{Entry, Manifest};
use super::new_column::{NewColumn, Output};
use super::new_file::NewFile;
use super::stored_column::StoredColumn;
use super::symbols::NewSymbols;
use super::table_kind::TableKind;
use crate::{Compat, Error, RankInfo, Result, Warning};
use polars::prelude::DataFrame;
use polars_arrow::datatypes::ArrowSchema;
use std::fs::FileTimes;
use std::io::Error as IoError;

/// What a file states besides its columns.
#[derive(Clone, Copy)]
pub(crate) struct NewTable<'t> {
    pub table: TableKind,
    pub info: &'t RankInfo,
    pub compat: Compat,
    pub warnings: &'t [Warning],
    /// Whether the file should be small, since it is written for the sake of memory. Otherwise all columns can be used where they
    /// are mapped.
    pub is_small: bool,
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
        for column in frame.columns() {
            let refused = || {
                let (name, dtype) = (column.name(), column.dtype());
                failed(IoError::other(format!("cannot store the column `{name}` of type {dtype}")))
            };
            columns.push(NewColumn::of(column, &mut symbols, self.is_small)?.ok_or_else(refused)?);
        }
        let batch = || columns.iter().filter(|column| !column.is_packed());
        let schema: ArrowSchema = batch().map(NewColumn::field).collect();
        let nodes: Vec<Node> = batch().map(NewColumn::node).collect();
        let head = Head::new(&schema, frame.height(), &nodes);
        let mut out = Output::new(&new.file);
        out.add(&head.bytes).map_err(failed)?;
        let mut stored: Vec<Option<StoredColumn>> = vec![None; columns.len()];
        // Those of the batch first, in order.
        for is_packed in [false, true] {
            for (column, stored) in
                columns.iter().zip(&mut stored).filter(|(column, _)| column.is_packed() == is_packed)
            {
                *stored = Some(column.write(&mut out).map_err(failed)?);
            }
        }
        let entry = entry_of.map(Entry::now);
        let written = entry.as_ref().map(Entry::written);
        let manifest = Manifest {
            table: self.table,
            rows: frame.height(),
            compat: self.compat,
            info: self.info.clone(),
            warnings: self.warnings.to_vec(),
            columns: stored.into_iter().flatten().collect(),
            texts: symbols.texts,
            entry,
        };
        let text = serde_json::to_string(&manifest).map_err(|error| failed(error.into()))?;
        let metadata = metadata(FileKind::Table, Some(text)).map_err(|error| failed(error.into()))?;
        out.add(&head.end(&schema, &metadata)).map_err(failed)?;
        out.finish().map_err(failed)?;
        if let Some(written) = written {
            new.file.set_times(FileTimes::new().set_modified(written)).map_err(failed)?;
        }
        Ok(new)
    }
}

//! One table of a rank in a file.

use super::bounds::{file_metadata, verify};
use super::columns::{ColumnType, StoredColumn};
use super::header::{FileKind, metadata, verified};
use super::identity::Identity;
use super::mapping::Mapping;
use super::new_file::NewFile;
use super::symbols::{NewSymbols, Symbols};
use crate::error::{SavedFileReason, UnusableReason};
use crate::frame::Categories;
use crate::{Compat, Error, RankInfo, Result, Warning};
use polars::prelude::{Column, DataFrame, DataType, IntoColumn, PlSmallStr, PolarsResult, Series};
use polars_arrow::bitmap::utils::count_zeros;
use polars_arrow::io::ipc::read::FileMetadata;
use polars_arrow::mmap::mmap_unchecked;
use polars_io::prelude::{IpcWriter, SerWriter};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::fs::File;
use std::io::{BufWriter, Cursor, Error as IoError, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

/// Which table of a rank a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum TableKind {
    /// The complete events.
    Events,
    /// The instants.
    Instants,
    /// The counters.
    Counters,
}

/// What a file holds besides its columns.
#[derive(Serialize, Deserialize)]
struct Manifest {
    table: TableKind,
    rows: usize,
    compat: Compat,
    info: RankInfo,
    warnings: Vec<Warning>,
    columns: Vec<StoredColumn>,
    /// The symbol table.
    texts: Vec<String>,
}

/// One table of a rank in a file: immutable, mapped when it is used. Cheap to clone.
#[derive(Clone)]
pub(crate) struct StoredTable(Arc<Inner>);

struct Inner {
    path: PathBuf,
    identity: Identity,
    /// Whether the file was found changed: then it is not used any more.
    changed: Arc<AtomicBool>,
    /// Whether the content was verified.
    verified: AtomicBool,
    /// Mappings that may still be in use.
    mappings: Mutex<Vec<Weak<Mapping>>>,
    layout: FileMetadata,
    table: TableKind,
    rows: usize,
    info: Arc<RankInfo>,
    compat: Compat,
    warnings: Vec<Warning>,
    stored: Vec<StoredColumn>,
    columns: Vec<(PlSmallStr, DataType)>,
    texts: Vec<String>,
    /// The texts as categories of this process, from the first use on.
    symbols: OnceLock<Symbols>,
}

impl fmt::Debug for StoredTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StoredTable({:?}, {:?}, rank {})", self.0.path, self.0.table, self.0.info.rank)
    }
}

impl StoredTable {
    /// Writes a table to a file, replacing an older file of that name; equal tables make equal files.
    ///
    /// # Errors
    /// If the file cannot be written, or a column has a type of variable width.
    pub(crate) fn write(
        path: &Path,
        table: TableKind,
        info: &RankInfo,
        compat: Compat,
        warnings: &[Warning],
        frame: &DataFrame,
    ) -> Result<Self> {
        let failed = |error| Error::Io { path: path.to_owned(), error };
        let mut symbols = NewSymbols::default();
        let mut columns = Vec::with_capacity(frame.width());
        let mut stored = Vec::with_capacity(frame.width());
        for column in frame.columns() {
            let name = column.name().clone();
            let kind = ColumnType::of(column.dtype()).ok_or_else(|| {
                failed(IoError::other(format!("cannot store the column `{name}` of type {}", column.dtype())))
            })?;
            columns.push(symbols.stored(column)?);
            stored.push(StoredColumn { name: name.to_string(), kind });
        }
        let manifest = Manifest {
            table,
            rows: frame.height(),
            compat,
            info: info.clone(),
            warnings: warnings.to_vec(),
            columns: stored,
            texts: symbols.texts,
        };
        let text = serde_json::to_string(&manifest).map_err(|error| failed(error.into()))?;
        let metadata = metadata(FileKind::Table, Some(text)).map_err(|error| failed(error.into()))?;
        let new = NewFile::create(path.parent().unwrap_or(Path::new("."))).map_err(failed)?;
        let mut file = BufWriter::with_capacity(1 << 20, &new.file);
        let mut batch = DataFrame::new(frame.height(), columns)?;
        batch.rechunk_mut();
        let mut writer = IpcWriter::new(&mut file);
        writer.set_custom_schema_metadata(Arc::new(metadata));
        writer.finish(&mut batch)?;
        file.flush().map_err(failed)?;
        drop(file);
        new.publish(path).map_err(failed)?;
        Self::open(path)
    }

    /// Opens a file: reads its header and manifest, and nothing of its columns.
    ///
    /// # Errors
    /// [`Error::Io`] if it cannot be opened, [`Error::NotASavedFile`] if this version of the library did not write it, or
    /// its manifest is damaged.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let failed = |error| Error::Io { path: path.to_owned(), error };
        let invalid = |reason| Error::NotASavedFile { path: path.to_owned(), reason };
        let mut file = File::open(path).map_err(failed)?;
        let identity = Identity::of(&file).map_err(failed)?;
        let layout = file_metadata(&mut file).map_err(invalid)?;
        let texts = layout.custom_schema_metadata.as_deref().ok_or_else(|| invalid(SavedFileReason::Foreign))?;
        let manifest = verified(texts, FileKind::Table).map_err(invalid)?;
        let manifest: Manifest =
            serde_json::from_str(manifest).map_err(|error| invalid(SavedFileReason::Manifest(error.to_string())))?;
        let categories = Categories::shared();
        let columns = manifest
            .columns
            .iter()
            .map(|column| (PlSmallStr::from_str(&column.name), column.kind.in_frame(&categories)))
            .collect();
        Ok(Self(Arc::new(Inner {
            path: std::path::absolute(path).map_err(failed)?,
            identity,
            changed: Arc::default(),
            verified: AtomicBool::new(false),
            mappings: Mutex::default(),
            layout,
            table: manifest.table,
            rows: manifest.rows,
            info: Arc::new(manifest.info),
            compat: manifest.compat,
            warnings: manifest.warnings,
            stored: manifest.columns,
            columns,
            texts: manifest.texts,
            symbols: OnceLock::new(),
        })))
    }

    /// Returns the facts of the rank.
    pub(crate) fn info(&self) -> &Arc<RankInfo> {
        &self.0.info
    }

    /// Returns the mode in which the rank was loaded.
    pub(crate) fn compat(&self) -> Compat {
        self.0.compat
    }

    /// Returns what was repaired, dropped or assumed when the rank was loaded.
    pub(crate) fn warnings(&self) -> &[Warning] {
        &self.0.warnings
    }

    /// Returns the absolute path of the file.
    pub(crate) fn path(&self) -> &Path {
        &self.0.path
    }

    /// Returns the size of the file.
    pub(crate) fn bytes(&self) -> u64 {
        self.0.identity.size
    }

    /// Returns which table of the rank it is.
    pub(crate) fn table(&self) -> TableKind {
        self.0.table
    }

    /// Returns the number of rows.
    pub(crate) fn rows(&self) -> usize {
        self.0.rows
    }

    /// Returns the names and types of the columns.
    pub(crate) fn columns(&self) -> &[(PlSmallStr, DataType)] {
        &self.0.columns
    }

    /// Maps the file; dropping the frame and all its columns unmaps it. The content is verified the first time. What
    /// leaves the library must be checked with [`Self::check`] after the frame was used.
    ///
    /// # Errors
    /// [`Error::Unusable`] if the file changed since it was opened, or is gone; [`Error::NotASavedFile`] if its content
    /// is damaged.
    pub(crate) fn frame(&self) -> Result<DataFrame> {
        let inner = &*self.0;
        if inner.changed.load(Ordering::Acquire) {
            return Err(self.unusable(UnusableReason::Changed));
        }
        let file = File::open(&inner.path).map_err(|error| match error.kind() {
            ErrorKind::NotFound => self.unusable(UnusableReason::Gone),
            _ => Error::Io { path: inner.path.clone(), error },
        })?;
        let mapping =
            Mapping::new(file, &inner.changed).map_err(|error| Error::Io { path: inner.path.clone(), error })?;
        if mapping.identity() != inner.identity {
            return Err(self.found_changed());
        }
        let mapping = Arc::new(mapping);
        {
            let mut mappings = inner.mappings.lock().unwrap_or_else(PoisonError::into_inner);
            mappings.retain(|mapping| mapping.strong_count() > 0);
            mappings.push(Arc::downgrade(&mapping));
        }
        let frame = self.columns_of(&mapping);
        // Before the result: what a changed file holds may be refused for any reason.
        if mapping.is_changed() {
            return Err(self.found_changed());
        }
        frame
    }

    /// Verifies that the file was not changed while it was mapped.
    ///
    /// # Errors
    /// [`Error::Unusable`] if it was: then what was read from the frames may be wrong.
    pub(crate) fn check(&self) -> Result<()> {
        let inner = &*self.0;
        let mut mappings = inner.mappings.lock().unwrap_or_else(PoisonError::into_inner);
        let changed = mappings.iter().filter_map(Weak::upgrade).any(|mapping| mapping.is_changed());
        mappings.retain(|mapping| mapping.strong_count() > 0);
        if changed || inner.changed.load(Ordering::Acquire) { Err(self.found_changed()) } else { Ok(()) }
    }

    #[cfg(test)]
    pub(super) fn texts(&self) -> &[String] {
        &self.0.texts
    }

    fn found_changed(&self) -> Error {
        self.0.changed.store(true, Ordering::Release);
        self.unusable(UnusableReason::Changed)
    }

    fn unusable(&self, reason: UnusableReason) -> Error {
        Error::Unusable { path: self.0.path.clone(), reason }
    }

    /// Returns the columns of a mapped file.
    fn columns_of(&self, mapping: &Arc<Mapping>) -> Result<DataFrame> {
        let inner = &*self.0;
        let invalid = |reason| Error::NotASavedFile { path: inner.path.clone(), reason };
        let is_new = !inner.verified.load(Ordering::Acquire);
        if is_new {
            let mut bytes = Cursor::new(mapping.as_ref().as_ref());
            verify(&mut bytes, &inner.layout).map_err(invalid)?;
            if inner.layout.blocks.len() != 1 {
                return Err(invalid(SavedFileReason::Bounds));
            }
        }
        let batch = map_batch(&inner.layout, mapping)?;
        let symbols = match inner.symbols.get() {
            Some(symbols) => symbols,
            None => {
                let new = Symbols::new(&inner.texts)?;
                inner.symbols.get_or_init(|| new)
            }
        };
        let mut columns = Vec::with_capacity(batch.len());
        for column in batch {
            if is_new && !has_stated_nulls(&column) {
                return Err(invalid(SavedFileReason::Bounds));
            }
            columns.push(column);
        }
        let has_types = columns.len() == inner.stored.len()
            && columns
                .iter()
                .zip(&inner.stored)
                .all(|(column, stored)| *column.name() == *stored.name && *column.dtype() == stored.kind.in_file());
        if !has_types {
            let missing =
                inner.stored.iter().zip(&columns).find(|(stored, column)| {
                    *column.name() != *stored.name || *column.dtype() != stored.kind.in_file()
                });
            let column = missing.map(|(stored, _)| stored.name.clone()).unwrap_or_default();
            return Err(invalid(SavedFileReason::Column { column }));
        }
        if let Some(column) = columns.iter().find(|column| column.len() != inner.rows) {
            return Err(invalid(SavedFileReason::Rows { found: column.len(), expected: inner.rows }));
        }
        let mut logical: Vec<Column> = Vec::with_capacity(columns.len());
        for (column, stored) in columns.into_iter().zip(&inner.stored) {
            logical.push(if stored.kind == ColumnType::Category {
                let codes = column.u32()?;
                if is_new {
                    symbols.verify(&stored.name, codes).map_err(invalid)?;
                }
                symbols.categories_of(codes)
            } else {
                column.into_column()
            });
        }
        inner.verified.store(true, Ordering::Release);
        Ok(DataFrame::new(inner.rows, logical)?)
    }
}

/// Makes columns of the pages of a mapped file.
#[allow(unsafe_code)]
fn map_batch(layout: &FileMetadata, mapping: &Arc<Mapping>) -> PolarsResult<Vec<Series>> {
    // SAFETY: `verify` found all columns of the one batch to be of fixed width, inside the file and as long as the batch.
    let batch = unsafe { mmap_unchecked(layout, &Default::default(), Arc::clone(mapping), 0)? };
    let fields = layout.schema.iter_values();
    fields.zip(batch.into_arrays()).map(|(field, array)| Series::from_arrow(field.name.clone(), array)).collect()
}

/// Whether the validity bitmap of a column has as many unset bits as the file states, on which polars relies.
fn has_stated_nulls(column: &Series) -> bool {
    column.chunks().iter().filter_map(|chunk| chunk.validity()).all(|validity| {
        let (bytes, offset, length) = validity.as_slice();
        count_zeros(bytes, offset, length) == validity.unset_bits()
    })
}

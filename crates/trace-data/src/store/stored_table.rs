//! One table of a rank in a file.

use super::bounds::{file_metadata, verify};
use super::columns::ColumnType;
use super::contents::{Contents, Extent, Verified};
use super::header::{FileKind, verified};
use super::identity::Identity;
use super::manifest::Manifest;
use super::mapping::Mapping;
use super::new_file::NewFile;
use super::new_table::NewTable;
use super::packed::PackedColumns;
use super::stored_column::StoredColumn;
use super::symbols::Symbols;
use super::table_kind::TableKind;
use crate::error::{SavedFileReason, UnusableReason};
use crate::exec::changed_files::{self, MappedFile};
use crate::frame::Categories;
use crate::{Compat, Error, RankInfo, Result, Warning};
use polars::prelude::{Column, DataFrame, DataType, IntoColumn, PlSmallStr, PolarsResult, Series};
use polars_arrow::bitmap::utils::count_zeros;
use polars_arrow::io::ipc::read::FileMetadata;
use polars_arrow::mmap::mmap_unchecked;
use std::fmt;
use std::fs::File;
use std::io::{Cursor, ErrorKind};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

/// One table of a rank in a file: immutable, mapped when it is used. Cheap to clone.
#[derive(Clone)]
pub(crate) struct StoredTable(Arc<Inner>);

struct Inner {
    path: Arc<Path>,
    /// The file, if this is one of the first tables: then it may be removed or replaced while the table is used.
    file: Option<OpenFile>,
    identity: Identity,
    /// Whether the file was found changed: then it is not used any more.
    changed: Arc<AtomicBool>,
    /// What of the content was verified.
    verified: Verified,
    layout: FileMetadata,
    table: TableKind,
    rows: usize,
    info: Arc<RankInfo>,
    compat: Compat,
    warnings: Vec<Warning>,
    stored: Vec<StoredColumn>,
    columns: Vec<(PlSmallStr, DataType)>,
    texts: Vec<String>,
    entry_of: Option<String>,
    /// The texts as categories of this process, from the first use on.
    symbols: OnceLock<Symbols>,
    /// Mappings of the file that may still be in use.
    mappings: Mutex<Vec<Weak<Mapping>>>,
}

/// A file that is kept open.
struct OpenFile(Arc<File>);

/// Files that are kept open.
static OPEN_FILES: AtomicUsize = AtomicUsize::new(0);

/// Most of them; a process may often open 1024 files.
const MOST_OPEN: usize = 256;

impl OpenFile {
    fn of(file: File) -> Option<Self> {
        let may_stay = OPEN_FILES.fetch_add(1, Ordering::AcqRel) < MOST_OPEN;
        // Counts itself out again on drop.
        let open = Self(Arc::new(file));
        may_stay.then_some(open)
    }
}

impl Drop for OpenFile {
    fn drop(&mut self) {
        OPEN_FILES.fetch_sub(1, Ordering::AcqRel);
    }
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
        is_small: bool,
    ) -> Result<Self> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let failed = |error| Error::Io { path: path.to_owned(), error };
        let new = NewFile::create(folder, 0o400).map_err(failed)?;
        let new = NewTable { table, info, compat, warnings, is_small }.write(new, None, frame)?;
        new.publish(path).map_err(failed)?;
        Self::open(path)
    }

    /// Opens a file: reads its header and manifest, and nothing of its columns.
    ///
    /// # Errors
    /// [`Error::Io`] if it cannot be opened, [`Error::NotASavedFile`] if this version of the library did not write it, or
    /// its manifest is damaged.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        Self::opened(path, None)
    }

    /// Opens an entry of the cache, which was made of `key`; the facts of the rank name its file `file`.
    ///
    /// # Errors
    /// As [`Self::open`], and [`SavedFileReason::Foreign`] if it was made of something else, or written to since.
    pub(super) fn open_entry(path: &Path, key: &str, file: &str) -> Result<Self> {
        Self::opened(path, Some((key, file)))
    }

    fn opened(path: &Path, entry_of: Option<(&str, &str)>) -> Result<Self> {
        let failed = |error| Error::Io { path: path.to_owned(), error };
        let invalid = |reason| Error::NotASavedFile { path: path.to_owned(), reason };
        let mut file = File::open(path).map_err(failed)?;
        let identity = Identity::of(&file).map_err(failed)?;
        let layout = file_metadata(&mut file).map_err(invalid)?;
        let texts = layout.custom_schema_metadata.as_deref().ok_or_else(|| invalid(SavedFileReason::Foreign))?;
        let manifest = verified(texts, FileKind::Table).map_err(invalid)?;
        let mut manifest: Manifest =
            serde_json::from_str(manifest).map_err(|error| invalid(SavedFileReason::Manifest(error.to_string())))?;
        if let Some((key, name)) = entry_of {
            let found = file.metadata().map_err(failed)?;
            if !manifest.entry.as_ref().is_some_and(|entry| entry.key == key && entry.is_untouched(&found)) {
                return Err(invalid(SavedFileReason::Foreign));
            }
            // Before it is offered: what is damaged here is made again.
            verify(&mut file, &layout).map_err(invalid)?;
            manifest.rename(name);
        }
        let categories = Categories::shared();
        let columns = manifest
            .columns
            .iter()
            .map(|column| (PlSmallStr::from_str(&column.name), column.kind.in_frame(&categories)))
            .collect();
        Ok(Self(Arc::new(Inner {
            path: std::path::absolute(path).map_err(failed)?.into(),
            file: OpenFile::of(file),
            identity,
            changed: Arc::default(),
            verified: Verified::default(),
            layout,
            table: manifest.table,
            rows: manifest.rows,
            info: Arc::new(manifest.info),
            compat: manifest.compat,
            warnings: manifest.warnings,
            stored: manifest.columns,
            columns,
            texts: manifest.texts,
            entry_of: manifest.entry.map(|entry| entry.key),
            symbols: OnceLock::new(),
            mappings: Mutex::default(),
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

    /// Returns the key of an entry of the cache.
    pub(super) fn entry_of(&self) -> Option<&str> {
        self.0.entry_of.as_deref()
    }

    /// Returns the names and types of the columns.
    pub(crate) fn columns(&self) -> &[(PlSmallStr, DataType)] {
        &self.0.columns
    }

    /// Maps the file; dropping the frame and all its columns unmaps it. A column is verified the first time that it is used. What
    /// leaves the library must be checked with [`Self::check`] after the frame was used.
    ///
    /// # Errors
    /// [`Error::Unusable`] if the file changed since it was opened, or is gone; [`Error::NotASavedFile`] if its content
    /// is damaged.
    pub(crate) fn frame(&self) -> Result<DataFrame> {
        self.mapped(&|_| true)
    }

    /// Maps the file as [`Self::frame`] does, and returns only the columns that are in `names`: the codes of others are not
    /// translated.
    ///
    /// # Errors
    /// As [`Self::frame`].
    pub(crate) fn frame_of(&self, names: &[PlSmallStr]) -> Result<DataFrame> {
        self.mapped(&|name| names.iter().any(|wanted| wanted == name))
    }

    fn mapped(&self, is_wanted: &dyn Fn(&str) -> bool) -> Result<DataFrame> {
        let inner = &*self.0;
        if inner.changed.load(Ordering::Acquire) {
            return Err(self.unusable(UnusableReason::Changed));
        }
        let failed = |error| Error::Io { path: inner.path.to_path_buf(), error };
        let file = match &inner.file {
            Some(open) => Arc::clone(&open.0),
            None => Arc::new(File::open(&inner.path).map_err(|error| match error.kind() {
                ErrorKind::NotFound => self.unusable(UnusableReason::Gone),
                _ => failed(error),
            })?),
        };
        let is_entry = inner.entry_of.is_some();
        let mapping = Mapping::new(file, &inner.path, &inner.changed, is_entry).map_err(failed)?;
        if mapping.identity() != inner.identity {
            return Err(self.found_changed());
        }
        let mapping = Arc::new(mapping);
        let weak = Arc::downgrade(&mapping);
        self.mappings(|mappings| mappings.push(Weak::clone(&weak)));
        changed_files::add(weak);
        let frame = self.columns_of(&mapping, is_wanted);
        // Before the result: what a changed file holds may be refused for any reason.
        mapping.report_if_changed();
        if inner.changed.load(Ordering::Acquire) {
            return Err(self.unusable(UnusableReason::Changed));
        }
        frame
    }

    /// Verifies that the file was not changed while it was mapped. Looks at no other file: each of many ranks is checked.
    ///
    /// # Errors
    /// [`Error::Unusable`] if it was: then what was read from the frames may be wrong.
    pub(crate) fn check(&self) -> Result<()> {
        // Not under the lock: the last owner of a mapping may go away meanwhile.
        let mapped: Vec<Arc<Mapping>> = self.mappings(|mappings| mappings.iter().filter_map(Weak::upgrade).collect());
        for mapping in mapped {
            mapping.report_if_changed();
        }
        if self.0.changed.load(Ordering::Acquire) { Err(self.unusable(UnusableReason::Changed)) } else { Ok(()) }
    }

    /// Accesses the mappings of the file that may still be in use.
    fn mappings<T>(&self, access: impl FnOnce(&mut Vec<Weak<Mapping>>) -> T) -> T {
        let mut mappings = self.0.mappings.lock().unwrap_or_else(PoisonError::into_inner);
        mappings.retain(|mapping| mapping.strong_count() > 0);
        access(&mut mappings)
    }

    #[cfg(test)]
    pub(super) fn texts(&self) -> &[String] {
        &self.0.texts
    }

    /// Opens the table without keeping its file open.
    #[cfg(test)]
    pub(super) fn closed(self) -> Self {
        Self(Arc::into_inner(self.0).map(|inner| Inner { file: None, ..inner }).map(Arc::new).unwrap())
    }

    fn found_changed(&self) -> Error {
        self.0.changed.store(true, Ordering::Release);
        self.unusable(UnusableReason::Changed)
    }

    fn unusable(&self, reason: UnusableReason) -> Error {
        Error::Unusable { path: self.0.path.to_path_buf(), reason }
    }

    /// Returns the columns of a mapped file.
    fn columns_of(&self, mapping: &Arc<Mapping>, is_wanted: &dyn Fn(&str) -> bool) -> Result<DataFrame> {
        let inner = &*self.0;
        let invalid = |reason| Error::NotASavedFile { path: inner.path.to_path_buf(), reason };
        let status = mapping.status();
        let (contents, verified) = match inner.verified.of(status) {
            Some(known) => known,
            None => {
                let mut bytes = Cursor::new(mapping.as_ref().as_ref());
                let extents = verify(&mut bytes, &inner.layout).map_err(invalid)?;
                if inner.layout.blocks.len() != 1 {
                    return Err(invalid(SavedFileReason::Bounds));
                }
                let extents = self.with_packed(extents, mapping.as_ref().as_ref().len()).map_err(invalid)?;
                let contents = Arc::new(Contents::new(extents, inner.stored.iter().map(|column| column.crc32)));
                inner.verified.begin(status, &contents);
                (contents, vec![false; inner.stored.len()])
            }
        };
        mapping.expect(&contents);
        let columns = map_batch(&inner.layout, mapping)?;
        let symbols = match inner.symbols.get() {
            Some(symbols) => symbols,
            None => {
                let new = Symbols::new(&inner.texts)?;
                inner.symbols.get_or_init(|| new)
            }
        };
        let file: &[u8] = mapping.as_ref().as_ref();
        let packed_columns = PackedColumns { file, rows: inner.rows };
        let mut columns = columns.into_iter();
        let mut logical: Vec<Column> = Vec::with_capacity(inner.stored.len());
        for (at, stored) in inner.stored.iter().enumerate() {
            let mapped = if stored.packed.is_some() { None } else { columns.next() };
            if !is_wanted(&stored.name) {
                continue;
            }
            let is_verified = verified.get(at).copied().unwrap_or(false);
            if !is_verified && !contents.is_intact(at, file) {
                mapping.mark();
                return Err(self.unusable(UnusableReason::Changed));
            }
            let column = match (stored.packed, mapped) {
                (Some(packed), _) => {
                    packed_columns.column(&stored.name, stored.kind, packed, symbols).map_err(invalid)?
                }
                (None, Some(mapped)) if *mapped.name() == *stored.name && stored.kind.is_stored_as(mapped.dtype()) => {
                    if mapped.len() != inner.rows {
                        return Err(invalid(SavedFileReason::Rows { found: mapped.len(), expected: inner.rows }));
                    }
                    let is_category = stored.kind == ColumnType::Category;
                    if !is_verified {
                        if !has_stated_nulls(&mapped) {
                            return Err(invalid(SavedFileReason::Bounds));
                        }
                        if is_category {
                            symbols.verify(&mapped).map_err(invalid)?;
                        }
                    }
                    if is_category { symbols.categories_of(&mapped)? } else { mapped.into_column() }
                }
                _ => return Err(invalid(SavedFileReason::Column { column: stored.name.clone() })),
            };
            inner.verified.add(status, at);
            logical.push(column);
        }
        Ok(DataFrame::new(inner.rows, logical)?)
    }

    /// Returns where all columns are: those of the batch, in order, and those that are packed.
    fn with_packed(&self, of_batch: Vec<Extent>, file: usize) -> std::result::Result<Vec<Extent>, SavedFileReason> {
        let mut of_batch = of_batch.into_iter();
        let extent = |column: &StoredColumn| match column.packed {
            Some(packed) => packed.extent(column.kind, self.0.rows, file),
            None => of_batch.next().ok_or_else(|| SavedFileReason::Column { column: column.name.clone() }),
        };
        self.0.stored.iter().map(extent).collect()
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

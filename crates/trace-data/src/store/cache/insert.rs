//! Keeping a loaded rank, and making room for it.

use super::access::Cache;
use super::folder_lock::FolderLock;
use super::in_use::in_use;
use super::key::Key;
use super::own_files::{is_entry, is_entry_name, is_own_name};
use super::sync::UNSYNCED;
use crate::Error;
use crate::store::new_file::NewFile;
use crate::store::{NewTable, StoredTable, TableKind, free_space};
use polars::prelude::DataFrame;
use std::fs::{DirEntry, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::sync::PoisonError;
use std::time::{Duration, SystemTime};

/// Rows that are worth a file if their load took long.
const FEWEST_ROWS: usize = 10_000;
/// Rows that are always worth it.
const MANY_ROWS: usize = 50_000;
/// How long a load takes that is worth it.
const LONG: Duration = Duration::from_millis(100);

/// An entry uses at most this part of the limit, and of the free space on the disk.
const SHARE: u64 = 4;

/// A file of the cache.
pub(super) struct File {
    pub(super) path: PathBuf,
    pub(super) name: String,
    inode: u64,
    pub(super) bytes: u64,
    pub(super) used: SystemTime,
}

impl Cache {
    /// Keeps a table of a loaded rank if that is worth it and there is room; `took` is the time of its load. Returns its file,
    /// from which the rank may be used instead of from memory. If it cannot be kept, the load goes on without.
    pub(crate) fn insert(
        &self,
        key: &Key,
        new: NewTable<'_>,
        frame: &DataFrame,
        took: Duration,
    ) -> Option<StoredTable> {
        let rows = frame.height();
        let is_worth_it = match new.table {
            TableKind::Events | TableKind::Args => rows >= MANY_ROWS || (rows >= FEWEST_ROWS && took >= LONG),
            // However few they are, the whole file was read for them.
            TableKind::Instants | TableKind::Counters => took >= LONG,
        };
        if !is_worth_it {
            return None;
        }
        let bytes = frame.estimated_size() as u64;
        if bytes > self.limit() / SHARE {
            return None;
        }
        let free = free_space(self.folder()).unwrap_or(0);
        if bytes > free / SHARE {
            self.set_problem(&format_args!("the disk has only {} left", trace_view::format::bytes(free)));
            return None;
        }
        // The file may have changed while it was read.
        if !key.is_current() {
            return None;
        }
        match self.try_insert(key, new, frame) {
            Ok(stored) => stored,
            Err(error) => {
                self.set_problem(&error);
                None
            }
        }
    }

    fn try_insert(&self, key: &Key, table: NewTable<'_>, frame: &DataFrame) -> Result<Option<StoredTable>, Error> {
        let name = Self::file_name(key, table.table);
        let path = self.folder().join(&name);
        let failed = |error| self.failed(&error);
        let new = {
            // Until it is locked, another process that starts would take it for abandoned.
            let _lock = FolderLock::shared(self.folder()).map_err(failed)?;
            NewFile::create(self.folder(), UNSYNCED).map_err(failed)?
        };
        let new = table.write(new, Some(key.text()), frame)?;
        let bytes = new.file.metadata().map_err(failed)?.len();
        let _lock = FolderLock::exclusive(self.folder()).map_err(failed)?;
        if path.exists() {
            // Another process was faster, with the same content.
            if let Ok(opened) = StoredTable::open_entry(&path, &key.text(), &table.info.file) {
                self.note_use(&name).map_err(failed)?;
                return Ok(Some(opened));
            }
        }
        if !self.make_room(bytes) {
            return Ok(None);
        }
        self.note_use(&name).map_err(failed)?;
        self.sync(new.publish(&path).map_err(failed)?);
        StoredTable::open_entry(&path, &key.text(), &table.info.file).map(Some)
    }

    /// Removes the entries that were not used for longest, and that no living process has opened, until `bytes` more fit.
    /// The caller holds the exclusive lock. Returns whether they fit.
    pub(super) fn make_room(&self, bytes: u64) -> bool {
        let total = |files: &[File]| files.iter().map(|file| file.bytes).sum::<u64>().saturating_add(bytes);
        let mut files = self.named_files();
        if total(&files) <= self.limit() {
            return true;
        }
        self.retain_entries(&mut files);
        let mut total = total(&files);
        let in_use = in_use(self.folder());
        files.sort_by_key(|file| file.used);
        for file in files.iter().filter(|file| !in_use.contains(&file.name)) {
            if total <= self.limit() {
                break;
            }
            if std::fs::remove_file(&file.path).is_ok() {
                total = total.saturating_sub(file.bytes);
            }
        }
        total <= self.limit()
    }

    /// Returns all files of entries.
    pub(super) fn files(&self) -> Vec<File> {
        let mut files = self.named_files();
        self.retain_entries(&mut files);
        files
    }

    /// Returns the files that have names of entries.
    fn named_files(&self) -> Vec<File> {
        let entries = std::fs::read_dir(self.folder()).into_iter().flatten().flatten();
        let file = |entry: DirEntry| {
            let name = entry.file_name().into_string().ok().filter(|name| is_entry_name(name))?;
            let found = entry.metadata().ok().filter(Metadata::is_file)?;
            let used = found.accessed().ok()?;
            Some(File { path: entry.path(), name, inode: found.ino(), bytes: found.len(), used })
        };
        entries.filter_map(file).collect()
    }

    /// Retains the files that are entries. Each file is read once.
    fn retain_entries(&self, files: &mut Vec<File>) {
        let mut proved = self.0.proved.lock().unwrap_or_else(PoisonError::into_inner);
        let known = std::mem::take(&mut *proved);
        files.retain(|file| {
            let identity = (file.name.clone(), file.inode, file.bytes);
            let is_proved = known.contains(&identity) || is_entry(&file.path, &file.name);
            is_proved && proved.insert(identity)
        });
    }

    /// Counts the files and folders in the folder of the cache that no cache wrote.
    pub fn foreign_files(&self) -> usize {
        let entries = std::fs::read_dir(self.folder()).into_iter().flatten().flatten();
        entries.filter(|entry| !entry.file_name().to_str().is_some_and(is_own_name)).count()
    }
}

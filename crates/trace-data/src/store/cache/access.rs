//! The cache: its folder, its limit, and looking up an entry.

use super::folder_lock::FolderLock;
use super::in_use::InUse;
use super::key::Key;
use super::own_files::{SUFFIX, claim, is_claimed};
use super::sync;
use crate::store::new_file::remove_abandoned;
use crate::store::{StoredTable, TableKind, is_in_memory};
use crate::{Error, Result};
use std::collections::HashSet;
use std::fs::{DirBuilder, File, FileTimes};
use std::io::Error as IoError;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

/// A folder of loaded ranks, which the next load of the same file opens in milliseconds. Cheap to clone; any number of
/// processes may use one folder.
#[derive(Debug, Clone)]
pub struct Cache(pub(super) Arc<Shared>);

#[derive(Debug)]
pub(super) struct Shared {
    pub(super) folder: PathBuf,
    limit: AtomicU64,
    in_use: Mutex<Option<InUse>>,
    /// Takes files that are to reach the disk.
    pub(super) unsynced: Mutex<Option<SyncSender<File>>>,
    /// Files that are proved to be entries: name, inode, size.
    pub(super) proved: Mutex<HashSet<(String, u64, u64)>>,
    /// Why the last entry was not kept.
    problem: Mutex<Option<String>>,
}

impl Cache {
    /// Opens the cache in `folder`, which is created if need be, with a limit on its size in bytes. Its first use marks the folder
    /// as a cache (`CACHEDIR.TAG`).
    ///
    /// # Errors
    /// [`Error::NoCache`] if the folder cannot be used: it is not writable, belongs to another user, is in memory, or contains
    /// files and was not marked as a cache before.
    ///
    /// # Example
    /// ```
    /// use trace::{Cache, LoadOptions, TraceSet};
    ///
    /// # fn main() -> trace::Result<()> {
    /// # let folder = std::env::current_dir().unwrap().join("../../target/cache-example");
    /// let cache = Cache::open(folder, 10 << 30)?;
    /// assert_eq!(cache.limit(), 10 << 30);
    /// # Ok(())
    /// # }
    /// ```
    pub fn open(folder: impl Into<PathBuf>, limit: u64) -> Result<Self> {
        let folder = folder.into();
        let failed = |error: IoError| Error::NoCache { folder: folder.clone(), reason: error.to_string() };
        if folder.ancestors().find(|folder| folder.exists()).is_some_and(is_in_memory) {
            return Err(failed(IoError::other("it is in memory, which a cache would fill")));
        }
        DirBuilder::new().recursive(true).mode(0o700).create(&folder).map_err(failed)?;
        let found = std::fs::metadata(&folder).map_err(failed)?;
        if found.uid() != rustix::process::geteuid().as_raw() {
            return Err(failed(IoError::other("it belongs to another user")));
        }
        if found.mode() & 0o022 != 0 {
            return Err(failed(IoError::other("other users may write to it; `chmod 700` makes it private")));
        }
        claim(&folder).map_err(failed)?;
        // Tells now whether the folder can be written to.
        let lock = FolderLock::exclusive(&folder).map_err(failed)?;
        remove_abandoned(&folder);
        drop(lock);
        Ok(Self(Arc::new(Shared {
            folder,
            limit: AtomicU64::new(limit),
            in_use: Mutex::default(),
            unsynced: Mutex::default(),
            proved: Mutex::default(),
            problem: Mutex::default(),
        })))
    }

    /// Whether a folder is that of a cache.
    #[doc(hidden)]
    pub fn is_in(folder: &Path) -> bool {
        is_claimed(folder)
    }

    /// Returns the folder.
    pub fn folder(&self) -> &Path {
        &self.0.folder
    }

    /// Returns the limit on the size of all entries, in bytes.
    pub fn limit(&self) -> u64 {
        self.0.limit.load(Ordering::Relaxed)
    }

    /// Sets the limit for this process, and removes the entries that were not used for longest until the others fit.
    ///
    /// # Errors
    /// If the folder cannot be used.
    pub fn set_limit(&self, bytes: u64) -> Result<()> {
        self.0.limit.store(bytes, Ordering::Relaxed);
        let _lock = FolderLock::exclusive(self.folder()).map_err(|error| self.failed(&error))?;
        self.make_room(0);
        Ok(())
    }

    /// Returns once why an entry was not kept, for a warning: the disk is full.
    pub fn take_problem(&self) -> Option<String> {
        self.0.problem.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    pub(super) fn set_problem(&self, reason: &dyn std::fmt::Display) {
        let text = format!("the trace is not kept in the cache {}: {reason}", self.folder().display());
        *self.0.problem.lock().unwrap_or_else(PoisonError::into_inner) = Some(text);
    }

    pub(super) fn failed(&self, error: &IoError) -> Error {
        Error::NoCache { folder: self.folder().to_owned(), reason: error.to_string() }
    }

    /// Returns the name of the file of an entry.
    pub(super) fn file_name(key: &Key, table: TableKind) -> String {
        format!("{}-{}{}", key.name(), table.name(), SUFFIX)
    }

    /// Returns the table of a file that was loaded with the same options before; the facts of the rank name the file `file`.
    /// What is there and cannot be used is removed.
    pub(crate) fn lookup(&self, key: &Key, table: TableKind, file: &str) -> Option<StoredTable> {
        let name = Self::file_name(key, table);
        let path = self.folder().join(&name);
        if !path.exists() {
            return None;
        }
        // Kept while the entry is opened, so that no other process removes it before it is listed.
        let _lock = FolderLock::shared(self.folder()).ok()?;
        self.note_use(&name).ok()?;
        let opened = StoredTable::open_entry(&path, &key.text(), file).ok().filter(|opened| opened.table() == table);
        let found = std::fs::metadata(&path).ok().filter(sync::is_whole);
        let (Some(opened), Some(found)) = (opened, found) else {
            let _ = std::fs::remove_file(&path);
            return None;
        };
        if let Ok(file) = File::open(&path) {
            // The time of the last use decides what is evicted.
            let _ = file.set_times(FileTimes::new().set_accessed(SystemTime::now()));
            if !sync::is_synced(&found) {
                self.sync(file);
            }
        }
        Some(opened)
    }

    /// Notes that this process opens an entry, which no process removes from then on.
    pub(super) fn note_use(&self, name: &str) -> std::io::Result<()> {
        let mut in_use = self.0.in_use.lock().unwrap_or_else(PoisonError::into_inner);
        match &mut *in_use {
            Some(in_use) => in_use.add(name),
            None => {
                let mut new = InUse::new(self.folder())?;
                let added = new.add(name);
                *in_use = Some(new);
                added
            }
        }
    }

    /// Lets a file reach the disk later.
    pub(super) fn sync(&self, file: File) {
        let mut unsynced = self.0.unsynced.lock().unwrap_or_else(PoisonError::into_inner);
        if unsynced.is_none() {
            *unsynced = sync::start();
        }
        if let Some(files) = &*unsynced {
            // A file that does not fit into the queue is synced when it is used again.
            let _ = files.try_send(file);
        }
    }
}

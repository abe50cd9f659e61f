//! The entries of a cache, and clearing it.

use super::access::Cache;
use super::folder_lock::FolderLock;
use super::in_use::in_use;
use super::key::Key;
use crate::Result;
use crate::store::StoredTable;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// What the cache keeps of one folder of traces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CacheEntry {
    /// The folder, or the file if only one file of its folder is kept.
    pub source: PathBuf,
    /// Files of ranks.
    pub ranks: usize,
    /// Rows of events.
    pub events: usize,
    /// Size of the entries, in bytes.
    pub bytes: u64,
    /// The last use.
    pub last_used: SystemTime,
}

/// What was removed from the cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Cleared {
    /// Removed files.
    pub files: usize,
    /// Their size, in bytes.
    pub bytes: u64,
    /// Files that were kept, because a program uses them.
    pub in_use: usize,
}

impl Cache {
    /// Returns what is kept, by the folder from which it was loaded; the last used first.
    pub fn entries(&self) -> Vec<CacheEntry> {
        let mut folders: BTreeMap<PathBuf, (BTreeMap<PathBuf, usize>, CacheEntry)> = BTreeMap::new();
        for file in self.files() {
            // What cannot be read is removed when it is looked up.
            let Some((source, opened)) = source_of(&file.path) else { continue };
            let folder = source.parent().unwrap_or(&source).to_owned();
            let empty = || {
                let entry = CacheEntry { source: folder.clone(), ranks: 0, events: 0, bytes: 0, last_used: file.used };
                (BTreeMap::new(), entry)
            };
            let (sources, entry) = folders.entry(folder.clone()).or_insert_with(empty);
            sources.entry(source).or_insert(opened.info().events);
            entry.bytes += file.bytes;
            entry.last_used = entry.last_used.max(file.used);
        }
        let finish = |(sources, mut entry): (BTreeMap<PathBuf, usize>, CacheEntry)| {
            entry.ranks = sources.len();
            entry.events = sources.values().sum();
            if let (1, Some(only)) = (sources.len(), sources.into_keys().next()) {
                entry.source = only;
            }
            entry
        };
        let mut entries: Vec<CacheEntry> = folders.into_values().map(finish).collect();
        entries.sort_by_key(|entry| std::cmp::Reverse(entry.last_used));
        entries
    }

    /// Returns the size of all entries, in bytes.
    pub fn bytes(&self) -> u64 {
        self.files().iter().map(|file| file.bytes).sum()
    }

    /// Removes all entries, or those of a file or of the files in a folder. Entries that a living process has opened stay.
    ///
    /// # Errors
    /// If the folder of the cache cannot be used.
    pub fn clear(&self, source: Option<&Path>) -> Result<Cleared> {
        let source = source.map(|path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned()));
        let _lock = FolderLock::exclusive(self.folder()).map_err(|error| self.failed(&error))?;
        let in_use = in_use(self.folder());
        let mut cleared = Cleared::default();
        for file in self.files() {
            let is_meant = source.as_ref().is_none_or(|source| {
                source_of(&file.path).is_some_and(|(path, _)| path == *source || path.parent() == Some(source))
            });
            if !is_meant {
                continue;
            }
            if in_use.contains(&file.name) {
                cleared.in_use += 1;
            } else if std::fs::remove_file(&file.path).is_ok() {
                cleared.files += 1;
                cleared.bytes += file.bytes;
            }
        }
        Ok(cleared)
    }
}

/// Returns the file from which an entry was loaded.
fn source_of(path: &Path) -> Option<(PathBuf, StoredTable)> {
    let opened = StoredTable::open(path).ok()?;
    let key: Key = serde_json::from_str(opened.entry_of()?).ok()?;
    Some((key.path, opened))
}

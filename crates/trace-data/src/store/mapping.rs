//! A file mapped into memory.

use super::bus_errors::Guard;
use super::contents::Contents;
use super::identity::{Identity, Status};
use super::pages::Pages;
use crate::exec::changed_files::{self, MappedFile};
use std::fs::File;
use std::io::{Error, Result};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// A whole file, mapped for reading until this is dropped. Keeps the file open, so that it can tell whether it changed.
#[derive(Debug)]
pub(super) struct Mapping {
    // Dropped before the pages.
    guard: Guard,
    pages: Pages,
    file: Arc<File>,
    identity: Identity,
    /// The status for which the content was verified.
    status: Mutex<Status>,
    /// What the file must contain, once that is known.
    contents: OnceLock<Arc<Contents>>,
    path: Arc<Path>,
    /// Whether it is an entry of the cache, which nobody else should find once it changed.
    is_entry: bool,
    /// Set when the file is found changed.
    changed: Arc<AtomicBool>,
}

impl Mapping {
    /// Maps an open file; sets `changed` when it is found changed, at the latest in the end.
    ///
    /// # Errors
    /// If it is empty, or the system refuses.
    pub(super) fn new(file: Arc<File>, path: &Arc<Path>, changed: &Arc<AtomicBool>, is_entry: bool) -> Result<Self> {
        let (identity, status) = Identity::and_status(&file)?;
        let length = usize::try_from(identity.size).map_err(Error::other)?;
        let pages = Pages::map(&file, length)?;
        let guard =
            Guard::new(&pages.bytes().as_ptr_range()).ok_or_else(|| Error::other("too many files are mapped"))?;
        let (path, changed) = (Arc::clone(path), Arc::clone(changed));
        let (status, contents) = (Mutex::new(status), OnceLock::new());
        Ok(Self { guard, pages, file, identity, status, contents, path, is_entry, changed })
    }

    /// Returns the identity of the file when it was mapped.
    pub(super) fn identity(&self) -> Identity {
        self.identity
    }

    /// Returns the status of the file when it was mapped, or last found unchanged.
    pub(super) fn status(&self) -> Status {
        *self.status.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes what the file must contain.
    pub(super) fn expect(&self, contents: &Arc<Contents>) {
        let _ = self.contents.set(Arc::clone(contents));
    }

    /// Marks the file as changed.
    pub(super) fn mark(&self) {
        if !self.changed.swap(true, Ordering::AcqRel) {
            #[cfg(test)]
            assert!(trace_testkit::is_own_process(), "changes a mapped file outside in_own_process: {:?}", self.path);
            changed_files::report(&self.path);
            if self.is_entry {
                let _ = std::fs::remove_file(&self.path);
            }
        }
    }

    fn is_changed(&self) -> bool {
        let Ok((identity, status)) = Identity::and_status(&self.file) else { return true };
        if identity != self.identity || self.guard.is_damaged() {
            return true;
        }
        let mut verified = self.status.lock().unwrap_or_else(PoisonError::into_inner);
        if *verified != status {
            // Another name, mode or time of access; or it was written to, and its time of change set back.
            if self.contents.get().is_some_and(|contents| !contents.are_intact(self.pages.bytes())) {
                return true;
            }
            *verified = status;
        }
        self.guard.is_damaged()
    }
}

impl MappedFile for Mapping {
    /// Marks the file if it was written to, or became shorter, since it was mapped.
    fn report_if_changed(&self) {
        if self.is_changed() {
            self.mark();
        }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        self.report_if_changed();
    }
}

impl AsRef<[u8]> for Mapping {
    fn as_ref(&self) -> &[u8] {
        self.pages.bytes()
    }
}

//! A file mapped into memory.

use super::bus_errors::Guard;
use super::changes;
use super::identity::Identity;
use super::pages::Pages;
use std::fs::File;
use std::io::{Error, Result};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A whole file, mapped for reading until this is dropped. Keeps the file open, so that it can tell whether it changed.
#[derive(Debug)]
pub(super) struct Mapping {
    // Dropped before the pages.
    guard: Guard,
    pages: Pages,
    file: Arc<File>,
    identity: Identity,
    path: Arc<Path>,
    /// Set when the file is found changed.
    changed: Arc<AtomicBool>,
}

impl Mapping {
    /// Maps an open file; sets `changed` when it is found changed, at the latest in the end.
    ///
    /// # Errors
    /// If it is empty, or the system refuses.
    pub(super) fn new(file: Arc<File>, path: &Arc<Path>, changed: &Arc<AtomicBool>) -> Result<Self> {
        let identity = Identity::of(&file)?;
        let length = usize::try_from(identity.size).map_err(Error::other)?;
        let pages = Pages::map(&file, length)?;
        let guard =
            Guard::new(&pages.bytes().as_ptr_range()).ok_or_else(|| Error::other("too many files are mapped"))?;
        Ok(Self { guard, pages, file, identity, path: Arc::clone(path), changed: Arc::clone(changed) })
    }

    /// Returns the identity of the file when it was mapped.
    pub(super) fn identity(&self) -> Identity {
        self.identity
    }

    /// Marks the file if it was written to, or became shorter, since it was mapped.
    pub(super) fn mark_if_changed(&self) {
        let is_changed = self.guard.is_damaged() || Identity::of(&self.file).ok() != Some(self.identity);
        if is_changed && !self.changed.swap(true, Ordering::AcqRel) {
            changes::report(&self.path);
        }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        self.mark_if_changed();
    }
}

impl AsRef<[u8]> for Mapping {
    fn as_ref(&self) -> &[u8] {
        self.pages.bytes()
    }
}

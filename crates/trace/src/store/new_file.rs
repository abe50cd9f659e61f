//! A file that gets its name when it is whole.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Result};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// How the names of files begin that are being written.
const PREFIX: &str = ".tracebook-";
/// How they end.
const SUFFIX: &str = ".part";

/// A file that is being written, under a temporary name in its folder, and locked: without [`NewFile::publish`] it is
/// removed on drop, or by [`remove_abandoned`] if its process was killed.
pub(super) struct NewFile {
    pub(super) file: File,
    temporary: PathBuf,
}

impl NewFile {
    /// Creates a file in `folder` that only its owner may read once it is whole, and nobody may write.
    pub(super) fn create(folder: &Path) -> Result<Self> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        loop {
            let count = COUNT.fetch_add(1, Ordering::Relaxed);
            let temporary = folder.join(format!("{PREFIX}{}-{count}{SUFFIX}", std::process::id()));
            match OpenOptions::new().read(true).write(true).create_new(true).mode(0o400).open(&temporary) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                opened => {
                    let new = Self { file: opened?, temporary };
                    // Some file systems have no locks; there, abandoned files are never removed.
                    let _ = new.file.try_lock();
                    return Ok(new);
                }
            }
        }
    }

    /// Gives the file its name, replacing an older file of that name.
    pub(super) fn publish(self, path: &Path) -> Result<()> {
        std::fs::rename(&self.temporary, path)?;
        self.file.unlock()
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        // Fails after a rename, when the name is free.
        let _ = std::fs::remove_file(&self.temporary);
    }
}

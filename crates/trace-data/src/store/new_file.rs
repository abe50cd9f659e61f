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
    /// Creates a file in `folder` with a mode, which the umask restricts.
    pub(super) fn create(folder: &Path, mode: u32) -> Result<Self> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        loop {
            let count = COUNT.fetch_add(1, Ordering::Relaxed);
            let temporary = folder.join(format!("{PREFIX}{}-{count}{SUFFIX}", std::process::id()));
            match OpenOptions::new().read(true).write(true).create_new(true).mode(mode).open(&temporary) {
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

    /// Returns the temporary path.
    pub(super) fn path(&self) -> &Path {
        &self.temporary
    }

    /// Gives the file its name, replacing an older file of that name; returns it.
    pub(super) fn publish(self, path: &Path) -> Result<File> {
        std::fs::rename(&self.temporary, path)?;
        self.file.try_clone()
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        // Fails after a rename, when the name is free.
        let _ = std::fs::remove_file(&self.temporary);
    }
}

/// Whether files that are being written have such names.
pub(super) fn is_temporary(name: &str) -> bool {
    name.starts_with(PREFIX) && name.ends_with(SUFFIX)
}

/// Removes the files in `folder` that killed processes were writing.
pub(super) fn remove_abandoned(folder: &Path) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let is_ours = entry.file_name().to_str().is_some_and(is_temporary);
        if is_ours && File::open(entry.path()).is_ok_and(|file| file.try_lock().is_ok()) {
            // The next start tries again.
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

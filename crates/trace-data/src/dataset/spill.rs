//! Folders of ranks that do not fit in memory: private, and removed with the last rank in them.
//!
//! A folder holds a lock for as long as its process lives. A folder whose lock is free was left by a process that was killed:
//! the next load removes it.

use crate::store::{is_in_memory, private_folder};
use crate::{Error, Result};
use std::fs::{DirBuilder, File};
use std::io::{Error as IoError, ErrorKind, Result as IoResult};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The start of the names of all folders.
const PREFIX: &str = "ranks-";
const LOCK: &str = "lock";

/// The number of the next folder of this process.
static NEXT: AtomicUsize = AtomicUsize::new(0);

/// A folder of files that are removed with it.
#[derive(Debug)]
pub struct SpillFolder {
    path: PathBuf,
    _lock: File,
}

/// Returns a private folder for temporary files of a program that chooses none: in the folder of temporary files, or in `/var/tmp` if that
/// is in memory.
fn default_folder() -> Result<PathBuf> {
    let temporary = std::env::temp_dir();
    let on_disk = if is_in_memory(&temporary) { PathBuf::from("/var/tmp") } else { temporary };
    private_folder(None, &on_disk).map_err(|error| Error::NoSpillFolder { folder: on_disk, reason: error.to_string() })
}

/// Returns a private folder for temporary files that have no name once they are open: the chosen one, or the default.
///
/// # Errors
/// [`Error::NoSpillFolder`] if neither can be created.
pub fn temporary_folder(chosen: Option<&Path>) -> Result<PathBuf> {
    match chosen {
        Some(folder) if DirBuilder::new().recursive(true).mode(0o700).create(folder).is_ok() => Ok(folder.to_owned()),
        _ => default_folder(),
    }
}

/// A file in such a folder; removed on drop, and the folder with its last file.
#[derive(Debug)]
pub(crate) struct SpilledFile {
    path: PathBuf,
    _folder: Arc<SpillFolder>,
}

impl SpillFolder {
    /// Creates a folder in `parent`, or among temporary files if that cannot be used, and removes those of killed processes
    /// there.
    ///
    /// # Errors
    /// [`Error::NoSpillFolder`] if it cannot be created, or would be in memory.
    pub fn create(parent: Option<&Path>) -> Result<Arc<Self>> {
        let Some(parent) = parent else { return Self::create_in_default() };
        Self::create_in(parent).or_else(|error| Self::create_in_default().map_err(|_| error))
    }

    /// Creates a folder for a program that chooses no parent.
    fn create_in_default() -> Result<Arc<Self>> {
        Self::create_in(&default_folder()?.join("ranks"))
    }

    fn create_in(parent: &Path) -> Result<Arc<Self>> {
        let failed = |error: IoError| Error::NoSpillFolder { folder: parent.to_owned(), reason: error.to_string() };
        if parent.ancestors().find(|folder| folder.exists()).is_some_and(is_in_memory) {
            return Err(failed(IoError::other("it is in memory")));
        }
        DirBuilder::new().recursive(true).mode(0o700).create(parent).map_err(failed)?;
        let user = rustix::process::getuid().as_raw();
        if std::fs::metadata(parent).map_err(failed)?.uid() != user {
            return Err(failed(IoError::other("it belongs to another user")));
        }
        remove_left_ranks(parent);
        loop {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let path = parent.join(format!("{PREFIX}{}-{number}", std::process::id()));
            match DirBuilder::new().mode(0o700).create(&path) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(failed(error)),
                Ok(()) => {
                    let lock = claim(&path).map_err(failed)?;
                    return Ok(Arc::new(Self { path, _lock: lock }));
                }
            }
        }
    }

    /// Returns the guard of the file `name` in this folder, which need not exist yet.
    pub(crate) fn file(self: &Arc<Self>, name: &str) -> SpilledFile {
        SpilledFile { path: self.path.join(name), _folder: Arc::clone(self) }
    }

    /// Returns the path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for SpillFolder {
    fn drop(&mut self) {
        // What cannot be removed now is removed by a later load, whose process finds the lock free.
        let _ = std::fs::remove_dir_all(&self.path);
    }
}

impl SpilledFile {
    /// Returns the path of the file.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for SpilledFile {
    fn drop(&mut self) {
        // The folder is removed with all its files.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Marks a folder as in use, until the file is closed.
fn claim(folder: &Path) -> IoResult<File> {
    // Locked before it has its name, so that no other process finds a lock that is free but about to be taken.
    let unnamed = folder.join("lock.new");
    let file = File::create(&unnamed)?;
    file.try_lock().map_err(IoError::from)?;
    std::fs::rename(unnamed, folder.join(LOCK))?;
    Ok(file)
}

/// Removes the ranks that killed processes left in a spill folder ([`Execution::spill_folder`](trace_base::Execution::spill_folder)).
/// Every load that needs the folder does this; a program calls it when it starts, on a thread of its own, since there may be
/// much to remove.
pub fn remove_left_ranks(spill_folder: &Path) {
    for entry in std::fs::read_dir(spill_folder).into_iter().flatten().flatten() {
        let is_ours = entry.file_name().to_string_lossy().starts_with(PREFIX);
        let lock = is_ours.then(|| File::open(entry.path().join(LOCK)).ok()).flatten();
        if lock.is_some_and(|lock| lock.try_lock().is_ok()) {
            // The next load tries again.
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn folder_is_private_and_goes_with_its_last_file() {
        let parent = tempfile::tempdir().unwrap();
        let folder = SpillFolder::create(Some(parent.path())).unwrap();
        let path = folder.path().to_owned();
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o700);
        assert!(path.file_name().unwrap().to_str().unwrap().contains(&std::process::id().to_string()));
        let (one, two) = (folder.file("one"), folder.file("two"));
        std::fs::write(one.path(), "1").unwrap();
        std::fs::write(two.path(), "2").unwrap();
        drop(folder);
        drop(one);
        assert!(!path.join("one").exists() && path.join("two").exists());
        drop(two);
        assert!(!path.exists());
    }

    #[test]
    fn folders_of_killed_processes_are_removed() {
        let parent = tempfile::tempdir().unwrap();
        let folder = |name: &str| {
            let path = parent.path().join(name);
            std::fs::create_dir(&path).unwrap();
            path
        };
        let (killed, foreign) = (folder("ranks-1-0"), folder("other"));
        drop(claim(&killed).unwrap());
        drop(claim(&foreign).unwrap());
        std::fs::write(killed.join("rank-0000.arrow"), "events").unwrap();
        // The folder of this process's id that a killed one left, not yet claimed, keeps its name.
        let taken = folder(&format!("ranks-{}-{}", std::process::id(), NEXT.load(Ordering::Relaxed)));
        let living = SpillFolder::create(Some(parent.path())).unwrap();
        assert!(!killed.exists() && foreign.exists() && taken.exists() && living.path().exists());
        remove_left_ranks(parent.path());
        assert!(living.path().exists(), "its lock is held");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn shared_memory_is_refused() {
        assert!(!is_in_memory(Path::new("/proc")));
        if is_in_memory(Path::new("/dev/shm")) {
            let error = SpillFolder::create_in(Path::new("/dev/shm/tracebook-spill-test")).unwrap_err();
            assert!(error.to_string().contains("it is in memory"), "{error}");
            assert!(!Path::new("/dev/shm/tracebook-spill-test").exists());
        }
    }
}

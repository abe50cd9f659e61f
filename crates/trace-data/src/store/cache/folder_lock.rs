//! Lock of the cache's folder: entries are opened under it, and removed under it by one process at a time.

use std::fs::{File, TryLockError};
use std::io::{Error, ErrorKind, Result};
use std::path::Path;
use std::time::{Duration, Instant};

const NAME: &str = "lock";

/// A process that was stopped may hold the lock: then the cache is not used.
const LONGEST_WAIT: Duration = Duration::from_secs(1);
const RETRY: Duration = Duration::from_millis(2);

/// The lock, until it is dropped.
pub(super) struct FolderLock {
    _file: File,
}

impl FolderLock {
    /// Whether the file of the lock is named so.
    pub(super) fn is_name(name: &str) -> bool {
        name == NAME
    }

    /// Waits until no entry is being removed.
    pub(super) fn shared(folder: &Path) -> Result<Self> {
        Self::take(folder, File::try_lock_shared)
    }

    /// Waits until no other process opens or removes entries.
    pub(super) fn exclusive(folder: &Path) -> Result<Self> {
        Self::take(folder, File::try_lock)
    }

    fn take(folder: &Path, try_lock: fn(&File) -> std::result::Result<(), TryLockError>) -> Result<Self> {
        let file = File::options().create(true).truncate(false).write(true).open(folder.join(NAME))?;
        let begun = Instant::now();
        loop {
            match try_lock(&file) {
                Ok(()) => return Ok(Self { _file: file }),
                Err(TryLockError::Error(error)) => return Err(error),
                Err(TryLockError::WouldBlock) if begun.elapsed() < LONGEST_WAIT => std::thread::sleep(RETRY),
                Err(TryLockError::WouldBlock) => {
                    return Err(Error::new(ErrorKind::TimedOut, "another process holds its lock"));
                }
            }
        }
    }
}

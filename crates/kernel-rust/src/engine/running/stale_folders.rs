//! Removal of the folders of killed runs: a kernel that ends by itself removes its folder, one that gets SIGKILL cannot.
//!
//! A run holds a lock in its folder for as long as it lives; a folder whose lock is free belongs to no run.

use rustix::fs::{FlockOperation, flock};
use std::fs::File;
use std::io::Result;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// The start of the names of all run folders.
pub(super) const PREFIX: &str = "tracebook-";

const LOCK: &str = "lock";

/// Marks a folder as that of a run, until the file is closed.
///
/// # Errors
/// If the file cannot be made or locked.
pub(super) fn claim(folder: &Path) -> Result<File> {
    // Locked before it has its name, so that no other kernel finds a lock that is free but about to be taken.
    let unnamed = folder.join("lock.new");
    let file = File::create(&unnamed)?;
    flock(&file, FlockOperation::NonBlockingLockExclusive)?;
    std::fs::rename(unnamed, folder.join(LOCK))?;
    Ok(file)
}

/// Removes the run folders of this user in `temporary` whose locks are free.
pub(super) fn sweep(temporary: &Path) {
    let user = rustix::process::getuid().as_raw();
    for entry in std::fs::read_dir(temporary).into_iter().flatten().flatten() {
        let ours = entry.file_name().to_string_lossy().starts_with(PREFIX)
            && entry.metadata().is_ok_and(|folder| folder.is_dir() && folder.uid() == user);
        let Some(lock) = ours.then(|| File::open(entry.path().join(LOCK)).ok()).flatten() else { continue };
        if flock(&lock, FlockOperation::NonBlockingLockExclusive).is_ok() {
            // The next kernel tries again.
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_folders_of_ended_runs_are_removed() {
        let temporary = tempfile::tempdir().unwrap();
        let folder = |name: &str| {
            let path = temporary.path().join(name);
            std::fs::create_dir(&path).unwrap();
            path
        };
        let (living, dead) = (folder("tracebook-a"), folder("tracebook-b"));
        let (starting, foreign) = (folder("tracebook-c"), folder("other"));
        let held = claim(&living).unwrap();
        drop(claim(&dead).unwrap());
        drop(claim(&foreign).unwrap());
        // A process that another test starts at this moment holds a copy of a lock until it runs its program: then the next kernel
        // removes the folder.
        let swept = |gone: &Path| {
            (0..1_000).any(|_| {
                sweep(temporary.path());
                std::thread::sleep(std::time::Duration::from_millis(5));
                !gone.exists()
            })
        };
        assert!(swept(&dead) && living.exists() && starting.exists() && foreign.exists());
        drop(held);
        assert!(swept(&living) && starting.exists() && foreign.exists());
    }
}

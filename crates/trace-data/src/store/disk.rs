//! The disk of a folder: whether it is memory, and its free space.

use crate::Error;
use polars::prelude::PolarsError;
use std::path::Path;

/// Whether the files of a folder are in memory.
pub fn is_in_memory(folder: &Path) -> bool {
    #[cfg(target_os = "linux")]
    {
        /// The numbers of tmpfs and ramfs.
        const IN_MEMORY: [u64; 2] = [0x0102_1994, 0x8584_58f6];
        rustix::fs::statfs(folder).is_ok_and(|system| IN_MEMORY.contains(&(system.f_type as u64)))
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = folder;
        false
    }
}

/// Returns the free bytes on the disk of a folder; `None` if unknown.
pub fn free_space(folder: &Path) -> Option<u64> {
    rustix::fs::statvfs(folder).ok().map(|disk| disk.f_bavail.saturating_mul(disk.f_frsize))
}

/// Names the folder and what is needed in an error of a full disk, at the file of a rank; returns other errors as they are.
pub fn no_space(error: Error, rank: i64, folder: &Path, need: usize) -> Error {
    let is_full = |error: &std::io::Error| {
        use std::io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
        matches!(error.kind(), StorageFull | QuotaExceeded | FileTooLarge)
    };
    let reason = match &error {
        Error::Io { error, .. } if is_full(error) => error.to_string(),
        Error::Polars(PolarsError::IO { error, .. }) if is_full(error) => error.to_string(),
        _ => return error,
    };
    Error::NoSpace { rank, folder: folder.to_owned(), need: need as u64, free: free_space(folder), reason }
}

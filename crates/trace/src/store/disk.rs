//! The disk of a folder: whether it is memory, and its free space.

use std::path::Path;

/// Whether the files of a folder are in memory.
pub(crate) fn is_in_memory(folder: &Path) -> bool {
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
pub(crate) fn free_space(folder: &Path) -> Option<u64> {
    rustix::fs::statvfs(folder).ok().map(|disk| disk.f_bavail.saturating_mul(disk.f_frsize))
}

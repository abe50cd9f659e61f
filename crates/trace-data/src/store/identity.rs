//! Identity of a file: what changes when its content does.

use std::fs::File;
use std::os::unix::fs::MetadataExt;

/// Device, inode, size and time of the last change of a file's content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Identity {
    device: u64,
    inode: u64,
    pub(super) size: u64,
    seconds: i64,
    nanoseconds: i64,
}

/// The time of the last change of a file's content, mode, names or times, which no program can set: seconds, nanoseconds.
pub(super) type Status = (i64, i64);

impl Identity {
    /// Returns the identity of a file as it is now.
    pub(super) fn of(file: &File) -> std::io::Result<Self> {
        Self::and_status(file).map(|(identity, _)| identity)
    }

    /// Returns the identity and the status of a file as it is now.
    pub(super) fn and_status(file: &File) -> std::io::Result<(Self, Status)> {
        let found = file.metadata()?;
        let identity = Self {
            device: found.dev(),
            inode: found.ino(),
            size: found.len(),
            seconds: found.mtime(),
            nanoseconds: found.mtime_nsec(),
        };
        Ok((identity, (found.ctime(), found.ctime_nsec())))
    }
}

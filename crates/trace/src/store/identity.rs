//! Identity of a file: what changes when its content does.

use std::fs::{File, Metadata};
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

impl Identity {
    pub(super) fn of(file: &File) -> std::io::Result<Self> {
        file.metadata().map(|found| Self::in_metadata(&found))
    }

    fn in_metadata(found: &Metadata) -> Self {
        Self {
            device: found.dev(),
            inode: found.ino(),
            size: found.len(),
            seconds: found.mtime(),
            nanoseconds: found.mtime_nsec(),
        }
    }
}

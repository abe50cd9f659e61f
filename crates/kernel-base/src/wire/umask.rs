//! The umask under which socket files are created.

/// A guard: while it lives, new files are accessible to the user alone, so a socket file is never open to other users, not for a
/// moment. This holds for files of other threads, too.
pub(super) struct PrivateFiles(rustix::fs::Mode);

impl PrivateFiles {
    /// Sets the umask; the drop restores it.
    pub(super) fn begin() -> Self {
        Self(rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o177)))
    }
}

impl Drop for PrivateFiles {
    fn drop(&mut self) {
        rustix::process::umask(self.0);
    }
}

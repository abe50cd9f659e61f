//! Files of sockets are for the user alone.

/// While it lives, files are made for the user alone: a socket file is never open to others, not for a moment. What
/// other threads make meanwhile is private, too.
pub(super) struct Private(rustix::fs::Mode);

impl Private {
    pub(super) fn begin() -> Self {
        Self(rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o177)))
    }
}

impl Drop for Private {
    fn drop(&mut self) {
        rustix::process::umask(self.0);
    }
}

//! Wakes the thread that waits on the sockets.

use std::io::{PipeReader, PipeWriter, Read, Write};
use std::os::fd::{AsRawFd, RawFd};
use std::sync::atomic::{AtomicBool, Ordering};

/// The end that wakes. A pipe, since a ZeroMQ socket may be used by one thread only.
pub(super) struct Waker {
    pipe: PipeWriter,
    /// A byte lies in the pipe. It never holds two, so writing never blocks.
    ringing: AtomicBool,
}

/// The end that is polled.
pub(super) struct Bell {
    pipe: PipeReader,
}

pub(super) fn waker() -> std::io::Result<(Waker, Bell)> {
    let (reader, writer) = std::io::pipe()?;
    Ok((Waker { pipe: writer, ringing: AtomicBool::new(false) }, Bell { pipe: reader }))
}

impl Waker {
    /// Makes the bell readable. The waiting thread must look for work after it silenced the bell.
    pub(super) fn wake(&self) {
        if !self.ringing.swap(true, Ordering::SeqCst) {
            let _ = (&self.pipe).write(&[1]);
        }
    }

    /// Silences a bell that rings; only to be called when the bell is readable.
    pub(super) fn silence(&self, bell: &mut Bell) {
        let _ = bell.pipe.read(&mut [0; 8]);
        self.ringing.store(false, Ordering::SeqCst);
    }
}

impl Bell {
    pub(super) fn fd(&self) -> RawFd {
        self.pipe.as_raw_fd()
    }
}

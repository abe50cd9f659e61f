//! The pipe that wakes the thread which polls the sockets.

use std::io::{PipeReader, PipeWriter, Read, Write};
use std::os::fd::{AsRawFd, RawFd};
use std::sync::atomic::{AtomicBool, Ordering};

/// The sending end. A pipe, since only one thread may use a ZeroMQ socket.
pub(super) struct Waker {
    pipe: PipeWriter,
    /// Whether a byte is in the pipe. There is at most one, so writing never blocks.
    pending: AtomicBool,
}

/// The polled end.
pub(super) struct WakeReceiver {
    pipe: PipeReader,
}

/// Creates a connected pair.
///
/// # Errors
/// If there are too many open files.
pub(super) fn waker() -> std::io::Result<(Waker, WakeReceiver)> {
    let (reader, writer) = std::io::pipe()?;
    Ok((Waker { pipe: writer, pending: AtomicBool::new(false) }, WakeReceiver { pipe: reader }))
}

impl Waker {
    /// Makes the receiver readable. The polling thread must look for work after it has cleared the receiver.
    pub(super) fn wake(&self) {
        if !self.pending.swap(true, Ordering::SeqCst) {
            let _ = (&self.pipe).write(&[1]);
        }
    }

    /// Makes the receiver unreadable again. Must only be called when it is readable.
    pub(super) fn clear(&self, receiver: &mut WakeReceiver) {
        let _ = receiver.pipe.read(&mut [0; 8]);
        self.pending.store(false, Ordering::SeqCst);
    }
}

impl WakeReceiver {
    pub(super) fn fd(&self) -> RawFd {
        self.pipe.as_raw_fd()
    }
}

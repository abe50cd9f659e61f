//! How much of iopub still waits for its clients, in bytes. libzmq bounds messages by their number only, and says when it
//! needs a message's memory no more: that is counted.
//!
//! A slow client slows the cell down that prints; one that has stopped reading does not, and costs bounded memory: when
//! too much waits, large messages are dropped, small ones (`status`, errors, a line of text) still go out.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// From here on a cell that prints waits for its clients.
const PLENTY: usize = 64 << 20;

/// How long it waits for clients that read nothing at all.
const PATIENCE: Duration = Duration::from_secs(1);

/// How much may wait before messages of which size are dropped.
const LIMITS: [(usize, usize); 2] = [(256 << 20, 64 << 10), (384 << 20, 1 << 10)];

/// The bytes on their way to clients.
#[derive(Default)]
pub(super) struct Flight {
    bytes: AtomicUsize,
    /// Clients read nothing; they are not waited for until they do.
    stalled: AtomicBool,
}

impl Flight {
    fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Whether a message of so many bytes is one too many.
    pub(super) fn is_too_much(&self, length: usize) -> bool {
        let bytes = self.bytes();
        LIMITS.iter().any(|(waiting, large)| bytes > *waiting && length > *large)
    }

    /// Waits while clients have much left to read, until `interrupted`.
    pub(super) fn wait(&self, interrupted: impl Fn() -> bool) {
        let (mut least, mut since) = (self.bytes(), Instant::now());
        if least <= PLENTY {
            self.stalled.store(false, Ordering::Relaxed);
        }
        while least > PLENTY && !interrupted() && !self.stalled.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(10));
            let now = self.bytes();
            if now < least {
                (least, since) = (now, Instant::now());
            }
            self.stalled.store(since.elapsed() > PATIENCE, Ordering::Relaxed);
        }
    }
}

pub(super) use counted::send;

/// A frame whose memory libzmq gives back to us.
mod counted {
    #![allow(unsafe_code)]

    use super::{Arc, Flight, Ordering};
    use std::ffi::c_void;

    /// Lives until libzmq has sent the frame to every client, or dropped it.
    struct Counted {
        bytes: Vec<u8>,
        flight: Arc<Flight>,
    }

    impl Drop for Counted {
        fn drop(&mut self) {
            self.flight.bytes.fetch_sub(self.bytes.len(), Ordering::Relaxed);
        }
    }

    unsafe extern "C" fn let_go(_bytes: *mut c_void, counted: *mut c_void) {
        // SAFETY: libzmq calls this once for each frame, with the pointer that `send` gave it.
        drop(unsafe { Box::from_raw(counted.cast::<Counted>()) });
    }

    /// Sends one frame, counted in `flight` for as long as it waits.
    pub(in super::super) fn send(
        socket: &mut zmq::Socket,
        bytes: Vec<u8>,
        flight: &Arc<Flight>,
        flags: i32,
    ) -> zmq::Result<()> {
        flight.bytes.fetch_add(bytes.len(), Ordering::Relaxed);
        let counted = Box::into_raw(Box::new(Counted { bytes, flight: Arc::clone(flight) }));
        let error = || zmq::Error::from_raw(std::io::Error::last_os_error().raw_os_error().unwrap_or_default());
        let mut message = zmq_sys::zmq_msg_t::default();
        // SAFETY: the bytes lie in `counted`, which nobody else has; they do not move, and stay until libzmq hands the
        // pointer to `let_go`, once, from whatever thread. If libzmq takes no frame, it stays ours and is dropped here.
        // The socket is open and, being borrowed mutably, used by this thread alone. See docs/unsafe.md.
        unsafe {
            let (data, length) = ((*counted).bytes.as_mut_ptr(), (*counted).bytes.len());
            if zmq_sys::zmq_msg_init_data(&mut message, data.cast(), length, Some(let_go), counted.cast()) != 0 {
                let error = error();
                drop(Box::from_raw(counted));
                return Err(error);
            }
            if zmq_sys::zmq_msg_send(&mut message, socket.as_mut_ptr(), flags) < 0 {
                let error = error();
                zmq_sys::zmq_msg_close(&mut message);
                return Err(error);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn bytes_are_counted_until_the_client_has_them() {
        let context = zmq::Context::new();
        let (mut ours, theirs) = (context.socket(zmq::PUSH).unwrap(), context.socket(zmq::PULL).unwrap());
        ours.bind("inproc://flight").unwrap();
        theirs.connect("inproc://flight").unwrap();
        let flight = Arc::new(Flight::default());
        for _ in 0..3 {
            send(&mut ours, vec![7; 1000], &flight, 0).unwrap();
        }
        assert_eq!(flight.bytes(), 3000);
        assert_eq!(theirs.recv_bytes(0).unwrap(), vec![7; 1000]);
        assert_eq!(flight.bytes(), 2000);
        drop((ours, theirs));
    }

    #[test]
    fn a_frame_that_nobody_takes_is_not_counted() {
        let context = zmq::Context::new();
        let (mut lonely, flight) = (context.socket(zmq::PUSH).unwrap(), Arc::new(Flight::default()));
        assert_eq!(send(&mut lonely, vec![7; 1000], &flight, zmq::DONTWAIT), Err(zmq::Error::EAGAIN));
        assert_eq!(flight.bytes(), 0);
    }

    #[test]
    fn large_messages_are_too_much_before_small_ones() {
        let flight = Flight::default();
        let too_much = |waiting, length| {
            flight.bytes.store(waiting, Ordering::Relaxed);
            flight.is_too_much(length)
        };
        assert!(!too_much(256 << 20, usize::MAX));
        assert!(too_much(257 << 20, 100_000) && !too_much(257 << 20, 2000));
        assert!(too_much(385 << 20, 2000) && !too_much(usize::MAX, 500));
    }

    #[test]
    fn clients_that_read_nothing_are_waited_for_once() {
        let flight = Flight::default();
        flight.bytes.store(PLENTY + 1, Ordering::Relaxed);
        let started = Instant::now();
        flight.wait(|| true);
        assert!(started.elapsed() < PATIENCE, "interrupted");
        flight.wait(|| false);
        assert!(started.elapsed() >= PATIENCE);
        let started = Instant::now();
        flight.wait(|| false);
        assert!(started.elapsed() < PATIENCE);
        flight.bytes.store(0, Ordering::Relaxed);
        flight.wait(|| false);
        assert!(!flight.stalled.load(Ordering::Relaxed), "they read again");
    }
}

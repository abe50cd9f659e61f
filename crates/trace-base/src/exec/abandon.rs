//! Work that may block in the operating system, on a thread that can be abandoned.

use super::context::Inherited;
use std::io::Result as IoResult;
use std::ops::ControlFlow;
use std::panic::resume_unwind;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Time between two calls of `report`.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(50);

/// Time that cancelled work has to end by itself, before it is abandoned.
const CANCEL_TIMEOUT: Duration = Duration::from_millis(200);

/// Runs `work` on a thread of its own with the context of this one, and calls `report` on the caller's thread until it ends.
///
/// After a `Break` of `report` the work should end soon: both share a flag. A thread that blocks in `open` or `read` (a pipe
/// without a writer, a file server that does not respond) cannot end: it is abandoned, and the result is `None`. A panic of the
/// work reaches the caller.
///
/// # Errors
/// If the system refuses a thread.
pub fn abandonable<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
    report: &mut dyn FnMut() -> ControlFlow<()>,
) -> IoResult<Option<T>> {
    let (sender, receiver) = channel();
    let here = Inherited::here();
    let thread = std::thread::Builder::new().name("load".to_owned()).spawn(move || {
        // There is no receiver once the work is abandoned.
        let _ = sender.send(here.run(work));
    })?;
    let mut interrupted: Option<Instant> = None;
    loop {
        match receiver.recv_timeout(PROGRESS_INTERVAL) {
            Ok(done) => return Ok(Some(done)),
            Err(RecvTimeoutError::Disconnected) => match thread.join() {
                Err(panic) => resume_unwind(panic),
                Ok(()) => return Ok(None),
            },
            Err(RecvTimeoutError::Timeout) => {}
        }
        if report().is_break() && interrupted.get_or_insert_with(Instant::now).elapsed() >= CANCEL_TIMEOUT {
            return Ok(None);
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    #[test]
    fn work_that_blocks_is_abandoned_after_the_timeout() {
        let (hold, blocked) = channel::<()>();
        let start = Instant::now();
        let done = abandonable(move || blocked.recv(), &mut || ControlFlow::Break(()));
        assert!(done.unwrap().is_none());
        assert!(start.elapsed() >= CANCEL_TIMEOUT, "{:?}", start.elapsed());
        drop(hold);
    }

    #[test]
    fn work_that_ends_when_cancelled_returns() {
        let (stop, seen) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        let stopped = Arc::clone(&stop);
        let work = move || {
            while !stopped.load(Ordering::Relaxed) {
                std::thread::sleep(Duration::from_millis(1));
            }
            "ended"
        };
        let done = abandonable(work, &mut || {
            stop.store(true, Ordering::Relaxed);
            seen.store(true, Ordering::Relaxed);
            ControlFlow::Break(())
        });
        assert_eq!((done.unwrap(), seen.load(Ordering::Relaxed)), (Some("ended"), true));
    }

    #[test]
    fn panic_reaches_the_caller() {
        let work = || -> () { panic!("in the middle") };
        let caught = std::panic::catch_unwind(|| abandonable(work, &mut || ControlFlow::Continue(())));
        assert_eq!(caught.err().unwrap().downcast_ref(), Some(&"in the middle"));
    }
}

//! Work that may block in the operating system, on a thread that can be left behind.

use std::io::Result as IoResult;
use std::ops::ControlFlow;
use std::panic::resume_unwind;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Time between two calls of `tell`.
const TELL_EVERY: Duration = Duration::from_millis(50);

/// Time that interrupted work has to end by itself, before it is left behind.
const GRACE: Duration = Duration::from_millis(200);

/// Does `work` on a thread of its own and calls `tell` on the caller's thread until it is done.
///
/// After a `Break` the work should end soon, for which it and `tell` share a flag. A thread that blocks in `open` or `read`
/// (a pipe without a writer, a file server that does not answer) cannot: it is left behind, and the answer is `None`. A
/// panic of the work reaches the caller.
///
/// # Errors
/// If the system refuses a thread.
pub(crate) fn abandonable<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
    tell: &mut dyn FnMut() -> ControlFlow<()>,
) -> IoResult<Option<T>> {
    let (sender, receiver) = channel();
    let thread = std::thread::Builder::new().name("load".to_owned()).spawn(move || {
        // Nobody listens after the work was left behind.
        let _ = sender.send(work());
    })?;
    let mut interrupted: Option<Instant> = None;
    loop {
        match receiver.recv_timeout(TELL_EVERY) {
            Ok(done) => return Ok(Some(done)),
            Err(RecvTimeoutError::Disconnected) => match thread.join() {
                Err(panic) => resume_unwind(panic),
                Ok(()) => return Ok(None),
            },
            Err(RecvTimeoutError::Timeout) => {}
        }
        if tell().is_break() && interrupted.get_or_insert_with(Instant::now).elapsed() >= GRACE {
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
    fn work_that_blocks_is_left_behind_after_the_grace() {
        let (hold, blocked) = channel::<()>();
        let start = Instant::now();
        let done = abandonable(move || blocked.recv(), &mut || ControlFlow::Break(()));
        assert!(done.unwrap().is_none());
        assert!((GRACE..20 * GRACE).contains(&start.elapsed()), "{:?}", start.elapsed());
        drop(hold);
    }

    #[test]
    fn work_that_heeds_the_interrupt_answers() {
        let (stop, seen) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        let heeds = Arc::clone(&stop);
        let work = move || {
            while !heeds.load(Ordering::Relaxed) {
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
    fn panics_reach_the_caller() {
        let work = || -> () { panic!("in the middle") };
        let caught = std::panic::catch_unwind(|| abandonable(work, &mut || ControlFlow::Continue(())));
        assert_eq!(caught.err().unwrap().downcast_ref(), Some(&"in the middle"));
    }
}

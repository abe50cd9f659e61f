//! Calls and pauses that an interrupt ends, also while the dashboard hangs.

use super::http::{Http, Refusal, STOP};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};
use trace::{Error, Result};

/// Time between two looks at whether the job is interrupted.
const POLL: Duration = Duration::from_millis(20);
/// Attempts without a pause.
const WITHOUT_PAUSE: usize = 8;
/// The first pause before an attempt, and the longest.
pub(super) const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// Makes a call on a thread of its own, and waits for its answer or an interrupt. After an interrupt the call ends by its timeout.
pub(super) fn interruptible<T: Send + 'static>(
    http: &Http,
    is_interrupted: &dyn Fn() -> bool,
    call: impl FnOnce(&Http) -> std::result::Result<T, Refusal> + Send + 'static,
) -> std::result::Result<T, Refusal> {
    let (sender, receiver) = channel();
    let http = http.clone();
    let work = move || {
        // After an interrupt there is no receiver.
        let _ = sender.send(call(&http));
    };
    let started = std::thread::Builder::new().name("ray-call".to_owned()).spawn(work);
    started.map_err(|error| Refusal::lasting(format!("the system refuses a thread: {error}")))?;
    loop {
        match receiver.recv_timeout(POLL) {
            Ok(answer) => return answer,
            Err(RecvTimeoutError::Timeout) if is_interrupted() => return Err(Refusal::interrupt()),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Err(Refusal::lasting("a call failed unexpectedly")),
        }
    }
}

/// Stops the job of an interrupted cell, which waits for that no longer than [`STOP`].
pub(super) fn stop(http: &Http, id: &str) {
    let (sender, receiver) = channel();
    let (http, id) = (http.clone(), id.to_owned());
    let work = move || {
        let _ = sender.send(http.stop(&id));
    };
    if std::thread::Builder::new().name("ray-stop".to_owned()).spawn(work).is_ok() {
        // A head that hangs may have heard it all the same.
        let _ = receiver.recv_timeout(STOP);
    }
}

/// Waits.
///
/// # Errors
/// [`Error::Interrupted`] at an interrupt.
pub(super) fn pause(is_interrupted: &dyn Fn() -> bool, pause: Duration) -> Result<()> {
    let until = Instant::now() + pause;
    loop {
        if is_interrupted() {
            return Err(Error::Interrupted);
        }
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(());
        }
        std::thread::sleep(left.min(POLL));
    }
}

/// Returns the pause before an attempt to find or submit a job: a dashboard that answers wrongly is not asked without a pause.
pub(super) fn pause_before(attempt: usize) -> Duration {
    match attempt.checked_sub(WITHOUT_PAUSE) {
        None => Duration::ZERO,
        Some(later) => (FIRST_PAUSE * u32::try_from(later + 1).unwrap_or(100).min(100)).min(LONGEST_PAUSE),
    }
}

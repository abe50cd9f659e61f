//! Calls and pauses that an interrupt ends, also while the dashboard hangs.

use super::http::{Http, Refusal, STOP, status_of};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};
use trace_core::{Error, Result};

/// Time between two looks at whether the job is interrupted.
const POLL: Duration = Duration::from_millis(20);
/// How long an interrupted cell waits until its job is stopped.
const STOP_WAIT: Duration = Duration::from_secs(15);
/// How long a job may take to start, and the time between two attempts to stop it.
const START: Duration = Duration::from_secs(120);
const RETRY: Duration = Duration::from_millis(200);
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

/// Stops the job of an interrupted cell, which waits for that no longer than [`STOP_WAIT`]; a job that takes longer to start is
/// stopped once it runs, as long as this process lives.
pub(super) fn stop(http: &Http, id: &str) {
    let (sender, receiver) = channel();
    let (http, id) = (http.clone(), id.to_owned());
    let work = move || {
        stop_once_started(&http, &id);
        let _ = sender.send(());
    };
    if std::thread::Builder::new().name("ray-stop".to_owned()).spawn(work).is_ok() {
        // A head that hangs may have heard it all the same.
        let _ = receiver.recv_timeout(STOP_WAIT);
    }
}

/// Asks until the cluster stops the job, or the job has ended. A head that does not answer is asked once.
fn stop_once_started(http: &Http, id: &str) {
    let (until, until_known) = (Instant::now() + START, Instant::now() + STOP);
    while let Ok(false) = http.stop(id) {
        let status = match http.job(id) {
            Ok(known) => known.as_ref().and_then(status_of).map(str::to_owned),
            Err(_) => return,
        };
        let is_over = match status.as_deref() {
            // Its submission may be on its way.
            None => Instant::now() > until_known,
            Some("PENDING" | "RUNNING") => Instant::now() > until,
            Some(_) => true,
        };
        if is_over {
            return;
        }
        std::thread::sleep(RETRY);
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

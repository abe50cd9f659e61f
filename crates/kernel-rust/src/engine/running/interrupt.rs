//! Interrupt requests, each bound to the segment that ran when it was made.

use crate::engine::Stop;
use crate::engine::compiling::process_group;
use crate::sync::lock;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// The running segment, its compiler and its worker process, for the threads that handle interrupt requests.
#[derive(Default)]
pub(super) struct InterruptControl {
    /// The run's folder.
    folder: PathBuf,
    running: Mutex<Running>,
    /// The worker process.
    process: Mutex<Option<Arc<Mutex<Child>>>>,
}

/// The running segment.
#[derive(Default)]
struct Running {
    /// Its number; 0 if none runs.
    segment: u64,
    /// Whether an interrupt was requested.
    requested: bool,
    /// Whether its worker process was killed. evcxr starts another one, which must not be killed for the same request.
    killed: bool,
}

/// How long a segment may take to reach a checkpoint before its worker process is killed.
const CHECKPOINT_TIMEOUT: Duration = Duration::from_secs(2);

impl InterruptControl {
    /// Returns a control without a running segment; `folder` is the run's.
    pub(in crate::engine) fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), ..Self::default() }
    }

    /// Sets the handle of the worker process; evcxr puts a restarted one into the same handle.
    pub(super) fn watch(&self, process: Arc<Mutex<Child>>) {
        *lock(&self.process) = Some(process);
    }

    /// Returns the id of the worker process while a segment runs.
    pub(in crate::engine) fn process(&self) -> Option<u32> {
        let mut found = None;
        if self.running().segment != 0 {
            self.with_process(|process| found = Some(process.id()));
        }
        found
    }

    /// Notes that a segment starts; requests for earlier ones do not concern it.
    pub(in crate::engine) fn begin(&self, segment: u64) {
        *self.running() = Running { segment, ..Running::default() };
    }

    /// Notes that the segment has ended.
    pub(in crate::engine) fn end(&self) {
        self.running().segment = 0;
    }

    /// Whether an interrupt of the segment was requested.
    pub(super) fn requested(&self) -> bool {
        self.running().requested
    }

    /// Whether a segment runs that is to be interrupted.
    pub(super) fn is_stopping(&self) -> bool {
        let running = self.running();
        running.segment != 0 && running.requested
    }

    /// Returns the function that carries out an interrupt request: it stops the segment that runs now and no later one, however
    /// late it is called.
    pub(in crate::engine) fn request(self: &Arc<Self>) -> Stop {
        let (control, segment) = (Arc::clone(self), self.running().segment);
        Box::new(move || control.stop(segment))
    }

    /// Stops a segment: kills its compiler at once, or ends its loop at the next checkpoint; no variable is lost in either case. If
    /// it reaches no checkpoint in time, kills the worker process. A second request does that at once.
    fn stop(&self, segment: u64) {
        if !self.signal(segment) {
            return;
        }
        let deadline = Instant::now() + CHECKPOINT_TIMEOUT;
        while Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(20));
            if self.running().segment != segment {
                return;
            }
        }
        if let Some(mut running) = self.lock_if_running(segment) {
            self.kill(&mut running);
        }
    }

    /// Kills the segment's compiler or signals its worker process. Returns whether the segment may still have to be killed.
    fn signal(&self, segment: u64) -> bool {
        let Some(mut running) = self.lock_if_running(segment) else { return false };
        let again = std::mem::replace(&mut running.requested, true);
        if process_group::stop(&self.folder) {
            return false;
        }
        if again {
            self.kill(&mut running);
            return false;
        }
        self.with_process(|process| {
            if let Some(pid) = i32::try_from(process.id()).ok().and_then(rustix::process::Pid::from_raw) {
                // It may have ended by itself a moment ago.
                let _ = rustix::process::kill_process(pid, rustix::process::Signal::INT);
            }
        });
        true
    }

    fn kill(&self, running: &mut Running) {
        process_group::stop(&self.folder);
        if !std::mem::replace(&mut running.killed, true) {
            self.with_process(|process| {
                let _ = process.kill();
            });
        }
    }

    fn running(&self) -> MutexGuard<'_, Running> {
        lock(&self.running)
    }

    /// Locks the running segment if it is this one. The next one cannot begin while the guard is held.
    fn lock_if_running(&self, segment: u64) -> Option<MutexGuard<'_, Running>> {
        Some(self.running()).filter(|running| segment != 0 && running.segment == segment)
    }

    fn with_process(&self, act: impl FnOnce(&mut Child)) {
        if let Some(process) = &*lock(&self.process) {
            act(&mut lock(process));
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::io::Read;
    use std::process::{Command, Stdio};

    #[test]
    fn request_stops_only_the_segment_that_ran_then() {
        let folder = tempfile::tempdir().unwrap();
        let control = Arc::new(InterruptControl::new(folder.path()));
        // A process without checkpoints that ignores SIGINT.
        let mut shell = Command::new("sh");
        shell.args(["-c", "trap '' INT; echo; while :; do sleep 1; done"]).stdout(Stdio::piped());
        let mut process = shell.spawn().unwrap();
        // From here on the process ignores SIGINT.
        process.stdout.take().unwrap().read_exact(&mut [0]).unwrap();
        let process = Arc::new(Mutex::new(process));
        control.watch(Arc::clone(&process));
        let lives = || process.lock().unwrap().try_wait().unwrap().is_none();

        control.request()();
        control.begin(1);
        let late = [control.request(), control.request(), control.request()];
        control.end();
        let between_segments = control.request();
        control.begin(2);
        between_segments();
        late.into_iter().for_each(|stop| stop());
        assert!(lives() && !control.requested());

        let (first, second) = (control.request(), control.request());
        let waits = std::thread::spawn(first);
        while !control.requested() {
            std::thread::yield_now();
        }
        assert!(lives());
        second();
        assert!(!process.lock().unwrap().wait().unwrap().success());
        control.end();
        waits.join().unwrap();
    }
}

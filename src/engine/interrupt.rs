//! The interrupt button.

use super::compiler;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// What the interrupt button needs to know.
#[derive(Default)]
pub(super) struct Control {
    folder: PathBuf,
    /// The number of the running cell, 0 if none runs.
    running: AtomicU64,
    requested: AtomicBool,
    /// The last cell whose process was ended. The next process is not its, and must not be ended for it.
    ended: AtomicU64,
    process: Mutex<Option<Arc<Mutex<Child>>>>,
}

/// How long a cell may take to come to a checkpoint before its process is ended.
const PATIENCE: Duration = Duration::from_secs(2);

impl Control {
    /// Nothing runs yet; what the compiler leaves behind is in `folder`.
    pub(super) fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), ..Self::default() }
    }

    /// The process in which cells run, whichever it is at the time.
    pub(super) fn watch(&self, process: Arc<Mutex<Child>>) {
        *self.process.lock().unwrap_or_else(PoisonError::into_inner) = Some(process);
    }

    /// The process in which a cell runs now.
    pub(super) fn process(&self) -> Option<u32> {
        let mut found = None;
        if self.running.load(Ordering::SeqCst) != 0 {
            self.with_process(|process| found = Some(process.id()));
        }
        found
    }

    /// A stretch of Rust starts: an earlier press was not meant for it.
    pub(super) fn begin(&self, cell: u64) {
        self.requested.store(false, Ordering::SeqCst);
        self.running.store(cell, Ordering::SeqCst);
    }

    /// It has ended.
    pub(super) fn end(&self) {
        self.running.store(0, Ordering::SeqCst);
    }

    /// Whether the button was pressed since it started.
    pub(super) fn requested(&self) -> bool {
        self.requested.load(Ordering::SeqCst)
    }

    /// Stops the running cell: the compiler at once; a loop at its next checkpoint, and nothing is lost; what never comes
    /// to one, by ending the process. A second press does that at once.
    pub(super) fn interrupt(self: &Arc<Self>) {
        let cell = self.running.load(Ordering::SeqCst);
        if cell == 0 {
            return;
        }
        let again = self.requested.swap(true, Ordering::SeqCst);
        if compiler::stop(&self.folder) {
            return;
        }
        if again {
            return self.kill(cell);
        }
        self.with_process(|process| {
            if let Some(pid) = i32::try_from(process.id()).ok().and_then(rustix::process::Pid::from_raw) {
                // It may have ended by itself a moment ago.
                let _ = rustix::process::kill_process(pid, rustix::process::Signal::INT);
            }
        });
        let control = Arc::clone(self);
        let waiting = move || {
            let deadline = Instant::now() + PATIENCE;
            while control.running.load(Ordering::SeqCst) == cell {
                if Instant::now() >= deadline {
                    return control.kill(cell);
                }
                std::thread::sleep(Duration::from_millis(20));
            }
        };
        if std::thread::Builder::new().name("interrupt".to_owned()).spawn(waiting).is_err() {
            self.kill(cell);
        }
    }

    fn kill(&self, cell: u64) {
        compiler::stop(&self.folder);
        self.with_process(|process| {
            if self.ended.swap(cell, Ordering::SeqCst) != cell {
                let _ = process.kill();
            }
        });
    }

    fn with_process(&self, act: impl FnOnce(&mut Child)) {
        if let Some(process) = &*self.process.lock().unwrap_or_else(PoisonError::into_inner) {
            act(&mut process.lock().unwrap_or_else(PoisonError::into_inner));
        }
    }
}

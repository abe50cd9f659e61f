//! The interrupt button.

use super::{Stop, compiler};
use crate::sync::lock;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// What the interrupt button needs to know.
#[derive(Default)]
pub(super) struct Control {
    folder: PathBuf,
    running: Mutex<Running>,
    process: Mutex<Option<Arc<Mutex<Child>>>>,
}

/// The cell that runs.
#[derive(Default)]
struct Running {
    /// Its number, 0 if none runs.
    cell: u64,
    /// The button was pressed.
    requested: bool,
    /// Its process was ended. The next process is not its, and must not be ended for it.
    ended: bool,
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
        *lock(&self.process) = Some(process);
    }

    /// The process in which a cell runs now.
    pub(super) fn process(&self) -> Option<u32> {
        let mut found = None;
        if self.running().cell != 0 {
            self.with_process(|process| found = Some(process.id()));
        }
        found
    }

    /// A stretch of Rust starts: an earlier press was not meant for it.
    pub(super) fn begin(&self, cell: u64) {
        *self.running() = Running { cell, ..Running::default() };
    }

    /// It has ended.
    pub(super) fn end(&self) {
        self.running().cell = 0;
    }

    /// Whether the button was pressed since it started.
    pub(super) fn requested(&self) -> bool {
        self.running().requested
    }

    /// Whether a cell runs that is to end.
    pub(super) fn is_stopping(&self) -> bool {
        let running = self.running();
        running.cell != 0 && running.requested
    }

    /// The button is pressed: what stops the cell that runs now, and no later one, whenever it comes to it.
    pub(super) fn press(self: &Arc<Self>) -> Stop {
        let (control, cell) = (Arc::clone(self), self.running().cell);
        Box::new(move || control.stop(cell))
    }

    /// Stops this cell: the compiler at once; a loop at its next checkpoint, and nothing is lost; what never comes to one,
    /// by ending the process. A second press does that at once.
    fn stop(&self, cell: u64) {
        if !self.ask(cell) {
            return;
        }
        let deadline = Instant::now() + PATIENCE;
        while Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(20));
            if self.running().cell != cell {
                return;
            }
        }
        if let Some(mut running) = self.running_still(cell) {
            self.kill(&mut running);
        }
    }

    /// Asks this cell to end; whether it may need to be told.
    fn ask(&self, cell: u64) -> bool {
        let Some(mut running) = self.running_still(cell) else { return false };
        let again = std::mem::replace(&mut running.requested, true);
        if compiler::stop(&self.folder) {
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
        compiler::stop(&self.folder);
        if !std::mem::replace(&mut running.ended, true) {
            self.with_process(|process| {
                let _ = process.kill();
            });
        }
    }

    fn running(&self) -> MutexGuard<'_, Running> {
        lock(&self.running)
    }

    /// While this is held, the next cell does not begin.
    fn running_still(&self, cell: u64) -> Option<MutexGuard<'_, Running>> {
        Some(self.running()).filter(|running| cell != 0 && running.cell == cell)
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
    fn a_press_stops_the_cell_that_ran_then_and_no_later_one() {
        let folder = tempfile::tempdir().unwrap();
        let control = Arc::new(Control::new(folder.path()));
        // Has no checkpoints, and takes no notice of being asked.
        let mut shell = Command::new("sh");
        shell.args(["-c", "trap '' INT; echo; while :; do sleep 1; done"]).stdout(Stdio::piped());
        let mut process = shell.spawn().unwrap();
        // Interrupts are ignored from here on.
        process.stdout.take().unwrap().read_exact(&mut [0]).unwrap();
        let process = Arc::new(Mutex::new(process));
        control.watch(Arc::clone(&process));
        let lives = || process.lock().unwrap().try_wait().unwrap().is_none();

        control.press()();
        control.begin(1);
        let late = [control.press(), control.press(), control.press()];
        control.end();
        let nobody = control.press();
        control.begin(2);
        nobody();
        late.into_iter().for_each(|stop| stop());
        assert!(lives() && !control.requested());

        let (first, second) = (control.press(), control.press());
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

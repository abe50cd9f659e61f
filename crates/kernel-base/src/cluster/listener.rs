//! Progress of jobs, for a listener on the thread that asks.

use std::cell::RefCell;
use trace_core::task::Job;

/// How far a job is.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Progress {
    /// What is asked: `load`, `compare_traces`.
    pub question: String,
    /// The trace.
    pub label: String,
    /// Bytes of inputs that are done.
    pub done: u64,
    /// Bytes of inputs in all.
    pub whole: u64,
    /// Ranks (of a load: files) that are done, those that failed included.
    pub ranks: usize,
    /// Ranks in all.
    pub all_ranks: usize,
    /// Those that failed.
    pub failed: usize,
    /// Tasks that are done.
    pub tasks: usize,
    /// What the engine is at, or waits for.
    pub state: String,
}

impl Progress {
    /// Begins a job.
    pub(super) fn of(job: &Job<'_>) -> Self {
        Self { question: job.spec.question.name().to_owned(), label: job.label.to_owned(), ..Self::default() }
    }
}

/// Returns how many files a task could not read: it names each in a line of JSON on its standard error.
pub(super) fn unread(log: &str) -> usize {
    log.lines().filter(|line| line.starts_with("{\"")).count()
}

/// Hears of progress.
pub type Listener = Box<dyn FnMut(&Progress)>;

thread_local! {
    static LISTENER: RefCell<Option<Listener>> = const { RefCell::new(None) };
}

/// Runs work; `listener` hears of the jobs that it starts on this thread.
pub fn listen<T>(listener: Listener, work: impl FnOnce() -> T) -> T {
    let before = LISTENER.with(|slot| slot.replace(Some(listener)));
    let _restore = Restore(before);
    work()
}

/// Puts the former listener back.
struct Restore(Option<Listener>);

impl Drop for Restore {
    fn drop(&mut self) {
        let before = self.0.take();
        let _ = LISTENER.try_with(|slot| slot.replace(before));
    }
}

/// Tells the listener of this thread how far a job is.
pub(super) fn tell(progress: &Progress) {
    LISTENER.with(|slot| {
        if let Ok(mut slot) = slot.try_borrow_mut()
            && let Some(listener) = slot.as_mut()
        {
            listener(progress);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::rc::Rc;

    #[test]
    fn listener_hears_only_of_its_own_work() {
        let heard: Rc<RefCell<Vec<usize>>> = Rc::default();
        let listener = |heard: &Rc<RefCell<Vec<usize>>>| -> Listener {
            let heard = Rc::clone(heard);
            Box::new(move |progress| heard.borrow_mut().push(progress.tasks))
        };
        let at = |tasks| Progress { tasks, ..Progress::default() };
        tell(&at(1));
        listen(listener(&heard), || {
            tell(&at(2));
            listen(Box::new(|_| {}), || tell(&at(3)));
            tell(&at(4));
        });
        tell(&at(5));
        assert_eq!(*heard.borrow(), [2, 4]);
    }
}

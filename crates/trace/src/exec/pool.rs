//! Which cores a load of several files uses for which of them, and for what of one.

use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// The cores of a load. Each file has one; those that no file needs help with the files that are left.
#[derive(Debug)]
pub(crate) struct Cores {
    cores: usize,
    files: usize,
    begun: AtomicUsize,
    /// Others for each file, from its start: there are fewer files than cores.
    share: usize,
    /// Those of files that have ended, when no other file is left to begin.
    idle: AtomicUsize,
}

impl Cores {
    pub(crate) fn new(cores: usize, files: usize) -> Self {
        let share = if files < cores { cores.div_ceil(files.max(1)) - 1 } else { 0 };
        Self { cores, files, begun: AtomicUsize::new(0), share, idle: AtomicUsize::new(0) }
    }

    /// A file begins.
    pub(crate) fn begin(&self) -> Core<'_> {
        let left = self.files - 1 - self.begun.fetch_add(1, Ordering::Relaxed);
        let among_last = self.cores > 1 && left < self.cores;
        Core { cores: self, among_last, helped: Cell::new(0) }
    }
}

/// The core of a file; when it is dropped, the file has ended.
#[derive(Debug)]
pub(crate) struct Core<'c> {
    cores: &'c Cores,
    /// Another file may end when none is left to begin.
    among_last: bool,
    /// Idle ones that help it.
    helped: Cell<usize>,
}

impl Core<'_> {
    /// Whether others will help, or may.
    pub(crate) fn may_have_others(&self) -> bool {
        self.among_last
    }

    /// How many others help from now on. To be asked again as long as there is none.
    pub(crate) fn others(&self) -> usize {
        if self.cores.share > 0 {
            return self.cores.share;
        }
        let idle = self.cores.idle.swap(0, Ordering::Relaxed);
        self.helped.set(self.helped.get() + idle);
        idle
    }

    /// How many others help by now.
    pub(crate) fn all_others(&self) -> usize {
        let more = self.others();
        more.max(self.helped.get())
    }
}

impl Drop for Core<'_> {
    fn drop(&mut self) {
        if self.cores.begun.load(Ordering::Relaxed) == self.cores.files {
            self.cores.idle.fetch_add(1 + self.helped.get(), Ordering::Relaxed);
        }
    }
}

/// Two answers, beside each other if there are cores for it.
pub(crate) fn both<A, B: Send>(beside: bool, one: impl FnOnce() -> A, other: impl FnOnce() -> B + Send) -> (A, B) {
    let (one, other) = share(usize::from(beside), one, vec![other], |other| other());
    match other.into_iter().next() {
        Some(other) => (one, other),
        None => unreachable!("every job is done"),
    }
}

/// Does jobs, each once, while so many others help with them, and meanwhile `first`: what came of all, in their order.
///
/// Each other is a thread that begins here, since such are laid on idle cores. Those of a pool, which slept while the file
/// was read, were seen to wake on the core of another, and to stay there for up to 20 ms with the next core idle.
pub(crate) fn share<J: Send, A: Send, B>(
    others: usize,
    first: impl FnOnce() -> B,
    jobs: Vec<J>,
    job: impl Fn(J) -> A + Sync,
) -> (B, Vec<A>) {
    let came: Vec<Mutex<Option<A>>> = jobs.iter().map(|_| Mutex::new(None)).collect();
    let left = Mutex::new(jobs.into_iter().zip(&came));
    let work = || {
        let next = || left.lock().unwrap_or_else(PoisonError::into_inner).next();
        while let Some((next, place)) = next() {
            let answer = job(next);
            *place.lock().unwrap_or_else(PoisonError::into_inner) = Some(answer);
        }
    };
    let first = std::thread::scope(|scope| {
        for _ in 0..others.min(came.len()) {
            // Where the system has no more threads, there are fewer.
            let _ = std::thread::Builder::new().spawn_scoped(scope, work);
        }
        let first = first();
        work();
        first
    });
    let came = came.into_iter().filter_map(|answer| answer.into_inner().unwrap_or_else(PoisonError::into_inner));
    (first, came.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_files_share_the_cores() {
        for (cores, files, others) in [(1, 1, 0), (2, 1, 1), (8, 1, 7), (8, 3, 2), (3, 2, 1), (2, 2, 0), (2, 9, 0)] {
            let cores = Cores::new(cores, files);
            let core = cores.begin();
            assert_eq!((core.others(), core.all_others()), (others, others), "{cores:?}");
            assert!(core.may_have_others() || others == 0, "{cores:?}");
        }
    }

    #[test]
    fn the_last_files_get_the_cores_of_those_that_have_ended() {
        let cores = Cores::new(3, 4);
        let [one, two, three] = [cores.begin(), cores.begin(), cores.begin()];
        assert_eq!([&one, &two, &three].map(Core::may_have_others), [false, true, true]);
        drop(one);
        assert_eq!(two.others(), 0, "a file is left to begin");
        let four = cores.begin();
        drop(two);
        assert_eq!((three.others(), four.others()), (1, 0));
        drop(three);
        assert_eq!((four.others(), four.others(), four.all_others()), (2, 0, 2));
    }

    #[test]
    fn jobs_are_done_once_each_however_many_do_them() {
        for others in [0, 1, 5] {
            let (first, came) = share(others, || "first", (0..100).collect(), |job| job * 2);
            assert_eq!((first, came), ("first", (0..100).map(|job| job * 2).collect()));
        }
        assert_eq!(share(3, || (), Vec::<u8>::new(), |job| job), ((), Vec::new()));
        assert_eq!([false, true].map(|beside| both(beside, || 1, || 2)), [(1, 2); 2]);
    }
}

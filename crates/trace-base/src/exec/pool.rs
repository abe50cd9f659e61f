//! Thread pool of a load: one thread per file, and the threads without a file help with the others.
//!
//! A job (loading a file) runs on one thread. It may offer [`SharedWork`], with which any number of threads can help. A thread
//! without a job helps where the fewest helpers are, and stays there until that work ends.

use super::context::Inherited;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, Scope, scope};

/// Work that several threads can share.
pub trait SharedWork: Send + Sync {
    /// Helps until the work ends; returns at once if it has ended.
    fn help(&self);
}

/// The pool, as a job sees it.
pub struct Pool<'scope, 'env> {
    scope: &'scope Scope<'scope, 'env>,
    shared: Arc<Shared<'scope>>,
}

struct Shared<'scope> {
    /// Upper bound on threads, the caller's included.
    max_threads: usize,
    context: Inherited,
    state: Mutex<State<'scope>>,
    changed: Condvar,
}

struct State<'scope> {
    /// Threads that were started, the caller's included.
    threads: usize,
    /// Jobs that have not begun.
    waiting_jobs: usize,
    /// Jobs that have not ended, the waiting ones included.
    open_jobs: usize,
    offers: Vec<Offered<'scope>>,
}

struct Offered<'scope> {
    work: Arc<dyn SharedWork + 'scope>,
    helpers: usize,
}

/// Runs every job once, on up to `max_threads` threads, the caller's included. Returns the results in input order.
pub fn run_jobs<'env, J: Send, A: Send>(
    max_threads: usize,
    jobs: Vec<J>,
    job: impl for<'scope> Fn(&Pool<'scope, 'env>, J) -> A + Sync,
) -> Vec<A> {
    let results: Vec<Mutex<Option<A>>> = jobs.iter().map(|_| Mutex::new(None)).collect();
    let threads = max_threads.min(jobs.len()).max(1);
    let panic: Mutex<Option<Box<dyn Any + Send>>> = Mutex::new(None);
    // Two scopes: the inner one has a thread per job, the outer one the helpers, which jobs start later.
    scope(|helpers| {
        let state = State { threads, waiting_jobs: jobs.len(), open_jobs: jobs.len(), offers: Vec::new() };
        let context = Inherited::here();
        let shared = Arc::new(Shared { max_threads, context, state: Mutex::new(state), changed: Condvar::new() });
        let remaining = Mutex::new(jobs.into_iter().zip(&results));
        let run = || {
            let pool = Pool { scope: helpers, shared: Arc::clone(&shared) };
            let next = || remaining.lock().unwrap_or_else(PoisonError::into_inner).next();
            while let Some((next, slot)) = next() {
                shared.lock().waiting_jobs -= 1;
                match catch_unwind(AssertUnwindSafe(|| job(&pool, next))) {
                    Ok(result) => *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(result),
                    Err(payload) => *panic.lock().unwrap_or_else(PoisonError::into_inner) = Some(payload),
                }
                shared.end_job();
            }
            shared.help();
        };
        let run_elsewhere = || shared.context.run(run);
        scope(|scope| {
            for _ in 1..threads {
                // If the system refuses a thread, there are fewer.
                let _ = Builder::new().spawn_scoped(scope, run_elsewhere);
            }
            run();
        });
    });
    if let Some(payload) = panic.into_inner().unwrap_or_else(PoisonError::into_inner) {
        resume_unwind(payload);
    }
    results.into_iter().filter_map(|result| result.into_inner().unwrap_or_else(PoisonError::into_inner)).collect()
}

impl<'scope> Pool<'scope, '_> {
    /// Whether threads may be without a job before this job ends.
    pub fn may_help(&self) -> bool {
        self.shared.max_threads > 1 && self.shared.lock().waiting_jobs < self.shared.max_threads
    }

    /// Returns this job's share of the threads without a job.
    pub fn idle_threads(&self) -> usize {
        let jobs = self.shared.lock().open_jobs.max(1);
        self.shared.max_threads.saturating_sub(jobs).div_ceil(jobs)
    }

    /// Offers work to the threads without a job, until the guard is dropped.
    pub fn offer(&self, work: Arc<dyn SharedWork + 'scope>) -> Offer<'_, 'scope> {
        let mut state = self.shared.lock();
        // Threads start when there is work for them, and some are left for the offers of other jobs.
        let missing = self.shared.max_threads.saturating_sub(state.threads);
        let jobs_without_offer = state.open_jobs.saturating_sub(state.offers.len()).max(1);
        let started = missing.div_ceil(jobs_without_offer);
        state.threads += started;
        state.offers.push(Offered { work: Arc::clone(&work), helpers: 0 });
        drop(state);
        self.shared.changed.notify_all();
        for _ in 0..started {
            let shared = Arc::clone(&self.shared);
            // If the system refuses a thread, there are fewer.
            let _ = Builder::new().spawn_scoped(self.scope, move || shared.context.run(|| shared.help()));
        }
        Offer { shared: &self.shared, work }
    }
}

impl<'scope> Shared<'scope> {
    fn lock(&self) -> MutexGuard<'_, State<'scope>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Helps with offered work until all jobs have ended.
    fn help(&self) {
        let mut state = self.lock();
        while state.open_jobs > 0 {
            let Some(offered) = state.offers.iter_mut().min_by_key(|offered| offered.helpers) else {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            offered.helpers += 1;
            let work = Arc::clone(&offered.work);
            drop(state);
            work.help();
            state = self.lock();
            // It has ended: no further thread is needed.
            state.withdraw(&work);
        }
    }

    fn end_job(&self) {
        self.lock().open_jobs -= 1;
        self.changed.notify_all();
    }
}

impl<'scope> State<'scope> {
    fn withdraw(&mut self, work: &Arc<dyn SharedWork + 'scope>) {
        self.offers.retain(|offered| !Arc::ptr_eq(&offered.work, work));
    }
}

/// Guard of offered work.
pub struct Offer<'p, 'scope> {
    shared: &'p Shared<'scope>,
    work: Arc<dyn SharedWork + 'scope>,
}

impl Drop for Offer<'_, '_> {
    fn drop(&mut self) {
        self.shared.lock().withdraw(&self.work);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

    /// Counts its helpers, and keeps them until it is ended.
    #[derive(Default)]
    struct Counted {
        helpers: AtomicUsize,
        ended: AtomicBool,
    }

    impl SharedWork for Counted {
        fn help(&self) {
            self.helpers.fetch_add(1, Ordering::Relaxed);
            wait_until(|| self.ended.load(Ordering::Relaxed));
        }
    }

    fn wait_until(condition: impl Fn() -> bool) {
        while !condition() {
            std::thread::yield_now();
        }
    }

    #[test]
    fn threads_without_a_job_help() {
        for (threads, jobs) in [(1, 1), (2, 1), (4, 1), (3, 3), (2, 5)] {
            let ended = AtomicUsize::new(0);
            let results = run_jobs(threads, (0..jobs).collect(), |pool, job| {
                if job == 0 && threads > 1 {
                    wait_until(|| ended.load(Ordering::Relaxed) + 1 == jobs);
                    let work = Arc::new(Counted::default());
                    let offer = pool.offer(work.clone());
                    wait_until(|| work.helpers.load(Ordering::Relaxed) == threads - 1);
                    drop(offer);
                    work.ended.store(true, Ordering::Relaxed);
                }
                ended.fetch_add(1, Ordering::Relaxed);
                job
            });
            assert_eq!(results, (0..jobs).collect::<Vec<_>>());
        }
    }

    #[test]
    fn helpers_are_shared_fairly() {
        let all: Vec<Arc<Counted>> = (0..3).map(|_| Arc::default()).collect();
        let count = |work: &Arc<Counted>| work.helpers.load(Ordering::Relaxed);
        let counted = Barrier::new(3);
        let helpers = run_jobs(8, all.clone(), |pool, work| {
            let offer = pool.offer(work.clone());
            wait_until(|| all.iter().map(count).sum::<usize>() == 5);
            let helpers = count(&work);
            counted.wait();
            drop(offer);
            work.ended.store(true, Ordering::Relaxed);
            helpers
        });
        assert!(helpers.iter().all(|helpers| (1..=2).contains(helpers)), "{helpers:?}");
    }

    #[test]
    fn idle_threads_are_shared_among_jobs() {
        for (threads, jobs, idle) in [(1, 1, 0), (2, 1, 1), (8, 1, 7), (8, 3, 2), (3, 2, 1), (2, 2, 0), (2, 9, 0)] {
            let all_running = Barrier::new(jobs.min(threads));
            let seen = run_jobs(threads, vec![(); jobs], |pool, ()| {
                let idle = pool.idle_threads();
                if jobs <= threads {
                    all_running.wait();
                }
                idle
            });
            assert_eq!(seen[0], idle, "{threads} threads, {jobs} jobs");
        }
    }

    #[test]
    fn only_the_last_jobs_may_get_help() {
        let may_help = |threads| {
            let begun = AtomicUsize::new(0);
            run_jobs(threads, (0..4).collect(), |pool, job| {
                // Job 0 begins first.
                wait_until(|| begun.load(Ordering::Relaxed) > 0 || job == 0);
                let may_help = pool.may_help();
                begun.store(1, Ordering::Relaxed);
                may_help
            })
        };
        assert_eq!(may_help(1), [false; 4]);
        let on_two = may_help(2);
        assert_eq!((on_two[0], on_two[3]), (false, true));
    }

    #[test]
    fn panic_in_a_job_reaches_the_caller() {
        for threads in [1, 3] {
            let caught = catch_unwind(|| {
                run_jobs(threads, vec![1, 2, 3], |_, job| assert_ne!(job, 2, "job failed"));
            });
            assert!(caught.unwrap_err().downcast_ref::<String>().unwrap().contains("job failed"));
        }
    }
}

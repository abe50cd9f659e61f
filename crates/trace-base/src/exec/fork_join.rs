//! Fork and join: jobs of one step, run on threads that start for it.
//!
//! They are new threads, not those of a pool: the kernel places a new thread on an idle core. Threads of a pool that slept
//! while a file was read woke up on a busy core, and stayed there for up to 20 ms with another core idle (`perf sched
//! timehist`).
//!
//! A panic of a job, which an interrupt may be ([`super::checkpoint`]), reaches the caller with its payload. A scope of threads alone
//! would say only that a thread panicked.

use super::context::Inherited;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Returns the results of both closures, run concurrently if `concurrently`.
pub fn join<A, B: Send>(concurrently: bool, one: impl FnOnce() -> A, other: impl FnOnce() -> B + Send) -> (A, B) {
    let (one, other) = run_with_helpers(usize::from(concurrently), one, vec![other], |other| other());
    match other.into_iter().next() {
        Some(other) => (one, other),
        None => unreachable!("every job has a result"),
    }
}

/// Runs `jobs` on up to `helpers` threads while `main` runs here; the caller helps afterwards. Returns the result of `main`,
/// and those of the jobs in input order. After a panic of a job no other begins, and the caller panics with its payload.
pub fn run_with_helpers<J: Send, A: Send, B>(
    helpers: usize,
    main: impl FnOnce() -> B,
    jobs: Vec<J>,
    job: impl Fn(J) -> A + Sync,
) -> (B, Vec<A>) {
    let results: Vec<Mutex<Option<thread::Result<A>>>> = jobs.iter().map(|_| Mutex::new(None)).collect();
    let remaining = Mutex::new(jobs.into_iter().zip(&results));
    let panicked = AtomicBool::new(false);
    let work = || {
        let next = || remaining.lock().unwrap_or_else(PoisonError::into_inner).next();
        while !panicked.load(Ordering::Relaxed)
            && let Some((next, slot)) = next()
        {
            let result = catch_unwind(AssertUnwindSafe(|| job(next)));
            panicked.fetch_or(result.is_err(), Ordering::Relaxed);
            *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
        }
    };
    let here = Inherited::here();
    let help = || here.run(work);
    let main = thread::scope(|scope| {
        for _ in 0..helpers.min(results.len()) {
            // If the system refuses a thread, there are fewer.
            let _ = thread::Builder::new().spawn_scoped(scope, help);
        }
        let main = main();
        work();
        main
    });
    let results = results.into_iter().filter_map(|result| result.into_inner().unwrap_or_else(PoisonError::into_inner));
    // A job without a result did not begin, since another one panicked; that panic is resumed here.
    (main, results.map(|result| result.unwrap_or_else(|panic| resume_unwind(panic))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_job_runs_once_with_any_number_of_helpers() {
        for helpers in [0, 1, 5] {
            let (main, results) = run_with_helpers(helpers, || "main", (0..100).collect(), |job| job * 2);
            assert_eq!((main, results), ("main", (0..100).map(|job| job * 2).collect()));
        }
        assert_eq!(run_with_helpers(3, || (), Vec::<u8>::new(), |job| job), ((), Vec::new()));
        assert_eq!([false, true].map(|concurrently| join(concurrently, || 1, || 2)), [(1, 2); 2]);
    }

    #[test]
    fn panics_of_jobs_reach_the_caller_with_their_payload() {
        let panics = |job: u8| if job == 7 { resume_unwind(Box::new(job)) } else { job };
        for helpers in [0, 1, 5] {
            let caught = catch_unwind(|| run_with_helpers(helpers, || (), (0..20).collect(), panics));
            assert_eq!(caught.map_err(|panic| panic.downcast_ref::<u8>().copied()), Err(Some(7)));
        }
        // The caller waits until a helper runs the job.
        let barrier = std::sync::Barrier::new(2);
        let on_helper = |job: u8| {
            barrier.wait();
            panics(job)
        };
        let caught = catch_unwind(AssertUnwindSafe(|| run_with_helpers(1, || barrier.wait(), vec![7], on_helper).1));
        assert_eq!(caught.map_err(|panic| panic.downcast_ref::<u8>().copied()), Err(Some(7)));
    }
}

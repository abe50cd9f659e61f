//! Fork and join: jobs of one step, run on threads that start for it.
//!
//! They are new threads, not those of a pool: the kernel places a new thread on an idle core. Threads of a pool that slept
//! while a file was read woke up on a busy core, and stayed there for up to 20 ms with another core idle (`perf sched
//! timehist`).

use super::context::Inherited;
use std::sync::{Mutex, PoisonError};

/// Returns the results of both closures, run concurrently if `concurrently`.
pub fn join<A, B: Send>(concurrently: bool, one: impl FnOnce() -> A, other: impl FnOnce() -> B + Send) -> (A, B) {
    let (one, other) = run_with_helpers(usize::from(concurrently), one, vec![other], |other| other());
    match other.into_iter().next() {
        Some(other) => (one, other),
        None => unreachable!("every job has a result"),
    }
}

/// Runs `jobs` on up to `helpers` threads while `main` runs here; the caller helps afterwards. Returns the result of `main`,
/// and those of the jobs in input order.
pub fn run_with_helpers<J: Send, A: Send, B>(
    helpers: usize,
    main: impl FnOnce() -> B,
    jobs: Vec<J>,
    job: impl Fn(J) -> A + Sync,
) -> (B, Vec<A>) {
    let results: Vec<Mutex<Option<A>>> = jobs.iter().map(|_| Mutex::new(None)).collect();
    let remaining = Mutex::new(jobs.into_iter().zip(&results));
    let work = || {
        let next = || remaining.lock().unwrap_or_else(PoisonError::into_inner).next();
        while let Some((next, slot)) = next() {
            let result = job(next);
            *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
        }
    };
    let here = Inherited::here();
    let help = || here.run(work);
    let main = std::thread::scope(|scope| {
        for _ in 0..helpers.min(results.len()) {
            // If the system refuses a thread, there are fewer.
            let _ = std::thread::Builder::new().spawn_scoped(scope, help);
        }
        let main = main();
        work();
        main
    });
    let results = results.into_iter().filter_map(|result| result.into_inner().unwrap_or_else(PoisonError::into_inner));
    (main, results.collect())
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
}

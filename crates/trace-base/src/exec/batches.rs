//! Work on many ranks in batches that fit the memory budget.
//!
//! The memory that a rank needs while it is worked on (its columns if they are in a file, and working memory) is estimated before. A
//! batch is as many of the next ranks as fit together into what the budget has left, the same number on every thread, and at
//! least one; its ranks run in parallel, and the next batch begins once all of them have ended.
//!
//! Each thread takes the next rank when it has finished one ([`fork_join`](super::fork_join)). Ranks are no jobs of rayon: a
//! thread of a pool that waits for the pool of polars takes another job meanwhile, on top of its stack. Among 512 ranks it took
//! 275 in a row, and overflowed.
//!
//! ```text
//! budget left  |======================|
//! batch 1      | rank 0 | rank 1 |             rank 2 does not fit
//! batch 2      | rank 2        | rank 3 |
//! ```

use super::changed_files::checked;
use super::checkpoint::{self, Inherited, guarded};
use super::fork_join::run_with_helpers;
use super::memory::{Budget, Task};
use super::merge_tree::MergeTree;
use crate::Result;
use std::sync::atomic::{AtomicBool, Ordering};

/// Runs work on ranks, or on anything else that needs memory, in batches.
#[derive(Debug, Clone, Copy)]
pub struct Batches<'t> {
    budget: Budget,
    task: Task<'t>,
}

impl<'t> Batches<'t> {
    /// Prepares a task within a budget.
    pub fn within(budget: Budget, task: Task<'t>) -> Self {
        Self { budget, task }
    }

    /// Computes the partial result of each rank and merges them; `None` without ranks. `need` estimates the bytes that a rank
    /// needs while it is worked on. Results merge in pairs as soon as both are there: `merge` must be associative, and always has
    /// the earlier ranks on the left.
    ///
    /// # Errors
    /// [`Error::MemoryBudget`](crate::Error::MemoryBudget) if one rank alone does not fit;
    /// [`Error::Interrupted`](crate::Error::Interrupted); the first error of `work` or `merge`.
    pub fn merged<T: Sync, S: Send>(
        &self,
        ranks: &[T],
        need: impl Fn(&T) -> usize,
        work: impl Fn(&T) -> Result<S> + Sync,
        merge: impl Fn(S, S) -> Result<S> + Sync,
    ) -> Result<Option<S>> {
        let mut merged: Option<S> = None;
        let mut rest = ranks;
        while !rest.is_empty() {
            checkpoint::check()?;
            let (batch, later) = rest.split_at(self.next(rest, &need)?);
            // What was computed from a file that changed meanwhile is not used.
            let of_batch = checked(|| run(batch, &work, &merge))?;
            merged = match (merged, of_batch) {
                (Some(earlier), Some(of_batch)) => Some(merge(earlier, of_batch)?),
                (earlier, of_batch) => of_batch.or(earlier),
            };
            rest = later;
        }
        Ok(merged)
    }

    /// Returns the results of all ranks, in their order. They are in memory together: they should be small.
    ///
    /// # Errors
    /// As [`Batches::merged`].
    pub fn each<T: Sync, S: Send>(
        &self,
        ranks: &[T],
        need: impl Fn(&T) -> usize,
        work: impl Fn(&T) -> Result<S> + Sync,
    ) -> Result<Vec<S>> {
        let join = |mut one: Vec<S>, mut other: Vec<S>| {
            one.append(&mut other);
            Ok(one)
        };
        Ok(self.merged(ranks, need, |rank| Ok(vec![work(rank)?]), join)?.unwrap_or_default())
    }

    /// Returns how many of the next ranks fit together, at least one.
    ///
    /// # Errors
    /// If the first alone does not fit.
    fn next<T>(&self, ranks: &[T], need: impl Fn(&T) -> usize) -> Result<usize> {
        let first = ranks.first().map_or(0, &need);
        self.budget.check(self.task, first)?;
        let left = self.budget.left();
        let mut together = 0_u64;
        let fits = |rank: &&T| {
            together = together.saturating_add(need(rank) as u64);
            together <= left
        };
        let together = ranks.iter().take_while(fits).count();
        Ok(without_rest(together, ranks.len(), Inherited::here().threads()))
    }
}

/// Runs `work` on the ranks of a batch, on the threads of this context, and merges the results.
fn run<T: Sync, S: Send>(
    batch: &[T],
    work: &(impl Fn(&T) -> Result<S> + Sync),
    merge: &(impl Fn(S, S) -> Result<S> + Sync),
) -> Result<Option<S>> {
    let here = Inherited::here();
    let (merged, failed) = (MergeTree::new(batch.len(), merge), AtomicBool::new(false));
    let job = |index: usize| -> Result<()> {
        if failed.load(Ordering::Relaxed) {
            return Ok(());
        }
        let of_rank = || {
            checkpoint::check()?;
            merged.add(index, work(&batch[index])?)
        };
        let result = guarded(|| here.on_threads(of_rank));
        failed.fetch_or(result.is_err(), Ordering::Relaxed);
        result
    };
    let helpers = here.threads().saturating_sub(1).min(batch.len().saturating_sub(1));
    let (_, results) = run_with_helpers(helpers, || (), (0..batch.len()).collect(), job);
    results.into_iter().collect::<Result<()>>()?;
    Ok(merged.into_all())
}

/// Returns how many ranks of those that fit together run in a batch: at least one, and as many on every thread, since the next
/// batch waits for the last of them. Three on two threads take as long as four.
fn without_rest(fit: usize, ranks: usize, threads: usize) -> usize {
    let threads = threads.max(1);
    if fit < ranks && fit > threads { fit - fit % threads } else { fit.max(1) }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::{CancellationToken, Error};
    use std::cell::Cell;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::Mutex;
    use std::sync::atomic::AtomicUsize;
    use std::thread;
    use std::time::Duration;

    const TASK: Task<'_> = Task::Answer("a test");

    fn concat(one: String, other: String) -> Result<String> {
        Ok(one + &other)
    }

    /// Sizes that what else the tests of this process hold does not change.
    const TEBIBYTE: usize = 1 << 40;

    #[test]
    fn results_merge_in_order_however_small_batches_are() {
        let ranks: Vec<u64> = (0..40).collect();
        let wanted: String = ranks.iter().map(|rank| format!("{rank},")).collect();
        for bytes in [1, TEBIBYTE / 4, 2 * TEBIBYTE] {
            let batches = Batches::within(Budget::with_left(TEBIBYTE as u64), TASK);
            let text = batches.merged(&ranks, |_| bytes, |rank| Ok(format!("{rank},")), concat);
            if bytes > TEBIBYTE {
                assert!(matches!(text, Err(Error::MemoryBudget { need, .. }) if need == bytes as u64));
            } else {
                assert_eq!(text.unwrap().unwrap(), wanted);
            }
        }
        let batches = Batches::within(Budget::of(u64::MAX), TASK);
        assert_eq!(batches.each(&ranks, |_| 0, |rank| Ok(*rank)).unwrap(), ranks);
        assert!(batches.merged(&[0_u8; 0], |_| 0, |_| Ok(()), |(), ()| Ok(())).unwrap().is_none());
    }

    #[test]
    fn what_runs_together_fits_the_budget() {
        let ranks: Vec<usize> = (1..60).map(|rank| (rank * 37 % 50 + 1) * TEBIBYTE / 200).collect();
        let (now, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let batches = Batches::within(Budget::with_left(TEBIBYTE as u64), TASK);
        let work = |bytes: &usize| {
            most.fetch_max(now.fetch_add(*bytes, Ordering::SeqCst) + bytes, Ordering::SeqCst);
            std::thread::yield_now();
            now.fetch_sub(*bytes, Ordering::SeqCst);
            Ok(())
        };
        batches.each(&ranks, |bytes| *bytes, work).unwrap();
        // What the process holds changes while it runs.
        assert!((TEBIBYTE / 8..TEBIBYTE + TEBIBYTE / 100).contains(&most.load(Ordering::SeqCst)));
    }

    /// A thread of a pool that waits for another pool takes a job of its own meanwhile, on top of its stack.
    #[test]
    fn ranks_that_wait_for_a_pool_begin_no_other_rank() {
        std::thread_local!(static DEPTH: Cell<usize> = const { Cell::new(0) });
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let deepest = AtomicUsize::new(0);
        let work = |_: &usize| {
            let depth = DEPTH.get() + 1;
            DEPTH.set(depth);
            deepest.fetch_max(depth, Ordering::SeqCst);
            pool.install(|| thread::sleep(Duration::from_micros(100)));
            DEPTH.set(depth - 1);
            Ok(())
        };
        let batches = Batches::within(Budget::of(u64::MAX), TASK);
        let ranks: Vec<usize> = (0..512).collect();
        batches.each(&ranks, |_| 0, work).unwrap();
        assert_eq!(deepest.load(Ordering::SeqCst), 1);
    }

    #[test]
    fn panics_of_ranks_reach_the_caller() {
        let batches = Batches::within(Budget::of(u64::MAX), TASK);
        let ranks: Vec<usize> = (0..20).collect();
        let panics = |rank: &usize| if *rank == 7 { std::panic::resume_unwind(Box::new(7_u8)) } else { Ok(()) };
        let caught = catch_unwind(AssertUnwindSafe(|| batches.each(&ranks, |_| 0, panics)));
        assert!(caught.unwrap_err().is::<u8>());
    }

    #[test]
    fn batches_give_every_thread_as_many_ranks() {
        for (fit, ranks, threads, run) in [
            (0, 9, 2, 1),
            (1, 9, 2, 1),
            (2, 9, 2, 2),
            (3, 9, 2, 2),
            (5, 9, 2, 4),
            (9, 9, 2, 9),
            (7, 64, 4, 4),
            (3, 9, 0, 3),
        ] {
            assert_eq!(without_rest(fit, ranks, threads), run, "{fit} of {ranks} on {threads}");
        }
    }

    #[test]
    fn errors_and_cancellation_end_the_work() {
        let ranks: Vec<u64> = (0..100).collect();
        let batches = Batches::within(Budget::of(u64::MAX), TASK);
        let fails =
            |rank: &u64| if *rank == 7 { Err(Error::UnknownDeviceType { word: rank.to_string() }) } else { Ok(()) };
        assert!(batches.each(&ranks, |_| 1, fails).is_err());
        let seen = Mutex::new(0);
        let cancelled = CancellationToken::new(|| true).run(|| {
            batches.each(
                &ranks,
                |_| 1,
                |_| {
                    *seen.lock().unwrap() += 1;
                    Ok(())
                },
            )
        });
        assert!(matches!(cancelled, Err(Error::Interrupted)));
        assert_eq!(*seen.lock().unwrap(), 0);
    }
}

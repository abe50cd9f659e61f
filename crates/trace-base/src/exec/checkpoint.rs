//! Cooperative cancellation: long calls check at checkpoints whether they are cancelled.
//!
//! A load checks through its meter. Analyses and comparisons are loops over rows in functions that cannot fail: they check
//! every few thousand rows ([`cancellable`]) and unwind, past the panic hook, to the public call ([`guarded`]), which returns
//! [`Error::Interrupted`].

use super::cancellation::CancellationToken;
use super::context::Execution;
pub use super::context::Inherited;
use crate::{Error, Result};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// Mask of the row number: a loop checks at every 4,096th row.
const ROW_MASK: usize = 4095;

impl CancellationToken {
    /// Runs `work` on this thread: [`Execution::run`] with this token. Calls of the library in it end with
    /// [`Error::Interrupted`] once the token is cancelled, on all their threads.
    pub fn run<T>(&self, work: impl FnOnce() -> T) -> T {
        Execution::new().cancellation(self.clone()).run(work)
    }
}

/// Whether the work of this thread is cancelled.
pub fn interrupted() -> bool {
    Inherited::is_cancelled()
}

/// Fails if the work of this thread is cancelled.
///
/// # Errors
/// [`Error::Interrupted`] if it is.
pub fn check() -> Result<()> {
    if interrupted() { Err(Error::Interrupted) } else { Ok(()) }
}

/// Panic payload of a cancelled loop.
struct Cancelled;

/// Runs `work`, whose loops unwind when they are cancelled.
///
/// # Errors
/// [`Error::Interrupted`] if they did, or the error of `work`.
pub fn guarded<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    // Cancelled work shares only tables of names, which are locked for single entries.
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(result) => result,
        Err(payload) if payload.is::<Cancelled>() => Err(Error::Interrupted),
        Err(payload) => resume_unwind(payload),
    }
}

/// Returns an iterator over the items that unwinds if the work is cancelled; requires [`guarded`].
pub fn cancellable<I: IntoIterator>(items: I) -> Cancellable<I::IntoIter> {
    Cancellable { items: items.into_iter(), count: 0 }
}

/// Iterator with a checkpoint every 4,096 items.
pub struct Cancellable<I> {
    items: I,
    count: usize,
}

impl<I: Iterator> Iterator for Cancellable<I> {
    type Item = I::Item;

    #[inline]
    fn next(&mut self) -> Option<I::Item> {
        if self.count & ROW_MASK == 0 {
            unwind_if_interrupted();
        }
        self.count += 1;
        self.items.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.items.size_hint()
    }
}

/// Unwinds if the work is cancelled.
#[cold]
fn unwind_if_interrupted() {
    if interrupted() {
        resume_unwind(Box::new(Cancelled));
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use rayon::prelude::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn cancelled_loops_end_on_all_threads() {
        let checks = Arc::new(AtomicUsize::new(0));
        let token = {
            let checks = Arc::clone(&checks);
            CancellationToken::new(move || checks.fetch_add(1, Ordering::Relaxed) >= 10)
        };
        let count = |()| cancellable(0..100_000_000_u64).map(std::hint::black_box).sum::<u64>();
        let on_one_thread = token.run(|| guarded(|| Ok(count(()))));
        assert!(matches!(on_one_thread, Err(Error::Interrupted)));
        let on_several = token.run(|| {
            let here = Inherited::here();
            guarded(|| Ok(vec![(); 8].into_par_iter().map(|()| here.run(|| count(()))).sum::<u64>()))
        });
        assert!(matches!(on_several, Err(Error::Interrupted)));
        assert!(checks.load(Ordering::Relaxed) < 100);
        // After `run`, work of this thread is not cancelled.
        assert_eq!(guarded(|| Ok(cancellable(0..10_000).count())).unwrap(), 10_000);
    }
}

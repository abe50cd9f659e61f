//! Cooperative cancellation: long work looks from time to time whether it is to end.
//!
//! Loading looks through its meter. Analyses and comparisons are loops over rows in functions that cannot fail: those look
//! every few thousand rows ([`cancellable`]) and unwind, past the panic hook, to the call that the user made
//! ([`guarded`]), which answers with [`Error::Interrupted`].

use crate::{Error, Result};
use std::cell::RefCell;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, OnceLock};

static ASKED: OnceLock<fn() -> bool> = OnceLock::new();

thread_local! {
    /// What this thread works for.
    static TOKEN: RefCell<Option<CancellationToken>> = const { RefCell::new(None) };
}

/// How many rows a loop goes over between two looks, less one; a power of two, less one.
const ROWS: usize = 4095;

/// Sets what long calls (loading, an analysis of many ranks) ask from time to time: once it answers `true` they end with
/// [`Error::Interrupted`]. It must be quick, and may be asked from any thread. The first call counts.
pub fn set_checkpoint(interrupted: fn() -> bool) {
    let _ = ASKED.set(interrupted);
}

/// Ends the calls that are made under it once it was cancelled.
#[derive(Clone)]
pub struct CancellationToken(Arc<dyn Fn() -> bool + Send + Sync>);

impl fmt::Debug for CancellationToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("CancellationToken").field(&(self.0)()).finish()
    }
}

impl CancellationToken {
    /// A token that is cancelled once `cancelled` answers `true`. It must be quick, and may be asked from any thread.
    pub fn new(cancelled: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self(Arc::new(cancelled))
    }

    /// Runs work on this thread. Calls of the library in it end with [`Error::Interrupted`] once the token is cancelled, with
    /// all threads that work for them.
    pub fn run<T>(&self, work: impl FnOnce() -> T) -> T {
        Inherited(Some(self.clone())).run(work)
    }
}

/// What a thread works for, to be handed to those that help it.
#[derive(Clone)]
pub(crate) struct Inherited(Option<CancellationToken>);

impl Inherited {
    /// What this thread works for.
    pub(crate) fn here() -> Self {
        Self(TOKEN.with_borrow(Clone::clone))
    }

    /// Runs work that ends when that of the other thread does.
    pub(crate) fn run<T>(&self, work: impl FnOnce() -> T) -> T {
        let _restore = Restore(TOKEN.replace(self.0.clone()));
        work()
    }
}

/// Takes back what the thread worked for before.
struct Restore(Option<CancellationToken>);

impl Drop for Restore {
    fn drop(&mut self) {
        TOKEN.set(self.0.take());
    }
}

/// Whether the work of this thread is to end.
pub(crate) fn interrupted() -> bool {
    ASKED.get().is_some_and(|asked| asked())
        || TOKEN.with_borrow(|token| token.as_ref().is_some_and(|token| (token.0)()))
}

/// Ends a long call that is to end.
///
/// # Errors
/// [`Error::Interrupted`] if it is.
pub(crate) fn check() -> Result<()> {
    if interrupted() { Err(Error::Interrupted) } else { Ok(()) }
}

/// What a loop unwinds with.
struct Cancelled;

/// Runs work whose loops may unwind.
///
/// # Errors
/// [`Error::Interrupted`] if they did, or the error of the work.
pub(crate) fn guarded<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    // Nothing is shared with work that ends like this but tables of names, which are locked for single entries.
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(answer) => answer,
        Err(payload) if payload.is::<Cancelled>() => Err(Error::Interrupted),
        Err(payload) => resume_unwind(payload),
    }
}

/// The items, as long as the work is not cancelled; to be called within [`guarded`].
pub(crate) fn cancellable<I: IntoIterator>(items: I) -> Cancellable<I::IntoIter> {
    Cancellable { items: items.into_iter(), count: 0 }
}

/// Items that look every few thousand whether the work is to end.
pub(crate) struct Cancellable<I> {
    items: I,
    count: usize,
}

impl<I: Iterator> Iterator for Cancellable<I> {
    type Item = I::Item;

    #[inline]
    fn next(&mut self) -> Option<I::Item> {
        if self.count & ROWS == 0 {
            look();
        }
        self.count += 1;
        self.items.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.items.size_hint()
    }
}

/// Unwinds if the work is to end.
#[cold]
fn look() {
    if interrupted() {
        resume_unwind(Box::new(Cancelled));
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use rayon::prelude::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn cancelled_loops_end_on_all_threads() {
        let looks = Arc::new(AtomicUsize::new(0));
        let token = {
            let looks = Arc::clone(&looks);
            CancellationToken::new(move || looks.fetch_add(1, Ordering::Relaxed) >= 10)
        };
        let count = |()| cancellable(0..100_000_000_u64).map(std::hint::black_box).sum::<u64>();
        let alone = token.run(|| guarded(|| Ok(count(()))));
        assert!(matches!(alone, Err(Error::Interrupted)));
        let together = token.run(|| {
            let here = Inherited::here();
            guarded(|| Ok(vec![(); 8].into_par_iter().map(|()| here.run(|| count(()))).sum::<u64>()))
        });
        assert!(matches!(together, Err(Error::Interrupted)));
        assert!(looks.load(Ordering::Relaxed) < 100);
        // Work of others is not cancelled, nor is that of this thread afterwards.
        assert_eq!(guarded(|| Ok(cancellable(0..10_000).count())).unwrap(), 10_000);
    }
}

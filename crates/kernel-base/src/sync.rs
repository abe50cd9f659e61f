//! Locks that outlive a panic.
//!
//! No critical section of ours leaves its data half changed, so a thread that panicked while it held a lock is no reason for others
//! to panic.

use std::sync::{LockResult, Mutex, MutexGuard, PoisonError};

/// Locks a mutex, also after a thread panicked with it.
pub fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    unpoisoned(mutex.lock())
}

/// Returns the guard of a lock, or of a wait on a condition variable, also after a panic.
pub fn unpoisoned<G>(guard: LockResult<G>) -> G {
    guard.unwrap_or_else(PoisonError::into_inner)
}

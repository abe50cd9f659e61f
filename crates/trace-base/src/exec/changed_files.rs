//! Files that work reads while they are mapped, and the check that none of them changed meanwhile.

use crate::error::UnusableReason;
use crate::{Error, Result};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// A mapped file that can tell whether it changed.
pub trait MappedFile: Send + Sync {
    /// Reports the file by [`report`] if it changed since it was mapped, once.
    fn report_if_changed(&self);
}

/// The mappings of this process that may still be in use.
static MAPPED: Mutex<Vec<Weak<dyn MappedFile>>> = Mutex::new(Vec::new());

/// The files that were found changed, in order.
static CHANGED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Runs work that may use mapped files, and verifies afterwards that none of them was changed meanwhile. Every public call
/// whose result was computed from ranks ends with this check.
///
/// # Errors
/// [`Error::Unusable`] if a file was: then the result may be wrong. Otherwise the error of the work.
pub fn checked<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    let before = lock(&CHANGED).len();
    let result = work();
    look();
    match lock(&CHANGED).get(before) {
        Some(path) => Err(Error::Unusable { path: path.clone(), reason: UnusableReason::Changed }),
        None => result,
    }
}

/// Remembers a mapping.
pub fn add(mapping: Weak<dyn MappedFile>) {
    let mut mapped = lock(&MAPPED);
    mapped.retain(|mapping| mapping.strong_count() > 0);
    mapped.push(mapping);
}

/// Finds every mapped file that changed.
fn look() {
    // Not under the lock: the last owner of a mapping may go away meanwhile.
    let mapped: Vec<Arc<dyn MappedFile>> = lock(&MAPPED).iter().filter_map(Weak::upgrade).collect();
    for mapping in mapped {
        mapping.report_if_changed();
    }
}

/// Remembers a file that was found changed.
pub fn report(path: &Path) {
    lock(&CHANGED).push(path.to_owned());
}

fn lock<T>(values: &Mutex<T>) -> MutexGuard<'_, T> {
    values.lock().unwrap_or_else(PoisonError::into_inner)
}

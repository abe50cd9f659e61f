//! The bound on the memory of SQLite itself, which is one for the whole process.

#![allow(unsafe_code)]

use crate::store::locked;
use rusqlite::ffi;
use std::sync::Mutex;

/// The least bound, in bytes: without so much no statement runs.
const LEAST: usize = 32 << 20;

/// The bounds of the statements that run.
static BOUNDS: Mutex<Vec<usize>> = Mutex::new(Vec::new());

/// A bound, as long as it lives. Of several the smallest holds.
pub(crate) struct HeapBound(usize);

impl HeapBound {
    /// Bounds the memory of SQLite by so many bytes.
    pub(crate) fn of(bytes: usize) -> Self {
        let bound = Self(bytes.max(LEAST));
        let mut bounds = locked(&BOUNDS);
        bounds.push(bound.0);
        apply(&bounds);
        bound
    }
}

impl Drop for HeapBound {
    fn drop(&mut self) {
        let mut bounds = locked(&BOUNDS);
        if let Some(at) = bounds.iter().position(|bound| *bound == self.0) {
            bounds.swap_remove(at);
        }
        apply(&bounds);
    }
}

fn apply(bounds: &[usize]) {
    // No bound is 0 for SQLite.
    let bytes = bounds.iter().min().map_or(0, |bytes| i64::try_from(*bytes).unwrap_or(i64::MAX));
    // SAFETY: the function may be called at any time by any thread.
    unsafe { ffi::sqlite3_hard_heap_limit64(bytes) };
}

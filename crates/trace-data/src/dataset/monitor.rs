//! Progress of a load, updated by its threads.

use super::load_options::LoadOptions;
use crate::read::Meter;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// Progress of a load.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LoadProgress {
    /// Bytes read from disk or received from storage. In a strict load, which reads each file twice, each read counts half.
    pub bytes_read: u64,
    /// Size of all files as they are stored, in bytes.
    pub bytes_total: u64,
    /// Events parsed.
    pub events: u64,
    /// Files loaded.
    pub files_done: usize,
    /// Files to load.
    pub files_total: usize,
    /// Files that were not read, since the cache has their ranks.
    pub files_from_cache: usize,
    /// Path of the file begun last.
    pub file: String,
}

/// Progress of a load, updated by its threads.
#[derive(Default)]
pub(super) struct Monitor {
    pub(super) meter: Meter,
    pub(super) bytes_total: AtomicU64,
    pub(super) files_total: AtomicUsize,
    pub(super) files_done: AtomicUsize,
    pub(super) files_from_cache: AtomicUsize,
    pub(super) current: Mutex<String>,
}

impl Monitor {
    /// Sets what there is to load.
    pub(super) fn begin(&self, bytes: u64, files: usize) {
        self.bytes_total.store(bytes, Ordering::Relaxed);
        self.files_total.store(files, Ordering::Relaxed);
    }

    /// Sets the path of the file begun last.
    pub(super) fn begin_file(&self, name: &str) {
        if let Ok(mut current) = self.current.lock() {
            name.clone_into(&mut current);
        }
    }

    /// Counts a loaded file.
    pub(super) fn end_file(&self) {
        self.files_done.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn progress(&self, options: &LoadOptions) -> LoadProgress {
        let bytes_total = self.bytes_total.load(Ordering::Relaxed);
        let reads = if options.strict { 2 } else { 1 };
        LoadProgress {
            // A file may have grown since.
            bytes_read: (self.meter.bytes.load(Ordering::Relaxed) / reads).min(bytes_total),
            bytes_total,
            events: self.meter.events.load(Ordering::Relaxed),
            files_done: self.files_done.load(Ordering::Relaxed),
            files_total: self.files_total.load(Ordering::Relaxed),
            files_from_cache: self.files_from_cache.load(Ordering::Relaxed),
            file: self.current.lock().map(|current| current.clone()).unwrap_or_default(),
        }
    }
}

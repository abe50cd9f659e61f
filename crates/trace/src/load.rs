//! Path or bytes → [`TraceSet`]: several ranks at once, with progress and a way to stop.

use crate::Compat;

/// How a trace is to be loaded.
#[derive(Debug, Clone, Default)]
pub struct LoadOptions {
    /// The truth, or HTA's answer to the digit.
    pub compat: Compat,
    /// Only these ranks; `None` for all. A file of another rank is dropped as soon as its rank is known.
    pub ranks: Option<Vec<i64>>,
    /// The label; `None` makes one from the name of the file or folder.
    pub label: Option<String>,
}

/// How far a load has come.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LoadProgress {
    /// Bytes read from the files, as they lie on disk.
    pub bytes_read: u64,
    /// Bytes of all files.
    pub bytes_total: u64,
    /// Events seen.
    pub events: u64,
    /// Files that are done.
    pub files_done: usize,
    /// All files.
    pub files_total: usize,
    /// A file that is being read, by name.
    pub file: String,
}

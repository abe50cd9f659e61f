//! The file by which a value reaches the worker process, or the folder of a trace. A trace is written on a thread as soon as it is
//! loaded, so that the cell that mentions it need not wait; the kernel then maps the files, too, so that the columns are in memory
//! once. A rank that is in a file already is handed over by its path. Small values, and those that would fill the disk, are written
//! when a cell mentions them.

use crate::Failure;
use crate::session::Binding;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;
use trace_core::TraceSet;

/// A file is written ahead only if the disk has this many times as much free space.
const FREE_SPACE_FACTOR: u64 = 4;

/// The file or folder of a value and its state. It is removed on drop; mappings of it stay valid.
pub(super) enum Handover {
    /// It will be written to this path when a cell mentions the value.
    Deferred(PathBuf),
    /// It is being written.
    Writing(PathBuf, JoinHandle<std::io::Result<(Removed, TraceSet)>>),
    /// It exists. For a trace that was written ahead, with the mapped trace until that is taken.
    Written(Removed, Option<Arc<TraceSet>>),
}

/// A file or a folder that is removed on drop.
pub(super) struct Removed(PathBuf);

impl Drop for Removed {
    fn drop(&mut self) {
        // What is left goes with the folder of the run.
        let _ = if self.0.is_dir() { std::fs::remove_dir_all(&self.0) } else { std::fs::remove_file(&self.0) };
    }
}

impl Handover {
    /// Starts to write a trace on a thread, if there is space.
    pub(in crate::engine) fn ahead(traces: &Arc<TraceSet>, file: PathBuf) -> Self {
        let has_space =
            file.parent().is_some_and(|folder| free_space(folder) / FREE_SPACE_FACTOR >= traces.memory_bytes() as u64);
        if !has_space {
            return Self::Deferred(file);
        }
        let write = {
            let (traces, file) = (Arc::clone(traces), file.clone());
            move || {
                // Removes the files also if the value is dropped before they are written.
                let folder = Removed(file);
                let mapped = trace_core::write::arrow::hand_over(&traces, &folder.0).map_err(std::io::Error::other)?;
                Ok((folder, mapped))
            }
        };
        match std::thread::Builder::new().name("handover".to_owned()).spawn(write) {
            Ok(thread) => Self::Writing(file, thread),
            Err(_) => Self::Deferred(file),
        }
    }

    /// Returns the written file; writes it, or waits for the thread that does.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(in crate::engine) fn written(&mut self, value: &Binding) -> Result<&Path, Failure> {
        self.join();
        if let Self::Deferred(path) = self {
            let failed = |error: std::io::Error| {
                Failure::new("FileError", format!("cannot hand the value to Rust cells: {error}"))
            };
            let file = Removed(path.clone());
            let mapped = write(value, &file.0).map_err(failed)?;
            *self = Self::Written(file, mapped.map(Arc::new));
        }
        match self {
            Self::Written(file, _) => Ok(&file.0),
            Self::Deferred(path) | Self::Writing(path, _) => Ok(path),
        }
    }

    /// Returns the mapped trace, once, after it was written.
    pub(super) fn take_mapped(&mut self) -> Option<Arc<TraceSet>> {
        if matches!(self, Self::Writing(_, thread) if thread.is_finished()) {
            self.join();
        }
        match self {
            Self::Written(_, mapped) => mapped.take(),
            _ => None,
        }
    }

    /// Waits for the thread that writes. A file that it could not write is deferred.
    fn join(&mut self) {
        if let Self::Writing(path, _) = self {
            let path = std::mem::take(path);
            if let Self::Writing(_, thread) = std::mem::replace(self, Self::Deferred(path))
                && let Ok(Ok((file, mapped))) = thread.join()
            {
                *self = Self::Written(file, Some(Arc::new(mapped)));
            }
        }
    }
}

/// Returns the free bytes on the disk of `folder`; 0 if unknown.
fn free_space(folder: &Path) -> u64 {
    rustix::fs::statvfs(folder).map_or(0, |disk| disk.f_bavail.saturating_mul(disk.f_frsize))
}

/// Writes a value; returns a trace as it is mapped from what was written.
fn write(value: &Binding, file: &Path) -> std::io::Result<Option<TraceSet>> {
    match value {
        Binding::Trace(traces) => {
            trace_core::write::arrow::hand_over(traces, file).map(Some).map_err(std::io::Error::other)
        }
        Binding::Frame(frame) => {
            trace_core::write::arrow::save_frame(frame, file).map(|()| None).map_err(std::io::Error::other)
        }
        Binding::OpsDiff(diff) => std::fs::write(file, serde_json::to_vec(diff)?).map(|()| None),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use trace_core::polars::prelude::{DataFrame, df};

    fn loaded(folder: &Path) -> Arc<TraceSet> {
        let event = r#"{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":0,"dur":5}"#;
        std::fs::write(folder.join("0.json"), format!("{{\"traceEvents\": [{event}]}}")).unwrap();
        Arc::new(TraceSet::load(folder).unwrap())
    }

    #[test]
    fn trace_is_written_ahead_and_mapped_once() {
        let folder = tempfile::tempdir().unwrap();
        let traces = loaded(folder.path());
        let file = folder.path().join("t");
        let mut handover = Handover::ahead(&traces, file.clone());
        assert_eq!(handover.written(&Binding::Trace(Arc::clone(&traces))).unwrap(), file);
        let mapped = handover.take_mapped().unwrap();
        assert_eq!(mapped.event_count(), 1);
        assert!(handover.take_mapped().is_none() && file.join("rank-0000.arrow").is_file());
        let in_a_cell = trace_core::write::arrow::map(&file).unwrap();
        assert!(in_a_cell.events().equals_missing(&traces.events()));
        drop(handover);
        assert!(!file.exists(), "the files go with the value");
        assert!(mapped.events().equals_missing(&traces.events()), "and the pages stay");
    }

    #[test]
    fn rank_in_a_file_is_handed_over_by_its_path() {
        let folder = tempfile::tempdir().unwrap();
        let stored = Arc::new(loaded(folder.path()).stored_in(folder.path().join("stored")).unwrap());
        let inode = |path: PathBuf| std::os::unix::fs::MetadataExt::ino(&std::fs::metadata(path).unwrap());
        let file = folder.path().join("t");
        let mut handover = Handover::ahead(&stored, file.clone());
        handover.written(&Binding::Trace(Arc::clone(&stored))).unwrap();
        let name = "rank-0000.arrow";
        assert_eq!(inode(file.join(name)), inode(folder.path().join("stored").join(name)), "it was not written again");
        assert_eq!(handover.take_mapped().unwrap().stored_ranks(), [0]);
        drop(handover);
        assert_eq!(stored.events().height(), 1, "the file of the trace stays");
    }

    #[test]
    fn dropped_handover_leaves_no_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("t");
        let Handover::Writing(_, thread) = Handover::ahead(&loaded(folder.path()), file.clone()) else { panic!() };
        // As if the handover was dropped before the thread ended.
        drop(thread.join().unwrap());
        assert!(!file.exists());
    }

    #[test]
    fn unwritable_file_fails_the_cell_that_needs_it() {
        let folder = tempfile::tempdir().unwrap();
        let traces = loaded(folder.path());
        let frame = Binding::Frame(df!("n" => [1]).unwrap_or_else(|_| DataFrame::empty()));
        // No folder, but a file.
        let unwritable = folder.path().join("0.json").join("t.arrow");
        for value in [Binding::Trace(Arc::clone(&traces)), frame] {
            let mut handover = Handover::ahead(&traces, unwritable.clone());
            let failure = handover.written(&value).unwrap_err();
            assert!(failure.evalue.contains("cannot hand the value to Rust cells"), "{}", failure.evalue);
            assert!(handover.take_mapped().is_none());
        }
    }
}

//! The file by which a value reaches Rust cells. A trace is written as soon as it is loaded, beside whatever else happens,
//! so that the cell that mentions it need not wait; the kernel then maps that file as well, so that its columns lie in memory
//! once. What is small, or would fill the disk, is written when a cell mentions it.

use crate::Failure;
use crate::session::Binding;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;
use tempfile::TempPath;
use trace::TraceSet;

/// A file is written ahead only where there is this many times as much room.
const ROOM: u64 = 4;

/// What became of a value's file. It is removed when this is dropped: a mapped file lives on until the last that maps it is
/// gone.
pub(super) enum Handover {
    /// It will be written here when a cell wants it.
    Waiting(PathBuf),
    /// It is being written.
    Writing(PathBuf, JoinHandle<std::io::Result<(TempPath, TraceSet)>>),
    /// It is there; for a trace that was written ahead, as it is mapped, until somebody takes that.
    Written(TempPath, Option<Arc<TraceSet>>),
}

impl Handover {
    /// Writes a trace now, if there is room.
    pub(super) fn ahead(traces: &Arc<TraceSet>, file: PathBuf) -> Self {
        let has_room = file.parent().is_some_and(|folder| room(folder) / ROOM >= traces.memory_bytes() as u64);
        if !has_room {
            return Self::Waiting(file);
        }
        let write = {
            let (traces, file) = (Arc::clone(traces), file.clone());
            move || {
                // Whoever forgets the value forgets the file, also when it is written later.
                let file = TempPath::try_from_path(file)?;
                trace::write::arrow::save(&traces, &file).map_err(std::io::Error::other)?;
                let mapped = trace::write::arrow::map(&file).map_err(std::io::Error::other)?;
                Ok((file, mapped))
            }
        };
        match std::thread::Builder::new().name("handover".to_owned()).spawn(write) {
            Ok(thread) => Self::Writing(file, thread),
            Err(_) => Self::Waiting(file),
        }
    }

    /// The file, written. Waits for it if need be.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn written(&mut self, value: &Binding) -> Result<&Path, Failure> {
        self.join();
        if let Self::Waiting(path) = self {
            let failed = |error: std::io::Error| {
                Failure::new("FileError", format!("cannot hand the value to Rust cells: {error}"))
            };
            let file = TempPath::try_from_path(path.clone()).map_err(failed)?;
            write(value, &file).map_err(failed)?;
            *self = Self::Written(file, None);
        }
        match self {
            Self::Written(file, _) => Ok(file),
            Self::Waiting(path) | Self::Writing(path, _) => Ok(path),
        }
    }

    /// The trace as it is mapped, once, as soon as it was written.
    pub(super) fn take_mapped(&mut self) -> Option<Arc<TraceSet>> {
        if matches!(self, Self::Writing(_, thread) if thread.is_finished()) {
            self.join();
        }
        match self {
            Self::Written(_, mapped) => mapped.take(),
            _ => None,
        }
    }

    /// Waits for the thread that writes; what it could not write will be tried again when a cell wants it.
    fn join(&mut self) {
        if let Self::Writing(path, _) = self {
            let path = std::mem::take(path);
            if let Self::Writing(_, thread) = std::mem::replace(self, Self::Waiting(path))
                && let Ok(Ok((file, mapped))) = thread.join()
            {
                *self = Self::Written(file, Some(Arc::new(mapped)));
            }
        }
    }
}

/// The bytes that are free where `folder` lies; 0 if that is not known.
fn room(folder: &Path) -> u64 {
    rustix::fs::statvfs(folder).map_or(0, |disk| disk.f_bavail.saturating_mul(disk.f_frsize))
}

fn write(value: &Binding, file: &Path) -> std::io::Result<()> {
    match value {
        Binding::Trace(traces) => trace::write::arrow::save(traces, file).map_err(std::io::Error::other),
        Binding::Frame(frame) => trace::write::arrow::save_frame(frame, file).map_err(std::io::Error::other),
        Binding::OpsDiff(diff) => std::fs::write(file, serde_json::to_vec(diff)?),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use trace::polars::prelude::{DataFrame, df};

    fn loaded(folder: &Path) -> Arc<TraceSet> {
        let event = r#"{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":0,"dur":5}"#;
        std::fs::write(folder.join("0.json"), format!("{{\"traceEvents\": [{event}]}}")).unwrap();
        Arc::new(TraceSet::load(folder).unwrap())
    }

    #[test]
    fn a_trace_is_written_ahead_and_mapped_once() {
        let folder = tempfile::tempdir().unwrap();
        let traces = loaded(folder.path());
        let file = folder.path().join("t.arrow");
        let mut handover = Handover::ahead(&traces, file.clone());
        assert_eq!(handover.written(&Binding::Trace(Arc::clone(&traces))).unwrap(), file);
        let mapped = handover.take_mapped().unwrap();
        assert_eq!(mapped.event_count(), 1);
        assert!(handover.take_mapped().is_none() && file.is_file());
        drop(handover);
        assert!(!file.exists(), "the file goes with the value");
        assert!(mapped.events().equals_missing(&traces.events()), "and the pages stay");
    }

    #[test]
    fn what_is_forgotten_while_it_is_written_leaves_no_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("t.arrow");
        let Handover::Writing(_, thread) = Handover::ahead(&loaded(folder.path()), file.clone()) else { panic!() };
        // As if nobody took what it made.
        drop(thread.join().unwrap());
        assert!(!file.exists());
    }

    #[test]
    fn a_file_that_cannot_be_written_is_an_error_of_the_cell_that_wants_it() {
        let folder = tempfile::tempdir().unwrap();
        let traces = loaded(folder.path());
        let frame = Binding::Frame(df!("n" => [1]).unwrap_or_else(|_| DataFrame::empty()));
        let gone = folder.path().join("gone").join("t.arrow");
        for value in [Binding::Trace(Arc::clone(&traces)), frame] {
            let mut handover = Handover::ahead(&traces, gone.clone());
            let failure = handover.written(&value).unwrap_err();
            assert!(failure.evalue.contains("cannot hand the value to Rust cells"), "{}", failure.evalue);
            assert!(handover.take_mapped().is_none());
        }
    }
}

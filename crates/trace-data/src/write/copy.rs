//! Copies of trace files with changed and new events.

#[cfg(test)]
#[path = "copy_tests.rs"]
mod tests;

use super::output::OutputFile;
use crate::read::{EventSink, Meter, Outcome, RawEvent, open_file, read_ahead, read_events};
use crate::{Error, Result};
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;
use std::fmt;
use std::io::{BufWriter, ErrorKind, Write};
use std::ops::ControlFlow;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The changes of a copy.
pub trait TraceEdit: fmt::Debug + Send + Sync {
    /// Whether the event at this position of `traceEvents` is left out.
    fn omits(&self, _index: i64, _text: &[u8]) -> bool {
        false
    }

    /// Returns the JSON text that replaces the event at this position of `traceEvents`; `None` keeps it.
    fn event(&self, _index: i64, _text: &[u8]) -> Option<Vec<u8>> {
        None
    }

    /// Whether a top-level value other than the events is left out.
    fn omits_metadata(&self, _key: &str) -> bool {
        false
    }

    /// Returns the JSON text that replaces a top-level value other than the events; `None` keeps it.
    fn metadata(&self, _key: &str, _text: &[u8]) -> Option<Vec<u8>> {
        None
    }

    /// Returns key and JSON text of a top-level value that is added if the source lacks the key.
    fn added_metadata(&self) -> Option<(&'static str, Vec<u8>)> {
        None
    }

    /// Passes each new event, the text of a JSON object, to `write`; new events follow the last event of the source.
    ///
    /// # Errors
    /// The error of `write`.
    fn added(&self, _write: &mut dyn FnMut(&[u8]) -> std::io::Result<()>) -> std::io::Result<()> {
        Ok(())
    }
}

/// A copy of one rank's trace file, not yet written.
///
/// What its changes do not name is copied unchanged; events that are not JSON are omitted, and a truncated file is closed, so
/// that the copy is valid JSON.
#[derive(Debug, Clone)]
pub struct TraceCopy {
    /// The rank.
    pub rank: i64,
    /// The file that the rank was loaded from.
    pub source: PathBuf,
    /// The file to write: gzip'ed, unless its name ends in `.json`.
    pub target: PathBuf,
    /// Events that the source had when it was loaded.
    pub events: u64,
    /// The changes.
    pub edit: Arc<dyn TraceEdit>,
}

/// Result of a written copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Copied {
    /// Events in the copy.
    pub events: u64,
    /// New events among them.
    pub added: u64,
}

impl TraceCopy {
    /// Writes the copy as [`OutputFile`] does: an existing file is replaced only by a complete one, the source never.
    ///
    /// # Errors
    /// If the source does not exist or has changed since it was loaded, or the copy cannot be written.
    pub fn save(&self) -> Result<Copied> {
        self.save_while(&mut || true)
    }

    /// Writes the copy like [`TraceCopy::save`], and calls `go_on` a few times per MB; if it returns false, nothing is
    /// written.
    ///
    /// # Errors
    /// As [`TraceCopy::save`]; [`Error::Interrupted`] if `go_on` returned false.
    pub fn save_while(&self, go_on: &mut dyn FnMut() -> bool) -> Result<Copied> {
        let failed = |error| failed(&self.target, error);
        if is_same_file(&self.source, &self.target) {
            return Err(Error::OwnSource { path: self.target.clone() });
        }
        let file = BufWriter::new(OutputFile::open(&self.target).map_err(failed)?);
        let (file, copied) = if self.target.extension().is_some_and(|ending| ending == "json") {
            self.copy(file, go_on)?
        } else {
            let (out, copied) = self.copy(GzEncoder::new(file, Compression::fast()), go_on)?;
            (out.finish().map_err(failed)?, copied)
        };
        let file = file.into_inner().map_err(|error| failed(error.into_error()))?;
        file.commit().map(|()| copied).map_err(failed)
    }

    fn copy<W: Write>(&self, out: W, go_on: &mut dyn FnMut() -> bool) -> Result<(W, Copied)> {
        if self.source.exists() && !self.source.is_file() {
            // A pipe would be empty by now, or block.
            let (kind, expected) =
                ("not a regular file, and a copy reads it again", "a trace that was loaded from a file");
            return Err(Error::NotAFile { path: self.source.clone(), kind, expected });
        }
        let meter = Meter::default();
        let reader = open_file(&self.source, &meter).map_err(|error| match error {
            Error::Io { error, .. } if error.kind() == ErrorKind::NotFound => {
                Error::NoSource { rank: self.rank, path: self.source.clone() }
            }
            error => error,
        })?;
        let mut copier = Copier {
            out,
            edit: &*self.edit,
            go_on,
            wanted: self.edit.added_metadata(),
            last: Last::Start,
            copied: Copied::NONE,
            stopped: false,
            failed: None,
        };
        let name = self.source.display().to_string();
        // Decompress on another thread: this one parses and compresses.
        let outcome = read_ahead(reader, |ahead| read_events(ahead, &name, &mut copier))?;
        copier.finish(&outcome, self)
    }
}

impl Copied {
    const NONE: Self = Self { events: 0, added: 0 };
}

/// The last thing that was written, which decides the separator before the next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Last {
    /// Nothing is written.
    Start,
    /// The opening bracket of the events.
    List,
    /// An event.
    Event,
    /// A value of the outermost object.
    Value,
}

/// Sink of the reader that writes the copy.
struct Copier<'c, W> {
    out: W,
    edit: &'c dyn TraceEdit,
    go_on: &'c mut dyn FnMut() -> bool,
    /// What is added at the end, unless the source has its key.
    wanted: Option<(&'static str, Vec<u8>)>,
    last: Last,
    copied: Copied,
    /// Whether `go_on` returned false while new events were written.
    stopped: bool,
    /// Why writing stopped.
    failed: Option<std::io::Error>,
}

impl<W: Write> EventSink for Copier<'_, W> {
    fn slot(&mut self, _: &[u8]) -> Option<u16> {
        None
    }

    fn restart(&mut self) {
        self.trying(|copier| {
            copier.key("traceEvents")?;
            copier.copied = Copied::NONE;
            copier.last = Last::List;
            copier.out.write_all(b"[")
        });
    }

    fn event(&mut self, _: &RawEvent<'_>) {}

    fn event_text(&mut self, index: i64, text: &[u8]) {
        // An event that is left out is still seen: new events may refer to it.
        let edited = self.edit.event(index, text);
        if self.edit.omits(index, text) {
            return;
        }
        self.trying(|copier| match edited {
            Some(edited) => copier.entry(&edited),
            None => copier.entry(text),
        });
    }

    fn metadata(&mut self, _: &str, _: &Value) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn metadata_text(&mut self, key: &str, text: &[u8]) {
        self.wanted.take_if(|(wanted, _)| *wanted == key);
        if self.edit.omits_metadata(key) {
            return;
        }
        let edited = self.edit.metadata(key, text);
        self.trying(|copier| {
            copier.key(key)?;
            copier.out.write_all(&valid(edited.as_deref().unwrap_or(text)))
        });
    }

    fn tick(&mut self, _: u64) -> ControlFlow<()> {
        if self.failed.is_none() && (self.go_on)() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}

impl<W: Write> Copier<'_, W> {
    fn trying(&mut self, write: impl FnOnce(&mut Self) -> std::io::Result<()>) {
        if self.failed.is_none() {
            self.failed = write(self).err();
        }
    }

    /// Writes a key of the outermost object and its colon.
    fn key(&mut self, key: &str) -> std::io::Result<()> {
        self.end_list()?;
        self.out.write_all(if self.last == Last::Start { b"{\n" } else { b",\n" })?;
        self.last = Last::Value;
        serde_json::to_writer(&mut self.out, key)?;
        self.out.write_all(b": ")
    }

    /// Writes an entry of the list of events.
    fn entry(&mut self, text: &[u8]) -> std::io::Result<()> {
        self.out.write_all(if self.last == Last::List { b"\n" } else { b",\n" })?;
        self.last = Last::Event;
        self.copied.events += 1;
        self.out.write_all(&valid(text))
    }

    /// Writes the new events and the closing bracket, if a list is open.
    fn end_list(&mut self) -> std::io::Result<()> {
        if !matches!(self.last, Last::List | Last::Event) {
            return Ok(());
        }
        let before = self.copied.events;
        let edit = self.edit;
        edit.added(&mut |text| {
            // There may be as many new events as old ones.
            if self.copied.events.is_multiple_of(1024) && !(self.go_on)() {
                self.stopped = true;
                return Err(ErrorKind::Interrupted.into());
            }
            self.entry(text)
        })?;
        self.copied.added = self.copied.events - before;
        self.last = Last::Value;
        self.out.write_all(b"\n]")
    }

    fn finish(mut self, outcome: &Outcome, copy: &TraceCopy) -> Result<(W, Copied)> {
        // A cancelled copy is not closed.
        if !outcome.stopped {
            self.trying(|copier| {
                if let Some((key, text)) = copier.wanted.take() {
                    copier.key(key)?;
                    copier.out.write_all(&text)?;
                }
                copier.end_list()?;
                copier.out.write_all(b"\n}\n")
            });
        }
        if self.stopped {
            return Err(Error::Interrupted);
        }
        if let Some(error) = self.failed {
            return Err(failed(&copy.target, error));
        }
        if outcome.stopped {
            return Err(Error::Interrupted);
        }
        if outcome.events != copy.events {
            let (path, then, now) = (copy.source.clone(), copy.events, outcome.events);
            return Err(Error::ChangedSource { path, then, now });
        }
        Ok((self.out, self.copied))
    }
}

/// Replaces invalid UTF-8 as the reader does.
fn valid(text: &[u8]) -> std::borrow::Cow<'_, [u8]> {
    match String::from_utf8_lossy(text) {
        std::borrow::Cow::Borrowed(_) => text.into(),
        std::borrow::Cow::Owned(repaired) => repaired.into_bytes().into(),
    }
}

/// Whether both paths lead to one existing file, through links or as two names of it.
pub fn is_same_file(one: &Path, other: &Path) -> bool {
    let number = |path: &Path| std::fs::metadata(path).ok().map(|found| (found.dev(), found.ino()));
    number(one).is_some_and(|one| number(other) == Some(one))
}

/// Returns the error of a target that cannot be written.
fn failed(target: &Path, error: std::io::Error) -> Error {
    match error.downcast::<Error>() {
        Ok(error) => error,
        Err(error) => Error::Io { path: target.to_owned(), error },
    }
}

//! A trace file, copied with changes: events that read differently, events that are new.

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

/// What a copy changes.
pub trait TraceEdit: fmt::Debug + Send + Sync {
    /// The JSON text that stands in the copy for the event at this position of `traceEvents`; `None` leaves it as it is.
    fn event(&self, _index: i64, _text: &[u8]) -> Option<Vec<u8>> {
        None
    }

    /// Hands each new event, the text of a JSON object, to `write`; they follow the last event of the source.
    ///
    /// # Errors
    /// What `write` returned.
    fn added(&self, _write: &mut dyn FnMut(&[u8]) -> std::io::Result<()>) -> std::io::Result<()> {
        Ok(())
    }
}

/// A copy of one rank's trace file, not yet written.
///
/// Everything that is no event is copied as it stands; events that are no JSON are left out, and a file that ends early
/// gets its end, so that the copy is valid JSON.
#[derive(Debug, Clone)]
pub struct TraceCopy {
    /// The rank.
    pub rank: i64,
    /// The file that the rank was loaded from.
    pub source: PathBuf,
    /// The file to write: gzip'ed, unless its name ends in `.json`.
    pub target: PathBuf,
    /// How many events the source had when it was loaded.
    pub events: u64,
    /// What is changed.
    pub edit: Arc<dyn TraceEdit>,
}

/// What was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Copied {
    /// Events in the copy.
    pub events: u64,
    /// How many of them are new.
    pub added: u64,
}

impl TraceCopy {
    /// Writes the copy, as [`OutputFile`] writes: an older file of this name is replaced only by a whole one, the source
    /// never.
    ///
    /// # Errors
    /// If the source is gone or no longer the file that was loaded, or the copy cannot be written.
    pub fn save(&self) -> Result<Copied> {
        self.save_while(&mut || true)
    }

    /// The same, asking `go_on` a few times per MB; after a no nothing is written.
    ///
    /// # Errors
    /// As [`TraceCopy::save`]; [`Error::Interrupted`] after a no.
    pub fn save_while(&self, go_on: &mut dyn FnMut() -> bool) -> Result<Copied> {
        let failed = |source| failed(&self.target, source);
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
            // It would be empty by now, or block.
            let (kind, expected) = ("no file, and a copy reads it again", "a trace that was loaded from a file");
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
            place: Place::Start,
            copied: Copied::NONE,
            stopped: false,
            failed: None,
        };
        let name = self.source.display().to_string();
        // Unpacking on another thread: this one has parsing and packing to do.
        let outcome = read_ahead(reader, |ahead| read_events(ahead, &name, &mut copier))?;
        copier.finish(&outcome, self)
    }
}

impl Copied {
    const NONE: Self = Self { events: 0, added: 0 };
}

/// Where in the copy the next text goes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Nothing is written.
    Start,
    /// Behind the opening bracket of the events.
    List,
    /// Behind an event.
    Event,
    /// Behind a value of the outermost object.
    Value,
}

/// The sink of the reader that writes what it is told.
struct Copier<'c, W> {
    out: W,
    edit: &'c dyn TraceEdit,
    go_on: &'c mut dyn FnMut() -> bool,
    place: Place,
    copied: Copied,
    /// `go_on` said no while new events were written.
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
            copier.place = Place::List;
            copier.out.write_all(b"[")
        });
    }

    fn event(&mut self, _: &RawEvent<'_>) {}

    fn event_text(&mut self, index: i64, text: &[u8]) {
        self.trying(|copier| match copier.edit.event(index, text) {
            Some(edited) => copier.entry(&edited),
            None => copier.entry(text),
        });
    }

    fn metadata(&mut self, _: &str, _: &Value) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn metadata_text(&mut self, key: &str, text: &[u8]) {
        self.trying(|copier| {
            copier.key(key)?;
            copier.out.write_all(&valid(text))
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

    /// A key of the outermost object and its colon.
    fn key(&mut self, key: &str) -> std::io::Result<()> {
        self.end_list()?;
        self.out.write_all(if self.place == Place::Start { b"{\n" } else { b",\n" })?;
        self.place = Place::Value;
        serde_json::to_writer(&mut self.out, key)?;
        self.out.write_all(b": ")
    }

    /// One entry of the list of events.
    fn entry(&mut self, text: &[u8]) -> std::io::Result<()> {
        self.out.write_all(if self.place == Place::List { b"\n" } else { b",\n" })?;
        self.place = Place::Event;
        self.copied.events += 1;
        self.out.write_all(&valid(text))
    }

    /// The new events and the closing bracket, if a list is open.
    fn end_list(&mut self) -> std::io::Result<()> {
        if !matches!(self.place, Place::List | Place::Event) {
            return Ok(());
        }
        let before = self.copied.events;
        let edit = self.edit;
        edit.added(&mut |text| {
            // They may be as many as those of the source.
            if self.copied.events.is_multiple_of(1024) && !(self.go_on)() {
                self.stopped = true;
                return Err(ErrorKind::Interrupted.into());
            }
            self.entry(text)
        })?;
        self.copied.added = self.copied.events - before;
        self.place = Place::Value;
        self.out.write_all(b"\n]")
    }

    fn finish(mut self, outcome: &Outcome, copy: &TraceCopy) -> Result<(W, Copied)> {
        // Nothing more is written of a copy that nobody wants.
        if !outcome.stopped {
            self.trying(|copier| {
                copier.end_list()?;
                copier.out.write_all(b"\n}\n")
            });
        }
        if self.stopped {
            return Err(Error::Interrupted);
        }
        if let Some(source) = self.failed {
            return Err(failed(&copy.target, source));
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

/// The text, with invalid UTF-8 replaced as the reader replaces it.
fn valid(text: &[u8]) -> std::borrow::Cow<'_, [u8]> {
    match String::from_utf8_lossy(text) {
        std::borrow::Cow::Borrowed(_) => text.into(),
        std::borrow::Cow::Owned(repaired) => repaired.into_bytes().into(),
    }
}

/// Whether both paths lead to one file that exists, by links or by two names of it.
pub(crate) fn is_same_file(one: &Path, other: &Path) -> bool {
    let number = |path: &Path| std::fs::metadata(path).ok().map(|found| (found.dev(), found.ino()));
    number(one).is_some_and(|one| number(other) == Some(one))
}

/// The error of a target that cannot be written.
fn failed(target: &Path, source: std::io::Error) -> Error {
    match source.downcast::<Error>() {
        Ok(error) => error,
        Err(error) => Error::Io { path: target.to_owned(), error },
    }
}

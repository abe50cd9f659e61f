//! Parser of a Chrome trace: JSON text → raw events and metadata, in one pass and in bounded memory.
//!
//! ```text
//! { "schemaVersion": 1, …, "traceEvents": [ {…}, {…}, … ], "traceName": … }
//!   └── metadata ──────┘                   └── sink ──┘    └─ metadata ─┘
//! ```
//!
//! A bare array of events is a trace, too. Valid events are kept whatever surrounds them: the [`Outcome`] counts what was
//! skipped or repaired.

#[cfg(test)]
#[path = "document_tests.rs"]
mod tests;

use super::array::Entries;
use super::buffer::{BUFFER_SIZE, End, TextBuffer};
use super::parser::{Array, CONTINUE, Context, Flow, Parser, Progress};
use super::rank::RankFinder;
use super::scan::{Bad, Raw, Stop};
use super::sink::EventSink;
use super::text;
use crate::error::{NoEventsReason, NotATraceReason};
use crate::read::source::{HEAD_SIZE, data_error, foreign_format};
use crate::read::{Anomaly, Outcome};
use crate::{Error, Result};
use std::io::{Error as IoError, Read};
use std::ops::ControlFlow;

/// Upper bound on a top-level value other than `traceEvents`, in bytes.
const MAX_METADATA: usize = 16 * 1024 * 1024;

/// Upper bound on the text that is decompressed after the trace to reach the gzip trailer: it stops a zip bomb.
const MAX_TAIL: u64 = 64 << 20;

/// Parses a whole trace into `sink`, on this thread.
///
/// # Errors
/// If this is no trace, has no `traceEvents`, or the operating system fails. An empty array of events is not an error here.
pub fn read_events<S: EventSink>(reader: impl Read, file: &str, sink: &mut S) -> Result<Outcome> {
    read_buffered(reader, BUFFER_SIZE, file, sink)
}

/// Same as [`read_events`], with a buffer of another size.
pub(in crate::read) fn read_buffered<S: EventSink>(
    reader: impl Read,
    buffer_size: usize,
    file: &str,
    sink: &mut S,
) -> Result<Outcome> {
    let text = TextBuffer::new(RankFinder::new(reader), buffer_size);
    let mut parser = Parser::of_document(text, file, sink);
    while parser.run()? == Progress::BetweenEvents {
        parser.refill();
    }
    parser.finish()
}

impl<R: Read, S: EventSink> Parser<'_, R, S> {
    /// Parses until the text in memory ends between two events, or the document ends.
    ///
    /// # Errors
    /// If this is no trace, or the operating system fails.
    // Inlined into a caller, the loop over events needs 2 % more instructions.
    #[inline(never)]
    pub(in crate::read) fn run(&mut self) -> Result<Progress> {
        loop {
            let flow = match self.context {
                Context::Start => self.start()?,
                Context::Object => self.object()?,
                Context::Array(array) => match self.entries(array)? {
                    Entries::Paused => return Ok(Progress::BetweenEvents),
                    Entries::Ended(flow) => {
                        let more = array == Array::Member && self.outcome.cut.is_none();
                        self.context = if more { Context::Object } else { Context::End };
                        flow
                    }
                },
                Context::End => return Ok(Progress::Finished),
            };
            if flow.is_break() {
                self.outcome.stopped = true;
                self.context = Context::End;
            }
        }
    }

    /// Returns what was found, once [`Self::run`] has finished; reads on to the end of the file, to check it.
    ///
    /// # Errors
    /// If the operating system fails.
    pub(in crate::read) fn finish(self) -> Result<Outcome> {
        let file = self.file;
        let (mut outcome, text, _) = self.into_parts();
        if !outcome.stopped && outcome.cut.is_none() {
            outcome.damaged = damage_after(text, file)?;
        }
        Ok(outcome)
    }

    /// Enters the document; refuses what is not a trace.
    fn start(&mut self) -> Flow {
        while self.text.ahead().len() < 3 && self.text.refill() {}
        if self.text.ahead().starts_with(b"\xEF\xBB\xBF") {
            self.text.advance(3);
        }
        // Before white space is skipped: it may be the first byte of another format.
        let is_binary = |byte: Option<u8>| byte.is_some_and(|byte| !(b'\t'..0x80).contains(&byte));
        let [first, second] = [0, 1].map(|at| self.text.ahead().get(at).copied());
        if is_binary(first) || is_binary(second) || first == Some(b'\n') {
            self.refuse_foreign()?;
        }
        match self.text.peek() {
            Some(b'[') => self.enter_array(Array::Bare),
            Some(b'{') => {
                self.text.advance(1);
                self.context = Context::Object;
            }
            Some(_) => {
                self.refuse_foreign()?;
                let start: String = String::from_utf8_lossy(self.text.ahead()).chars().take(24).collect();
                return Err(self.not_a_trace(NotATraceReason::NotJson { start }));
            }
            None => {
                return Err(match self.text.take_end() {
                    Some(End::Failed(error)) => self.failed(error, "before the first event"),
                    _ => self.not_a_trace(NotATraceReason::Empty),
                });
            }
        }
        Ok(CONTINUE)
    }

    /// Enters an array of events; the cursor is on its bracket.
    fn enter_array(&mut self, array: Array) {
        self.sink.restart();
        self.text.advance(1);
        self.reported_refills = self.text.refills();
        self.context = Context::Array(array);
    }

    /// Refuses text of a known other format.
    fn refuse_foreign(&mut self) -> Result<()> {
        // The same bytes are compared and quoted, whatever the size of a read.
        while self.text.ahead().len() < HEAD_SIZE && self.text.refill() {}
        foreign_format(self.text.ahead(), self.file).map_or(Ok(()), |reason| Err(self.not_a_trace(reason)))
    }

    /// Parses members of the outermost object up to its next `traceEvents` array, or to its end.
    fn object(&mut self) -> Flow {
        loop {
            match self.text.peek() {
                Some(b',') => self.text.advance(1),
                Some(b'}') => break,
                Some(b'"') => {
                    let key = match self.key() {
                        Ok(key) => key,
                        Err(stop) => return self.broken(stop),
                    };
                    if key == "traceEvents" && self.text.peek() == Some(b'[') {
                        if std::mem::replace(&mut self.has_array, true) {
                            self.outcome.anomalies.note(Anomaly::RepeatedEvents);
                            self.outcome.events = 0;
                        }
                        self.enter_array(Array::Member);
                        return Ok(CONTINUE);
                    }
                    match self.metadata(&key) {
                        Ok(ControlFlow::Continue(())) => {}
                        Ok(stop) => return Ok(stop),
                        Err(stop) => return self.broken(stop),
                    }
                }
                Some(_) => return self.broken(Stop::Bad(Bad::Key)),
                None => return self.broken(Stop::More),
            }
        }
        self.context = Context::End;
        if self.has_array {
            return Ok(CONTINUE);
        }
        if let Some(value) = self.outcome.metadata.get("traceEvents") {
            let reason = if value.is_null() { NoEventsReason::Null } else { NoEventsReason::NotAList };
            return Err(Error::NoEvents { file: self.file.to_owned(), reason });
        }
        let keys = self.outcome.metadata.keys().cloned().collect();
        Err(Error::NoTraceEvents { file: self.file.to_owned(), keys })
    }

    /// Parses a key and its colon; the cursor is on the quote.
    fn key(&mut self) -> Result<String, Stop> {
        let key = self.text.scan(|scanner| scanner.text().map(<[u8]>::to_vec))?;
        self.text.scan(|scanner| scanner.colon())?;
        Ok(text::decode(&key, &mut self.outcome.anomalies).into_owned())
    }

    /// Parses a top-level value.
    fn metadata(&mut self, key: &str) -> Result<ControlFlow<()>, Stop> {
        let first = self.text.peek().ok_or(Stop::More)?;
        let bytes = if matches!(first, b'{' | b'[' | b'"') {
            self.skip(MAX_METADATA).ok_or(Stop::More)?
        } else {
            self.text.scan(|scanner| match scanner.value()? {
                Raw::Token(token) => Ok(token.text.to_vec()),
                _ => Ok(b"null".to_vec()),
            })?
        };
        let value = serde_json::from_slice(&bytes).or_else(|_| {
            let repaired = String::from_utf8_lossy(&bytes);
            serde_json::from_str(&repaired).inspect(|_| self.outcome.anomalies.note(Anomaly::InvalidUtf8))
        });
        match value {
            Ok(value) => {
                let flow = self.sink.metadata(key, &value);
                self.sink.metadata_text(key, &bytes);
                self.outcome.metadata.insert(key.to_owned(), value);
                Ok(flow)
            }
            Err(_) => {
                self.outcome.anomalies.note(Anomaly::BadMetadata);
                Ok(CONTINUE)
            }
        }
    }

    /// Ends the document where the outermost object ends early or is malformed: an error before `traceEvents`, a cut
    /// after it.
    fn broken(&mut self, stop: Stop) -> Flow {
        self.context = Context::End;
        let ended = stop == Stop::More;
        if self.has_array {
            self.cut(if ended {
                "the JSON text ends before its closing brace"
            } else {
                "the JSON text is broken after the events"
            })?;
            return Ok(CONTINUE);
        }
        let here = self.text.offset();
        let end = here + self.text.ahead().len() as u64;
        match self.text.take_end() {
            Some(End::Failed(error)) if ended => Err(self.failed(error, "before its traceEvents")),
            _ if ended => Err(self.not_a_trace(NotATraceReason::EndsEarly { byte: end })),
            _ => Err(self.not_a_trace(NotATraceReason::Broken { byte: here })),
        }
    }

    fn failed(&self, error: IoError, position: &'static str) -> Error {
        match data_error(self.file, error) {
            Ok(damage) => self.not_a_trace(NotATraceReason::Compressed { damage, position }),
            Err(error) => error,
        }
    }
}

/// Reads to the end of the file, where a compressed file has its checksum, and returns what is wrong with the data.
fn damage_after<R: Read>(mut text: TextBuffer<R>, file: &str) -> Result<Option<String>> {
    let limit = text.offset() + MAX_TAIL;
    loop {
        text.advance(text.ahead().len());
        if text.offset() > limit {
            return Ok(Some(format!("more than {} MiB follow the trace and were not read", MAX_TAIL >> 20)));
        }
        if !text.refill() {
            break;
        }
    }
    match text.take_end() {
        Some(End::Failed(error)) => data_error(file, error).map(Some),
        _ => Ok(None),
    }
}

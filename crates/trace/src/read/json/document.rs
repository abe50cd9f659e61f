//! The JSON of a Chrome trace → raw events, in one pass and in bounded memory.
//!
//! ```text
//! { "schemaVersion": 1, …, "traceEvents": [ {…}, {…}, … ], "traceName": … }
//!   └── metadata ──────┘                   └── sink ──┘    └─ metadata ─┘
//! ```
//!
//! A bare list of events is a trace too. Good events are kept whatever stands between them: what is left out or
//! repaired is counted in the [`Outcome`].

#[cfg(test)]
#[path = "document_tests.rs"]
mod tests;

use super::array::{Alone, List, Others};
use super::buffer::{CHUNK, End, Window};
use super::event::{Memory, RawEvent};
use super::scan::{Bad, Raw, Skipper, Stop};
use super::text;
use crate::error::NoEventsReason;
use crate::error::NotATraceReason;
use crate::read::source::{ENOUGH, RankText, foreign};
use crate::read::{Odd, OddCounts};
use crate::{Error, Result};
use serde_json::{Map, Value};
use std::io::{ErrorKind, Read};
use std::ops::ControlFlow;

/// A top-level value other than `traceEvents` may take this much.
const LONGEST_METADATA: usize = 16 * 1024 * 1024;

/// So much text behind the trace is unpacked for the sake of the check sum behind it, which ends a bomb.
const LONGEST_TAIL: u64 = 64 << 20;

/// Who takes the events.
pub(crate) trait EventSink {
    /// The slot of an argument; `None` if nobody wants it.
    fn slot(&mut self, key: &[u8]) -> Option<u16>;
    /// How many arguments have a slot: one that had none may have one once the number changes.
    fn args_known(&self) -> usize {
        0
    }
    /// A list of events begins; an earlier one no longer counts.
    fn restart(&mut self);
    /// One event.
    fn event(&mut self, event: &RawEvent<'_>);
    /// The same event as it is written, for whoever copies it.
    #[inline]
    fn event_text(&mut self, _index: i64, _text: &[u8]) {}
    /// One top-level value; `Break` ends the reading.
    fn metadata(&mut self, key: &str, value: &Value) -> ControlFlow<()>;
    /// The same value as it is written.
    fn metadata_text(&mut self, _key: &str, _text: &[u8]) {}
    /// Called a few times per MB; `Break` ends the reading.
    fn tick(&mut self, events: u64) -> ControlFlow<()>;
}

/// What the reading found besides events.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    /// The top-level keys other than `traceEvents`; of a repeated key the last value.
    pub(crate) metadata: Map<String, Value>,
    /// The first number that stands as `"rank": N` anywhere in the text.
    pub(crate) rank_in_text: Option<i64>,
    /// Entries of `traceEvents`.
    pub(crate) events: u64,
    /// Where and why the text ends early.
    pub(crate) cut: Option<Cut>,
    /// Events that are no JSON: how many, and the first.
    pub(crate) skipped: Option<(u64, Cut)>,
    /// Why the file is damaged although its text is whole: a check sum that differs.
    pub(crate) damaged: Option<String>,
    /// Odd values at the top level and in the list; those inside events are the sink's.
    pub(crate) odd: OddCounts,
    /// The sink ended the reading.
    pub(crate) stopped: bool,
}

impl Outcome {
    /// Adds what a later part of the same list came to.
    pub(in crate::read) fn follow(&mut self, part: Self) {
        self.rank_in_text = self.rank_in_text.or(part.rank_in_text);
        self.events += part.events;
        self.cut = self.cut.take().or(part.cut);
        self.odd.add(&part.odd);
        self.skipped = match (self.skipped.take(), part.skipped) {
            (Some((before, first)), Some((count, _))) => Some((before + count, first)),
            (before, part) => before.or(part),
        };
    }
}

/// A place in the text, and what is wrong there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cut {
    pub(crate) offset: u64,
    pub(crate) reason: String,
}

/// Reads a whole trace into `sink`.
///
/// # Errors
/// If this is no trace, has no `traceEvents`, or the operating system fails. An empty list of events is no error here.
pub(crate) fn read_events<S: EventSink>(reader: impl Read, file: &str, sink: &mut S) -> Result<Outcome> {
    read_by(reader, CHUNK, file, sink)
}

/// The same in windows of another size.
pub(in crate::read) fn read_by<S: EventSink>(
    reader: impl Read,
    chunk: usize,
    file: &str,
    sink: &mut S,
) -> Result<Outcome> {
    Reading::new(Window::new(RankText::new(reader), chunk), file, sink, &mut Alone).whole()
}

/// A text that is being read.
pub(in crate::read) struct Reading<'s, R, S> {
    pub(super) window: Window<RankText<R>>,
    pub(super) file: &'s str,
    pub(super) sink: &'s mut S,
    pub(super) outcome: Outcome,
    pub(super) memory: Memory,
    pub(super) others: &'s mut dyn Others<R, S>,
}

pub(super) type Flow = Result<ControlFlow<()>>;
pub(super) const ON: ControlFlow<()> = ControlFlow::Continue(());
pub(super) const STOP: ControlFlow<()> = ControlFlow::Break(());

impl<'s, R: Read, S: EventSink> Reading<'s, R, S> {
    pub(in crate::read) fn new(
        window: Window<RankText<R>>,
        file: &'s str,
        sink: &'s mut S,
        others: &'s mut dyn Others<R, S>,
    ) -> Self {
        Self { window, file, sink, outcome: Outcome::default(), memory: Memory::default(), others }
    }

    /// The text from its first byte on.
    pub(in crate::read) fn whole(mut self) -> Result<Outcome> {
        let (flow, file) = (self.document()?, self.file);
        let (mut outcome, window) = self.ended(flow);
        if !outcome.stopped && outcome.cut.is_none() {
            outcome.damaged = damage_behind(window, file)?;
        }
        Ok(outcome)
    }

    /// Entries of a list that another reading has begun, unless that fails; and the window, where this one ended. What an
    /// earlier one kept in `memory` is used, and what this one leaves stays there.
    pub(in crate::read) fn part(mut self, memory: &mut Memory) -> (Option<Outcome>, Window<RankText<R>>) {
        self.memory = std::mem::take(memory);
        let flow = self.events(List::Begun);
        *memory = std::mem::take(&mut self.memory);
        // What the last stretch held.
        let _ = self.sink.tick(self.outcome.events);
        let failed = flow.is_err();
        let (outcome, window) = self.ended(flow.unwrap_or(STOP));
        ((!failed).then_some(outcome), window)
    }

    fn ended(mut self, flow: ControlFlow<()>) -> (Outcome, Window<RankText<R>>) {
        let end = self.window.offset();
        self.outcome.stopped = flow.is_break();
        self.outcome.rank_in_text = self.outcome.rank_in_text.or(self.window.reader().found(end));
        (self.outcome, self.window)
    }
}

impl<R: Read, S: EventSink> Reading<'_, R, S> {
    fn document(&mut self) -> Flow {
        while self.window.ahead().len() < 3 && self.window.more() {}
        if self.window.ahead().starts_with(b"\xEF\xBB\xBF") {
            self.window.advance(3);
        }
        // Before blanks are passed over: one of them may be the first byte of another format.
        let is_odd = |byte: Option<u8>| byte.is_some_and(|byte| !(b'\t'..0x80).contains(&byte));
        let [first, second] = [0, 1].map(|at| self.window.ahead().get(at).copied());
        if is_odd(first) || is_odd(second) || first == Some(b'\n') {
            self.refuse_foreign()?;
        }
        match self.window.peek() {
            Some(b'[') => {
                self.sink.restart();
                self.events(List::Bare)
            }
            Some(b'{') => {
                self.window.advance(1);
                self.object()
            }
            Some(_) => {
                self.refuse_foreign()?;
                let start: String = String::from_utf8_lossy(self.window.ahead()).chars().take(24).collect();
                Err(self.not_a_trace(NotATraceReason::NotJson { start }))
            }
            None => match self.window.take_end() {
                Some(End::Failed(error)) => Err(self.failed(error, "before the first event")),
                _ => Err(self.not_a_trace(NotATraceReason::Empty)),
            },
        }
    }

    /// Refuses text that is known to be something else.
    fn refuse_foreign(&mut self) -> Result<()> {
        // As much as is looked at and quoted, however it was read.
        while self.window.ahead().len() < ENOUGH && self.window.more() {}
        foreign(self.window.ahead(), self.file).map_or(Ok(()), |reason| Err(self.not_a_trace(reason)))
    }

    /// The keys of the outermost object.
    fn object(&mut self) -> Flow {
        let mut listed = false;
        loop {
            match self.window.peek() {
                Some(b',') => self.window.advance(1),
                Some(b'}') => break,
                Some(b'"') => {
                    let key = match self.key() {
                        Ok(key) => key,
                        Err(stop) => return self.broken(listed, stop),
                    };
                    let is_list = key == "traceEvents" && self.window.peek() == Some(b'[');
                    let flow = if is_list {
                        if std::mem::replace(&mut listed, true) {
                            self.outcome.odd.note(Odd::RepeatedEvents);
                            self.outcome.events = 0;
                        }
                        self.sink.restart();
                        self.events(List::Member)?
                    } else {
                        match self.metadata(&key) {
                            Ok(flow) => flow,
                            Err(stop) => return self.broken(listed, stop),
                        }
                    };
                    if flow.is_break() || self.outcome.cut.is_some() {
                        return Ok(flow);
                    }
                }
                Some(_) => return self.broken(listed, Stop::Bad(Bad::Key)),
                None => return self.broken(listed, Stop::More),
            }
        }
        if listed {
            return Ok(ON);
        }
        if let Some(value) = self.outcome.metadata.get("traceEvents") {
            let reason = if value.is_null() { NoEventsReason::Null } else { NoEventsReason::NotAList };
            return Err(Error::NoEvents { file: self.file.to_owned(), reason });
        }
        let keys = self.outcome.metadata.keys().cloned().collect();
        Err(Error::NoTraceEvents { file: self.file.to_owned(), keys })
    }

    /// A key and its colon; the cursor stands on the quote.
    fn key(&mut self) -> Result<String, Stop> {
        let key = self.window.whole(|scanner| scanner.text().map(<[u8]>::to_vec))?;
        self.window.whole(|scanner| scanner.colon())?;
        Ok(text::decode(&key, &mut self.outcome.odd).into_owned())
    }

    /// A top-level value.
    fn metadata(&mut self, key: &str) -> Result<ControlFlow<()>, Stop> {
        let first = self.window.peek().ok_or(Stop::More)?;
        let bytes = if matches!(first, b'{' | b'[' | b'"') {
            self.skip(LONGEST_METADATA).ok_or(Stop::More)?
        } else {
            self.window.whole(|scanner| match scanner.value()? {
                Raw::Token(token) => Ok(token.text.to_vec()),
                _ => Ok(b"null".to_vec()),
            })?
        };
        let value = serde_json::from_slice(&bytes).or_else(|_| {
            let repaired = String::from_utf8_lossy(&bytes);
            serde_json::from_str(&repaired).inspect(|_| self.outcome.odd.note(Odd::InvalidUtf8))
        });
        match value {
            Ok(value) => {
                let flow = self.sink.metadata(key, &value);
                self.sink.metadata_text(key, &bytes);
                self.outcome.metadata.insert(key.to_owned(), value);
                Ok(flow)
            }
            Err(_) => {
                self.outcome.odd.note(Odd::BadMetadata);
                Ok(ON)
            }
        }
    }

    /// Steps over a value of any length; its bytes if they are no more than `keep`. `None` if the text ends first.
    pub(super) fn skip(&mut self, keep: usize) -> Option<Vec<u8>> {
        let mut skipper = Skipper::default();
        let mut kept = Vec::new();
        loop {
            let ahead = self.window.ahead();
            let (used, done) = skipper.feed(ahead);
            if kept.len() + used <= keep {
                kept.extend_from_slice(&ahead[..used]);
            } else {
                kept = vec![0; keep];
            }
            self.window.advance(used);
            if done {
                return Some(kept);
            }
            if !self.window.more() {
                return None;
            }
        }
    }

    /// The outermost object ends early or is broken.
    fn broken(&mut self, listed: bool, stop: Stop) -> Flow {
        let over = stop == Stop::More;
        if listed {
            self.cut(if over {
                "the JSON text ends before its closing brace"
            } else {
                "the JSON text is broken after the events"
            })?;
            return Ok(ON);
        }
        let here = self.window.offset();
        let end = here + self.window.ahead().len() as u64;
        match self.window.take_end() {
            Some(End::Failed(error)) if over => Err(self.failed(error, "before its traceEvents")),
            _ if over => Err(self.not_a_trace(NotATraceReason::EndsEarly { byte: end })),
            _ => Err(self.not_a_trace(NotATraceReason::Broken { byte: here })),
        }
    }

    fn failed(&self, error: std::io::Error, place: &'static str) -> Error {
        match data_error(self.file, error) {
            Ok(damage) => self.not_a_trace(NotATraceReason::Gzip { damage, place }),
            Err(error) => error,
        }
    }

    fn not_a_trace(&self, reason: NotATraceReason) -> Error {
        Error::NotATrace { file: self.file.to_owned(), reason }
    }
}

/// Reads to the end of the file, where gzip keeps its check sum: what is wrong with it, if anything is.
fn damage_behind<R: Read>(mut window: Window<R>, file: &str) -> Result<Option<String>> {
    let until = window.offset() + LONGEST_TAIL;
    loop {
        window.advance(window.ahead().len());
        if window.offset() > until {
            return Ok(Some(format!("more than {} MiB follow the trace and were not read", LONGEST_TAIL >> 20)));
        }
        if !window.more() {
            break;
        }
    }
    match window.take_end() {
        Some(End::Failed(error)) => data_error(file, error).map(Some),
        _ => Ok(None),
    }
}

/// What is wrong with the data, if the data and not the machine is at fault.
pub(super) fn data_error(file: &str, error: std::io::Error) -> Result<String> {
    match error.kind() {
        ErrorKind::UnexpectedEof => Ok("the gzip data ends early".to_owned()),
        ErrorKind::InvalidInput | ErrorKind::InvalidData => Ok(format!("the gzip data is damaged ({error})")),
        ErrorKind::ConnectionAborted => Err(Error::Interrupted),
        _ => Err(Error::Io { path: file.into(), error }),
    }
}

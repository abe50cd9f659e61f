//! Parser of an array of events: each valid entry goes to the sink, invalid ones are skipped.

#[cfg(test)]
#[path = "array_tests.rs"]
mod tests;

use super::boundary::{NextEvent, next_event};
use super::buffer::End;
use super::event::{RawEvent, scan_event};
use super::parser::{Array, CONTINUE, Parser, STOP};
use super::scan::{Bad, Stop};
use super::sink::EventSink;
use crate::Result;
use crate::read::{Anomaly, Fault};
use std::io::Read;
use std::ops::ControlFlow;

/// State of the parser of an array after a run.
pub(super) enum Entries {
    /// Between two entries, with all text in memory consumed.
    Paused,
    /// After the array, or where the text was cut or the sink stopped.
    Ended(ControlFlow<()>),
}

/// How many events that are too long may be followed by events in the text that was scanned for their ends. Each of those may be
/// too long itself, and costs another scan of that text.
const MAX_SEARCHED_TWICE: u32 = 4;

const CUT_BETWEEN_EVENTS: &str = "the JSON text ends inside the list of events";

impl<R: Read, S: EventSink> Parser<'_, R, S> {
    /// Parses entries until the text in memory or the array ends. The cursor is between two entries.
    pub(super) fn entries(&mut self, array: Array) -> Result<Entries> {
        let mut refills = self.reported_refills;
        loop {
            if self.text.refills() != refills {
                refills = self.text.refills();
                self.reported_refills = refills;
                if self.sink.tick(self.outcome.events).is_break() {
                    return Ok(Entries::Ended(STOP));
                }
            }
            let next = self.text.peek_buffered();
            if next.is_none() && self.text.end().is_none() {
                return Ok(Entries::Paused);
            }
            match next {
                Some(b'{') => self.event()?,
                Some(b',') => self.text.advance(1),
                Some(b']') | None if array == Array::Rest => return Ok(Entries::Ended(CONTINUE)),
                Some(b']') => {
                    self.text.advance(1);
                    return Ok(Entries::Ended(CONTINUE));
                }
                Some(b'"' | b'[') => {
                    self.not_an_event();
                    if self.skip(0).is_none() {
                        self.cut(CUT_BETWEEN_EVENTS)?;
                    }
                }
                Some(_) => match self.text.scan(|scanner| scanner.value().map(|_| ())) {
                    Ok(()) => self.not_an_event(),
                    Err(Stop::Bad(bad)) => self.recover(bad)?,
                    Err(Stop::More) => self.cut(CUT_BETWEEN_EVENTS)?,
                },
                None if array == Array::Bare && matches!(self.text.end(), Some(End::Complete)) => {
                    return Ok(Entries::Ended(CONTINUE));
                }
                None => self.cut(CUT_BETWEEN_EVENTS)?,
            }
            if self.outcome.cut.is_some() {
                return Ok(Entries::Ended(CONTINUE));
            }
        }
    }

    /// Counts an entry that is valid JSON but not an event.
    fn not_an_event(&mut self) {
        self.outcome.anomalies.note(Anomaly::NotAnEvent);
        self.outcome.events += 1;
    }

    #[inline]
    fn event(&mut self) -> Result<()> {
        let Self { text, sink, outcome, cache, .. } = self;
        cache.templates.valid_for(sink.args_known());
        let index = outcome.events as i64;
        let scanned = text.scan(|scanner| {
            let mut event = RawEvent::at(index);
            scan_event(scanner, &mut event, cache, |key| sink.slot(key))?;
            sink.event(&event);
            sink.event_text(index, scanner.passed());
            Ok(())
        });
        match scanned {
            Ok(()) => outcome.events += 1,
            Err(Stop::More) => self.cut("the JSON text ends inside an event")?,
            Err(Stop::Bad(bad)) => {
                outcome.events += 1;
                self.recover(bad)?;
            }
        }
        Ok(())
    }

    /// Skips an invalid event, or one that is too long: moves to the next apparent start of an event.
    #[cold]
    #[inline(never)]
    fn recover(&mut self, bad: Bad) -> Result<()> {
        let here = Fault { offset: self.text.offset(), reason: bad.reason().to_owned() };
        self.outcome.skipped.get_or_insert((0, here)).0 += 1;
        if bad == Bad::Long {
            self.too_long += 1;
            if self.too_long > MAX_SEARCHED_TWICE {
                self.text.advance(self.text.max_value());
            }
        }
        loop {
            match next_event(self.text.ahead()) {
                NextEvent::At(position) => {
                    self.text.advance(position);
                    return Ok(());
                }
                NextEvent::NotBefore(position) => self.text.advance(position),
            }
            if !self.text.refill() {
                return self.cut("no further event can be made out");
            }
        }
    }
}

//! Parser of an array of events: each valid entry goes to the sink, invalid ones are skipped.

use super::boundary::{NextEvent, next_event};
use super::buffer::End;
use super::event::raw_event;
use super::parser::{Array, CONTINUE, Parser, STOP};
use super::scan::Stop;
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
                    Err(Stop::Bad(reason)) => self.recover(reason.reason())?,
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
            let event = raw_event(scanner, index, cache, |key| sink.slot(key))?;
            sink.event(&event);
            sink.event_text(index, scanner.passed());
            Ok(())
        });
        match scanned {
            Ok(()) => outcome.events += 1,
            Err(Stop::More) => self.cut("the JSON text ends inside an event")?,
            Err(Stop::Bad(reason)) => {
                outcome.events += 1;
                self.recover(reason.reason())?;
            }
        }
        Ok(())
    }

    /// Skips an invalid event: moves to the next apparent start of an event.
    fn recover(&mut self, reason: &'static str) -> Result<()> {
        let here = Fault { offset: self.text.offset(), reason: reason.to_owned() };
        self.outcome.skipped.get_or_insert((0, here)).0 += 1;
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

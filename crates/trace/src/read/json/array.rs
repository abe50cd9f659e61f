//! The entries of a list of events: each to the sink, the broken ones left behind.

use super::boundary::{Next, next_event};
use super::buffer::{End, Window};
use super::document::{Cut, EventSink, Flow, ON, Outcome, Reading, STOP, data_error};
use super::event::raw_event;
use super::scan::Stop;
use crate::Result;
use crate::read::Odd;
use crate::read::source::RankText;
use std::io::Read;

/// Which list is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum List {
    /// That of `traceEvents`.
    Member,
    /// The whole text; its closing bracket is optional.
    Bare,
    /// From some entry on, one that another reading has begun. Its end is left to that one.
    Begun,
}

/// Who else reads the same text.
pub(in crate::read) trait Others<R, S> {
    /// The cursor stands between two entries of the list, behind all that the window holds. What the others have read of
    /// the text that follows goes into the sink and the outcome, and the window moves on.
    fn reached(&mut self, window: &mut Window<RankText<R>>, sink: &mut S, outcome: &mut Outcome) -> Reached;
}

/// How the reading goes on behind what the window holds.
pub(in crate::read) enum Reached {
    /// Not at all.
    Ended,
    /// Where the window is now.
    Moved,
    /// The window reads on.
    Nothing,
}

/// Nobody.
pub(super) struct Alone;

impl<R, S> Others<R, S> for Alone {
    fn reached(&mut self, _: &mut Window<RankText<R>>, _: &mut S, _: &mut Outcome) -> Reached {
        Reached::Nothing
    }
}

impl<R: Read, S: EventSink> Reading<'_, R, S> {
    /// The entries of a list of events; the cursor stands on its bracket, in one that was begun before an entry.
    pub(super) fn events(&mut self, list: List) -> Flow {
        if list != List::Begun {
            self.window.advance(1);
        }
        let mut at_refill = self.window.refills();
        loop {
            if self.window.refills() != at_refill {
                at_refill = self.window.refills();
                if self.sink.tick(self.outcome.events).is_break() {
                    return Ok(STOP);
                }
            }
            let mut next = self.window.peek_in_memory();
            if next.is_none() {
                match self.go_on() {
                    Reached::Ended => return Ok(ON),
                    Reached::Moved => continue,
                    Reached::Nothing => next = self.window.peek(),
                }
            }
            match next {
                Some(b'{') => self.event()?,
                Some(b',') => self.window.advance(1),
                Some(b']') | None if list == List::Begun => return Ok(ON),
                Some(b']') => {
                    self.window.advance(1);
                    return Ok(ON);
                }
                Some(b'"' | b'[') => {
                    self.outcome.odd.note(Odd::NotAnEvent);
                    self.outcome.events += 1;
                    if self.skip(0).is_none() {
                        self.cut("the JSON text ends inside the list of events")?;
                    }
                }
                Some(_) => match self.window.whole(|scanner| scanner.value().map(|_| ())) {
                    Ok(()) => {
                        self.outcome.odd.note(Odd::NotAnEvent);
                        self.outcome.events += 1;
                    }
                    Err(Stop::Bad(reason)) => self.recover(reason.reason())?,
                    Err(Stop::More) => self.cut("the JSON text ends inside the list of events")?,
                },
                None if list == List::Bare && matches!(self.window.end(), Some(End::Over)) => return Ok(ON),
                None => self.cut("the JSON text ends inside the list of events")?,
            }
            if self.outcome.cut.is_some() {
                return Ok(ON);
            }
        }
    }

    /// Behind what is in memory, between two entries.
    #[cold]
    fn go_on(&mut self) -> Reached {
        let found = self.window.reader().found(self.window.offset());
        self.outcome.rank_in_text = self.outcome.rank_in_text.or(found);
        self.others.reached(&mut self.window, self.sink, &mut self.outcome)
    }

    #[inline]
    fn event(&mut self) -> Result<()> {
        let Self { window, sink, outcome, memory, .. } = self;
        memory.layouts.learnt_with(sink.args_known());
        let index = outcome.events as i64;
        let read = window.whole(|scanner| {
            let event = raw_event(scanner, index, memory, |key| sink.slot(key))?;
            sink.event(&event);
            sink.event_text(index, scanner.passed());
            Ok(())
        });
        match read {
            Ok(()) => outcome.events += 1,
            Err(Stop::More) => self.cut("the JSON text ends inside an event")?,
            Err(Stop::Bad(reason)) => {
                outcome.events += 1;
                self.recover(reason.reason())?;
            }
        }
        Ok(())
    }

    /// Leaves a broken event behind and finds the next one: `}`, `,`, `{` and a key that events have.
    fn recover(&mut self, reason: &'static str) -> Result<()> {
        let here = Cut { offset: self.window.offset(), reason: reason.to_owned() };
        self.outcome.skipped.get_or_insert((0, here)).0 += 1;
        loop {
            match next_event(self.window.ahead()) {
                Next::At(position) => {
                    self.window.advance(position);
                    return Ok(());
                }
                Next::Perhaps(position) => self.window.advance(position),
            }
            if !self.window.more() {
                return self.cut("no further event can be made out");
            }
        }
    }

    /// Notes that the text ends here.
    pub(super) fn cut(&mut self, reason: &str) -> Result<()> {
        let offset = self.window.offset();
        let reason = match self.window.take_end() {
            Some(End::Failed(error)) => data_error(self.file, error)?,
            _ => reason.to_owned(),
        };
        self.outcome.cut = Some(Cut { offset, reason });
        Ok(())
    }
}

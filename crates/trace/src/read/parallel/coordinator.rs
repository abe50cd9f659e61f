//! One text read by several threads, each a stretch that begins where an event seems to begin.
//!
//! ```text
//! bytes    0       s₁      s₂      s₃      s₄
//! reading  │header…│events►│ takes │events►│ goes on where the part stopped … ──► metadata behind the list
//! parts                    │events►│       │events►]
//! ```
//!
//! That an event begins at a seam is a guess, and nothing depends on it: what a part read counts only if the reading
//! comes to that very byte between two entries of the list. If not, the part is dropped, and the reading reads that
//! stretch itself, from memory.

#[cfg(test)]
#[path = "coordinator_tests.rs"]
mod tests;

use super::queue::{Part, Pipeline, Plan, Texts, Work};
use crate::Result;
use crate::read::json::buffer::Window;
use crate::read::json::document::Reading;
use crate::read::json::{Others, Reached};
use crate::read::source::RankText;
use crate::read::{EventSink, Outcome};
use std::io::Read;
use std::thread::Scope;

/// A sink whose events may come from several readings.
pub(crate) trait PartSink: EventSink + Send + Sized {
    /// A sink for events of later parts. The list goes on in it: [`EventSink::restart`] is not called.
    fn part(&self) -> Self;
    /// Whether it would be the same if it had taken the events of `part` itself.
    fn fits(&self, part: &Self) -> bool;
    /// Takes the events of the part that follows on its own so many entries of the list, and leaves the part without any,
    /// for those of a part further on. Call [`Self::fits`] first.
    fn absorb(&mut self, part: &mut Self, entries: u64);
    /// Nobody wants the events of this part: it is as it was when it was made.
    fn give_up(&mut self);
    /// Tells an empty part what was learnt by now, so that it rather fits.
    fn teach(&self, _part: &mut Self) {}
}

/// Reads a whole trace into `sink`; `others` says how many threads beside the caller's help from now on, and is asked as
/// long as there are none.
///
/// # Errors
/// Those of [`crate::read::read_events`], with which it agrees however many there are.
pub(crate) fn read_parts<R: Read + Send, S: PartSink>(
    reader: R,
    others: &dyn Fn() -> usize,
    file: &str,
    sink: &mut S,
) -> Result<Outcome> {
    read_planned(reader, Plan::default(), others, file, sink)
}

/// The same by any plan.
pub(crate) fn read_planned<R: Read + Send, S: PartSink>(
    reader: R,
    plan: Plan<'_>,
    others: &dyn Fn() -> usize,
    file: &str,
    sink: &mut S,
) -> Result<Outcome> {
    let pipeline = Pipeline::new(reader, plan, file);
    let outcome = std::thread::scope(|scope| {
        // However the reading ends.
        let _closes = Closes(&pipeline);
        let mut first = First { pipeline: &pipeline, scope, others, alone: true };
        // The others unpack while the reading comes to the first event.
        drop(pipeline.first());
        first.call(sink);
        let window = Window::by_stretches(RankText::new(Texts(&pipeline)), plan.chunk);
        Reading::new(window, file, sink, &mut first).whole()
    });
    pipeline.end();
    outcome
}

struct Closes<'p, 's, R: Read, S: PartSink>(&'p Pipeline<'s, R, S>);

impl<R: Read, S: PartSink> Drop for Closes<'_, '_, R, S> {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// Of the reading: it takes what the parts have read.
struct First<'scope, 'env, 's, R, S> {
    pipeline: &'env Pipeline<'s, R, S>,
    scope: &'scope Scope<'scope, 'env>,
    others: &'s dyn Fn() -> usize,
    /// Nobody helps yet.
    alone: bool,
}

impl<'scope, 'env, 's, R: Read + Send, S: PartSink> First<'scope, 'env, 's, R, S> {
    /// Calls the others, if there are some and there will be something to do.
    fn call(&mut self, sink: &S) {
        let pipeline = self.pipeline;
        if !self.alone || !pipeline.lock().goes_on() {
            return;
        }
        let others = (self.others)();
        // Who reads all in parts needs some also without others.
        if others > 0 || !pipeline.plan.direct {
            self.alone = false;
            pipeline.lock().employ(others, || sink.part());
            for _ in 0..others {
                // Where the system has no more threads, there are fewer: the reading does what nobody else does.
                let _ = std::thread::Builder::new().spawn_scoped(self.scope, || pipeline.work());
            }
        }
    }
}

impl<'env, 's, R: Read + Send, S: PartSink> Others<Texts<'env, 's, R, S>, S> for First<'_, 'env, 's, R, S> {
    fn reached(
        &mut self,
        window: &mut Window<RankText<Texts<'env, 's, R, S>>>,
        sink: &mut S,
        outcome: &mut Outcome,
    ) -> Reached {
        self.call(sink);
        self.pipeline.lock().between_entries(outcome.rank_in_text.is_some());
        let Some((stretch, had)) = self.pipeline.first().pop() else { return Reached::Nothing };
        let mut at = had;
        let mut used = None;
        if let Work::Done(mut part) = stretch.work {
            if had == 0 && take(&mut part, sink, outcome) {
                window.go_on_at(part.end);
                window.reader_mut().go_on_at(part.end);
                at = (part.end - stretch.start) as usize;
            } else {
                part.give_up();
                sink.teach(&mut part.sink);
            }
            used = Some(part);
        }
        let text = if at == stretch.text.filled {
            stretch.text
        } else {
            window.reader_mut().passed(&stretch.text.text()[at..]);
            window.go_on_in(stretch.text, stretch.start, at)
        };
        self.pipeline.reuse(text, used);
        Reached::Moved
    }
}

/// What a part has read, if it counts.
fn take<S: PartSink>(part: &mut Part<S>, sink: &mut S, outcome: &mut Outcome) -> bool {
    // One that was cut lacks the text behind its stretch.
    match part.outcome.take() {
        Some(read) if read.cut.is_none() && !read.stopped && sink.fits(&part.sink) => {
            sink.absorb(&mut part.sink, outcome.events);
            outcome.follow(read);
            true
        }
        _ => false,
    }
}

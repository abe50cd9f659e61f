//! Stretches of a text that are unpacked, read and taken into the columns beside each other.
//!
//! ```text
//! file ──► cut ──► │ 7 │ 6 │ 5: read into a part │ 4: read, waits │ 3 ◄── the reading, at its place in the text
//! ```
//!
//! Who is free takes what is most useful: the reading itself takes the first stretch, or what another has made of it;
//! the others read stretches further on into parts, or unpack the next one. Only so many stretches are in memory.

use super::chunk::{Cutter, Seams};
use super::coordinator::PartSink;
use crate::read::Outcome;
use crate::read::json::buffer::{Block, CHUNK, End, Window};
use crate::read::json::document::Reading;
use crate::read::json::event::Memory;
use crate::read::json::{Others, Reached};
use crate::read::source::RankText;
use std::any::Any;
use std::collections::VecDeque;
use std::io::{Empty, Read, Result as IoResult, empty};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Bytes of a stretch: they and what becomes of them stay in the cache of a core.
const STRETCH: usize = 512 * 1024;

/// How a text is read by several.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plan<'s> {
    pub(crate) seams: Seams<'s>,
    /// Bytes asked for at once where the text is read without stretches.
    pub(crate) chunk: usize,
    /// Whether the reading takes what nobody has read yet, and not only parts.
    pub(crate) direct: bool,
}

impl Default for Plan<'_> {
    fn default() -> Self {
        Self { seams: Seams::Guessed(STRETCH), chunk: CHUNK, direct: true }
    }
}

/// With so many others, so many stretches are in memory: each thread may have one and one more may wait for it.
pub(super) fn most_stretches(others: usize) -> usize {
    2 * others + 6
}

/// What the threads of a reading share.
pub(super) struct Pipeline<'s, R, S> {
    pub(super) plan: Plan<'s>,
    file: &'s str,
    state: Mutex<State<'s, R, S>>,
    changed: Condvar,
}

pub(super) struct State<'s, R, S> {
    /// Not there while someone reads the file.
    cutter: Option<Cutter<'s, R>>,
    /// Why the text is over, if it is.
    end: Option<End>,
    /// In the order of the text, from where the reading stands.
    stretches: VecDeque<Stretch<S>>,
    /// So much of the first one the reading has had.
    had: usize,
    /// How many were before the first one.
    passed: usize,
    /// Threads beside that of the reading.
    others: usize,
    /// Threads that wait until something changes.
    waiting: usize,
    /// Those that nobody uses now.
    parts: Vec<Box<Part<S>>>,
    /// Memory for text that nobody uses now.
    memory: Vec<Vec<u8>>,
    /// The reading was between two entries of a list when it last asked for text: what follows may be events.
    in_list: bool,
    /// The text before has said its rank: it need not be looked for.
    has_rank: bool,
    /// The reading has ended.
    closed: bool,
    /// Of one of the threads.
    panic: Option<Box<dyn Any + Send>>,
}

/// A stretch of the text.
pub(super) struct Stretch<S> {
    pub(super) start: u64,
    /// Whoever reads it has it.
    pub(super) text: Block,
    pub(super) work: Work<S>,
}

/// What becomes of a stretch.
pub(super) enum Work<S> {
    /// Nothing yet.
    Waits,
    /// Someone reads it.
    Begun,
    Done(Box<Part<S>>),
}

/// What someone has read of a stretch, beginning at its first byte; used again for others.
pub(super) struct Part<S> {
    pub(super) sink: S,
    /// What it learnt of how events are written.
    memory: Memory,
    /// None if it failed.
    pub(super) outcome: Option<Outcome>,
    /// Where it ended: behind the stretch, or at the end of the list.
    pub(super) end: u64,
}

impl<S: PartSink> Part<S> {
    /// It is as it was when it was made.
    pub(super) fn give_up(&mut self) {
        self.sink.give_up();
        // It may get other slots for the same arguments.
        self.memory = Memory::default();
    }
}

/// Something useful that a thread may do.
enum Job<'s, R, S> {
    Cut(Cutter<'s, R>, Vec<u8>),
    /// The stretch of this number.
    Read(usize, u64, Block, Box<Part<S>>, bool),
}

impl<'s, R: Read, S: PartSink> Pipeline<'s, R, S> {
    pub(super) fn new(reader: R, plan: Plan<'s>, file: &'s str) -> Self {
        let state = State {
            cutter: Some(Cutter::new(reader, plan.seams)),
            end: None,
            stretches: VecDeque::new(),
            had: 0,
            passed: 0,
            others: 0,
            waiting: 0,
            parts: Vec::new(),
            memory: Vec::new(),
            in_list: false,
            has_rank: false,
            closed: false,
            panic: None,
        };
        Self { plan, file, state: Mutex::new(state), changed: Condvar::new() }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, State<'s, R, S>> {
        // Nothing that may panic happens under the lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'g>(&self, mut state: MutexGuard<'g, State<'s, R, S>>) -> MutexGuard<'g, State<'s, R, S>> {
        state.waiting += 1;
        let mut state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        state.waiting -= 1;
        state
    }

    /// Something has changed: who waits looks again. To tell them is a call of the system, and mostly there is nobody.
    fn tell(&self, state: &State<'s, R, S>) {
        if state.waiting > 0 {
            self.changed.notify_all();
        }
    }

    /// What a thread of its own does until the reading ends.
    pub(super) fn work(&self) {
        let work = || {
            let mut state = self.lock();
            while !state.closed {
                // Enough that nobody waits for text.
                let few = state.others + 2;
                state = match state.job(self.plan.direct, few) {
                    Some(job) => self.perform(job, state),
                    None => self.wait(state),
                };
            }
        };
        if let Err(panic) = catch_unwind(AssertUnwindSafe(work)) {
            let mut state = self.lock();
            state.panic = Some(panic);
            self.tell(&state);
        }
    }

    /// Of the reading: waits until nobody is busy with the stretch that comes first, if any is left; works meanwhile.
    pub(super) fn first(&self) -> MutexGuard<'_, State<'s, R, S>> {
        let mut state = self.lock();
        loop {
            if let Some(panic) = state.panic.take() {
                drop(state);
                resume_unwind(panic);
            }
            let there = match state.stretches.front().map(|stretch| &stretch.work) {
                Some(Work::Done(_)) => true,
                Some(Work::Waits) => self.plan.direct || !state.in_list || state.had > 0,
                Some(Work::Begun) => false,
                None => state.end.is_some(),
            };
            if there {
                return state;
            }
            // Unpacking goes on best where it was.
            state = match state.job(self.plan.direct, 1) {
                Some(job) => self.perform(job, state),
                None => self.wait(state),
            };
        }
    }

    fn perform<'g>(
        &'g self,
        job: Job<'s, R, S>,
        state: MutexGuard<'g, State<'s, R, S>>,
    ) -> MutexGuard<'g, State<'s, R, S>> {
        drop(state);
        let state = match job {
            Job::Cut(mut cutter, memory) => {
                let (start, text, end) = cutter.next(memory);
                let mut state = self.lock();
                state.cutter = Some(cutter);
                state.end = end;
                if text.filled > 0 {
                    state.stretches.push_back(Stretch { start, text, work: Work::Waits });
                }
                state
            }
            Job::Read(number, start, text, mut part, has_rank) => {
                let mut reader = RankText::new(empty());
                if !has_rank {
                    reader.go_on_at(start);
                    reader.passed(text.text());
                }
                let window = Window::over(text, start, reader);
                let Part { sink, memory, .. } = &mut *part;
                let (outcome, window) = Reading::new(window, self.file, sink, &mut OneStretch).part(memory);
                (part.outcome, part.end) = (outcome, window.offset());
                let mut state = self.lock();
                // Whoever waits for it does not let it go.
                let at = number - state.passed;
                if let Some(stretch) = state.stretches.get_mut(at) {
                    (stretch.text, stretch.work) = (window.into_block(), Work::Done(part));
                }
                state
            }
        };
        self.tell(&state);
        state
    }

    /// Memory and a part to use again; the others may go on.
    pub(super) fn reuse(&self, text: Block, part: Option<Box<Part<S>>>) {
        let mut state = self.lock();
        state.reuse(text, part);
        self.tell(&state);
    }

    /// The reading has ended: all others stop.
    pub(super) fn close(&self) {
        let mut state = self.lock();
        state.closed = true;
        self.tell(&state);
    }

    /// When all others have stopped: what they left behind.
    pub(super) fn end(self) {
        let state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        for stretch in state.stretches {
            if let Work::Done(mut part) = stretch.work {
                part.give_up();
            }
        }
        if let Some(panic) = state.panic {
            resume_unwind(panic);
        }
    }
}

impl<'s, R, S> State<'s, R, S> {
    /// What is to be done most, if anything is; text is to be unpacked if fewer than `few` stretches wait.
    fn job(&mut self, direct: bool, few: usize) -> Option<Job<'s, R, S>> {
        let waiting = self.stretches.iter().filter(|stretch| matches!(stretch.work, Work::Waits)).count();
        let may_cut = self.end.is_none() && self.cutter.is_some() && self.stretches.len() < most_stretches(self.others);
        if may_cut && waiting < few {
            return self.cut();
        }
        // The first one the reading will take as it is, which saves the part.
        let first = usize::from(direct || self.had > 0);
        let later = self.stretches.iter_mut().enumerate().skip(first);
        // Of the others the last one, which was unpacked a moment ago and is still near.
        if self.in_list
            && let Some((at, stretch)) = later.rev().find(|(_, stretch)| matches!(stretch.work, Work::Waits))
            && let Some(part) = self.parts.pop()
        {
            stretch.work = Work::Begun;
            let text = std::mem::take(&mut stretch.text);
            return Some(Job::Read(self.passed + at, stretch.start, text, part, self.has_rank));
        }
        if may_cut { self.cut() } else { None }
    }

    fn cut(&mut self) -> Option<Job<'s, R, S>> {
        let cutter = self.cutter.take()?;
        Some(Job::Cut(cutter, self.memory.pop().unwrap_or_default()))
    }

    /// The text goes on for longer than what is in memory.
    pub(super) fn goes_on(&self) -> bool {
        self.end.is_none()
    }

    /// So many others help from now on; `sink` makes what they put events into.
    pub(super) fn employ(&mut self, others: usize, sink: impl Fn() -> S) {
        self.others = others;
        let part = || Box::new(Part { sink: sink(), memory: Memory::default(), outcome: None, end: 0 });
        self.parts.extend((0..most_stretches(others)).map(|_| part()));
    }

    /// The reading stands between two entries of a list, and knows its rank or not.
    pub(super) fn between_entries(&mut self, has_rank: bool) {
        (self.in_list, self.has_rank) = (true, has_rank);
    }

    /// The first stretch, and how much of it the reading has had.
    pub(super) fn pop(&mut self) -> Option<(Stretch<S>, usize)> {
        let stretch = self.stretches.pop_front()?;
        self.passed += 1;
        Some((stretch, std::mem::take(&mut self.had)))
    }

    fn reuse(&mut self, text: Block, part: Option<Box<Part<S>>>) {
        // What a single large value took is not kept.
        if text.bytes.len() <= 4 * STRETCH {
            self.memory.push(text.bytes);
        }
        self.parts.extend(part);
    }
}

/// The text of the stretches, for the reading.
pub(super) struct Texts<'p, 's, R, S>(pub(super) &'p Pipeline<'s, R, S>);

impl<R: Read, S: PartSink> Read for Texts<'_, '_, R, S> {
    fn read(&mut self, buffer: &mut [u8]) -> IoResult<usize> {
        // It is inside something: what follows need not be events.
        self.0.lock().in_list = false;
        let mut state = self.0.first();
        let had = state.had;
        let Some(stretch) = state.stretches.front() else {
            return match state.end.replace(End::Over) {
                Some(End::Failed(error)) => Err(error),
                _ => Ok(0),
            };
        };
        let text = &stretch.text.text()[had..];
        let length = buffer.len().min(text.len());
        buffer[..length].copy_from_slice(&text[..length]);
        let all = length == text.len();
        state.had += length;
        if all && let Some((stretch, _)) = state.pop() {
            drop(state);
            let part = match stretch.work {
                Work::Done(mut part) => {
                    part.give_up();
                    Some(part)
                }
                _ => None,
            };
            self.0.reuse(stretch.text, part);
        }
        Ok(length)
    }
}

/// Of a part: it ends with its stretch.
struct OneStretch;

impl<S> Others<Empty, S> for OneStretch {
    fn reached(&mut self, _: &mut Window<RankText<Empty>>, _: &mut S, _: &mut Outcome) -> Reached {
        Reached::Ended
    }
}

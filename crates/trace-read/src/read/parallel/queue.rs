//! Queue of chunks between the threads that read one file: decides which of them decompresses, parses or waits next.
//!
//! ```text
//! file ─► chunker ─► │ 7 waiting │ 6 waiting │ 5 parsing │ 4 parsed │ 3 front │ ─► coordinator
//!         one thread   ▲ newest first: workers parse into fragments              in file order
//! ```
//!
//! One lock guards all state. No thread holds it while it decompresses or parses: a thread takes a [`Job`] out of the
//! state, performs it, and puts the result back. The number of chunks in memory is bounded ([`max_buffered_chunks`]), so a
//! coordinator that falls behind slows the workers down (backpressure).

use super::chunk::{Boundaries, Chunker};
use crate::read::json::buffer::{BUFFER_SIZE, ChunkBuffer, End};
use std::any::Any;
use std::collections::VecDeque;
use std::io::{Read, Result as IoResult};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Upper bound on a chunk, in bytes: its text and its fragment fit into the cache of a core.
const CHUNK_SIZE: usize = 512 * 1024;

/// How a text is split and parsed; tests vary it, the result does not.
#[derive(Debug, Clone, Copy)]
pub struct Plan<'b> {
    /// Where the text is split.
    pub boundaries: Boundaries<'b>,
    /// Bytes requested at once inside a value that crosses a chunk boundary.
    pub buffer_size: usize,
    /// The coordinator parses chunks, too. Otherwise every chunk but the first becomes a fragment.
    pub coordinator_parses: bool,
}

impl Default for Plan<'_> {
    fn default() -> Self {
        Self { boundaries: Boundaries::Guessed(CHUNK_SIZE), buffer_size: BUFFER_SIZE, coordinator_parses: true }
    }
}

/// Returns the upper bound on buffered chunks: one being parsed and one waiting per thread, and a few more.
pub(super) const fn max_buffered_chunks(workers: usize) -> usize {
    2 * workers + 6
}

/// Parser of single chunks, on any thread.
pub(super) trait ChunkParser: Send + Sync {
    /// Result of a chunk, used again for later chunks.
    type Fragment: Send;

    /// Returns a new fragment; `None` if chunks are only decompressed.
    fn fragment(&self) -> Option<Self::Fragment>;

    /// Parses the text of a chunk at offset `start` into an empty fragment, and searches it for the rank if `find_rank`.
    /// Returns the text.
    fn parse(&self, text: ChunkBuffer, start: u64, find_rank: bool, fragment: &mut Self::Fragment) -> ChunkBuffer;

    /// Discards what was parsed: the fragment is empty again.
    fn reset(&self, fragment: &mut Self::Fragment);
}

/// A chunk of the text.
pub(super) struct Chunk<F> {
    pub(super) start: u64,
    /// Empty while a worker parses it.
    pub(super) text: ChunkBuffer,
    pub(super) stage: Stage<F>,
}

/// How far a chunk has come.
pub(super) enum Stage<F> {
    /// Decompressed.
    Waiting,
    /// A thread parses it.
    Parsing,
    /// Parsed, if an event begins at its start.
    Parsed(F),
}

/// The queue.
pub(super) struct ChunkQueue<'b, R, P: ChunkParser> {
    plan: Plan<'b>,
    parser: P,
    state: Mutex<State<'b, R, P::Fragment>>,
    changed: Condvar,
}

struct State<'b, R, F> {
    /// `None` while a thread decompresses.
    chunker: Option<Chunker<'b, R>>,
    /// Why no more text follows, once the last chunk is in the queue.
    end: Option<End>,
    /// In file order.
    chunks: VecDeque<Chunk<F>>,
    /// Bytes of the front chunk already consumed.
    consumed: usize,
    /// Chunks that were removed from the front.
    popped: usize,
    /// Threads besides the coordinator.
    workers: usize,
    /// Threads that wait for a change.
    waiting: usize,
    /// Empty fragments, for later chunks.
    fragments: Vec<F>,
    /// Buffer pool for text.
    buffers: Vec<Vec<u8>>,
    /// The coordinator is between two events, so that chunks may begin with an event. Mid-value, they cannot.
    between_events: bool,
    /// The text names no rank so far.
    find_rank: bool,
    /// The coordinator has ended.
    closed: bool,
    /// The panic of a worker.
    panic: Option<Box<dyn Any + Send>>,
}

/// What a thread can do next.
enum Job<'b, R, F> {
    Decompress(Chunker<'b, R>, Vec<u8>),
    Parse { number: usize, start: u64, text: ChunkBuffer, find_rank: bool, fragment: F },
}

impl<'b, R: Read, P: ChunkParser> ChunkQueue<'b, R, P> {
    pub(super) fn new(reader: R, plan: Plan<'b>, parser: P) -> Self {
        let state = State {
            chunker: Some(Chunker::new(reader, plan.boundaries)),
            end: None,
            chunks: VecDeque::new(),
            consumed: 0,
            popped: 0,
            workers: 0,
            waiting: 0,
            fragments: Vec::new(),
            buffers: Vec::new(),
            between_events: false,
            find_rank: true,
            closed: false,
            panic: None,
        };
        Self { plan, parser, state: Mutex::new(state), changed: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, State<'b, R, P::Fragment>> {
        // Every change under the lock is complete, even if a thread panics.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'g>(
        &self,
        mut state: MutexGuard<'g, State<'b, R, P::Fragment>>,
    ) -> MutexGuard<'g, State<'b, R, P::Fragment>> {
        state.waiting += 1;
        let mut state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        state.waiting -= 1;
        state
    }

    /// Wakes waiting threads; skipped if there are none, since a notification is a system call.
    fn notify_if_waiting(&self, state: &State<'b, R, P::Fragment>) {
        if state.waiting > 0 {
            self.changed.notify_all();
        }
    }

    /// Works as one of the workers until the queue is closed.
    pub(super) fn work(&self) {
        let mut state = self.lock();
        if state.closed {
            return;
        }
        state.workers += 1;
        let worked = catch_unwind(AssertUnwindSafe(|| {
            while !state.closed {
                // Low-water mark: each thread has a chunk to parse next, and one is left.
                let low = state.workers + 2;
                state = match self.next_job(&mut state, low) {
                    Some(job) => self.perform(job, state),
                    None => self.wait(state),
                };
            }
            drop(state);
        }));
        let mut state = self.lock();
        state.workers -= 1;
        if let Err(panic) = worked {
            state.panic = Some(panic);
        }
        self.notify_if_waiting(&state);
    }

    /// Returns the next job by priority: decompress below the low-water mark, parse, decompress.
    fn next_job(&self, state: &mut State<'b, R, P::Fragment>, low: usize) -> Option<Job<'b, R, P::Fragment>> {
        let waiting = state.chunks.iter().filter(|chunk| matches!(chunk.stage, Stage::Waiting)).count();
        let may_decompress =
            state.end.is_none() && state.chunker.is_some() && state.chunks.len() < max_buffered_chunks(state.workers);
        if !(may_decompress && waiting < low)
            && let Some(job) = self.parse_job(state)
        {
            return Some(job);
        }
        let chunker = if may_decompress { state.chunker.take() } else { None };
        chunker.map(|chunker| Job::Decompress(chunker, state.buffers.pop().unwrap_or_default()))
    }

    /// Takes a chunk to parse. Chunks are parsed speculatively: that an event begins at their start is a guess.
    fn parse_job(&self, state: &mut State<'b, R, P::Fragment>) -> Option<Job<'b, R, P::Fragment>> {
        if !state.between_events {
            return None;
        }
        // The front chunk is left to the coordinator, which needs no fragment for it.
        let skipped = usize::from(self.plan.coordinator_parses || state.consumed > 0);
        let later = state.chunks.iter().enumerate().skip(skipped);
        // LIFO: the newest chunk is still in the cache.
        let (at, _) = later.rev().find(|(_, chunk)| matches!(chunk.stage, Stage::Waiting))?;
        let fragment = state.fragments.pop().or_else(|| self.parser.fragment())?;
        let chunk = state.chunks.get_mut(at)?;
        chunk.stage = Stage::Parsing;
        let text = std::mem::take(&mut chunk.text);
        let (number, find_rank) = (state.popped + at, state.find_rank);
        Some(Job::Parse { number, start: chunk.start, text, find_rank, fragment })
    }

    /// Performs a job without the lock.
    fn perform<'g>(
        &'g self,
        job: Job<'b, R, P::Fragment>,
        state: MutexGuard<'g, State<'b, R, P::Fragment>>,
    ) -> MutexGuard<'g, State<'b, R, P::Fragment>> {
        drop(state);
        let state = match job {
            Job::Decompress(mut chunker, memory) => {
                let (start, text, end) = chunker.next(memory);
                let mut state = self.lock();
                state.chunker = Some(chunker);
                state.end = end;
                if text.filled > 0 {
                    state.chunks.push_back(Chunk { start, text, stage: Stage::Waiting });
                }
                state
            }
            Job::Parse { number, start, text, find_rank, mut fragment } => {
                let text = self.parser.parse(text, start, find_rank, &mut fragment);
                let mut state = self.lock();
                // A chunk being parsed is never removed from the queue.
                let at = number - state.popped;
                if let Some(chunk) = state.chunks.get_mut(at) {
                    (chunk.text, chunk.stage) = (text, Stage::Parsed(fragment));
                }
                state
            }
        };
        self.notify_if_waiting(&state);
        state
    }

    /// Works until the front chunk is ready for the coordinator, or the text has ended.
    ///
    /// # Panics
    /// With the panic of a worker.
    fn front(&self) -> MutexGuard<'_, State<'b, R, P::Fragment>> {
        let mut state = self.lock();
        loop {
            if let Some(panic) = state.panic.take() {
                drop(state);
                resume_unwind(panic);
            }
            let is_ready = match state.chunks.front().map(|chunk| &chunk.stage) {
                Some(Stage::Parsed(_)) => true,
                Some(Stage::Waiting) => self.plan.coordinator_parses || !state.between_events || state.consumed > 0,
                Some(Stage::Parsing) => false,
                None => state.end.is_some(),
            };
            if is_ready {
                return state;
            }
            // Decompression is left to the worker that has the decompressor in its cache, as long as a chunk waits.
            state = match self.next_job(&mut state, 1) {
                Some(job) => self.perform(job, state),
                None => self.wait(state),
            };
        }
    }

    /// Decompresses the first chunk. Returns whether more text follows.
    pub(super) fn begin(&self) -> bool {
        self.front().end.is_none()
    }

    /// Removes the front chunk for a coordinator that is between two events. Returns it and how much of it was consumed,
    /// or `None` at the end of the text.
    pub(super) fn pop(&self, find_rank: bool) -> Option<(Chunk<P::Fragment>, usize)> {
        {
            let mut state = self.lock();
            (state.between_events, state.find_rank) = (true, find_rank);
        }
        self.front().pop()
    }

    /// Returns a buffer and a fragment to the pools.
    pub(super) fn recycle(&self, text: ChunkBuffer, fragment: Option<P::Fragment>) {
        let mut state = self.lock();
        // The buffer of a single large value is freed.
        if text.bytes.len() <= 4 * CHUNK_SIZE {
            state.buffers.push(text.bytes);
        }
        state.fragments.extend(fragment);
        self.notify_if_waiting(&state);
    }

    /// Returns a reader of the text from the front chunk on.
    pub(super) fn reader(&self) -> QueueReader<'_, 'b, R, P> {
        QueueReader(self)
    }

    /// Returns the plan.
    pub(super) fn plan(&self) -> Plan<'b> {
        self.plan
    }

    /// Returns a guard that closes the queue when it is dropped.
    pub(super) fn close_on_drop(&self) -> CloseOnDrop<'_, 'b, R, P> {
        CloseOnDrop(self)
    }

    /// Ends the work, and waits for the workers to leave.
    fn close(&self) {
        let mut state = self.lock();
        state.closed = true;
        self.notify_if_waiting(&state);
        while state.workers > 0 {
            state = self.wait(state);
        }
    }

    /// Frees the memory of a closed queue, and discards the fragments that were not merged.
    ///
    /// # Panics
    /// With the panic of a worker.
    pub(super) fn clear(&self) {
        let mut state = self.lock();
        let panic = state.panic.take();
        let chunks = std::mem::take(&mut state.chunks);
        (state.chunker, state.buffers, state.fragments) = (None, Vec::new(), Vec::new());
        drop(state);
        for chunk in chunks {
            self.emptied(chunk.stage);
        }
        if let Some(panic) = panic {
            resume_unwind(panic);
        }
    }

    /// Returns the fragment of a chunk whose text was consumed otherwise, emptied.
    fn emptied(&self, stage: Stage<P::Fragment>) -> Option<P::Fragment> {
        match stage {
            Stage::Parsed(mut fragment) => {
                self.parser.reset(&mut fragment);
                Some(fragment)
            }
            Stage::Waiting | Stage::Parsing => None,
        }
    }
}

impl<R, F> State<'_, R, F> {
    fn pop(&mut self) -> Option<(Chunk<F>, usize)> {
        let chunk = self.chunks.pop_front()?;
        self.popped += 1;
        Some((chunk, std::mem::take(&mut self.consumed)))
    }
}

/// Guard of a queue, which is closed however its coordinator ends.
pub(super) struct CloseOnDrop<'q, 'b, R: Read, P: ChunkParser>(&'q ChunkQueue<'b, R, P>);

impl<R: Read, P: ChunkParser> Drop for CloseOnDrop<'_, '_, R, P> {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// Reader of the text from the front chunk on, for values that cross a chunk boundary.
pub(super) struct QueueReader<'q, 'b, R, P: ChunkParser>(&'q ChunkQueue<'b, R, P>);

impl<R: Read, P: ChunkParser> Read for QueueReader<'_, '_, R, P> {
    fn read(&mut self, buffer: &mut [u8]) -> IoResult<usize> {
        let queue = self.0;
        queue.lock().between_events = false;
        let mut state = queue.front();
        let consumed = state.consumed;
        let Some(chunk) = state.chunks.front() else {
            return match state.end.replace(End::Complete) {
                Some(End::Failed(error)) => Err(error),
                _ => Ok(0),
            };
        };
        let text = &chunk.text.text()[consumed..];
        let length = buffer.len().min(text.len());
        buffer[..length].copy_from_slice(&text[..length]);
        let is_all = length == text.len();
        state.consumed += length;
        if is_all && let Some((chunk, _)) = state.pop() {
            drop(state);
            queue.recycle(chunk.text, queue.emptied(chunk.stage));
        }
        Ok(length)
    }
}

//! Coordinator: the thread that parses one file in order, and merges the fragments that workers parsed ahead of it.
//!
//! ```text
//! offset       0        s₁      s₂      s₃      s₄
//! coordinator  │metadata│ merges│events►│ merges, continues after the fragment … ──► metadata after the array
//! fragments             │events►│       │events►]
//! ```
//!
//! That an event begins at a chunk boundary is a guess. A fragment counts only if the coordinator reaches that very byte
//! between two entries of the array, and if its schema agrees; otherwise it is dropped, and the coordinator parses the chunk
//! itself. So the result is that of one thread.

#[cfg(test)]
#[path = "coordinator_tests.rs"]
mod tests;

use super::queue::{ChunkQueue, Plan, QueueReader, Stage};
use super::worker::{Fragment, FragmentParser};
use crate::Result;
use crate::exec::pool::Pool;
use crate::read::json::buffer::TextBuffer;
use crate::read::json::{Parser, Progress, RankFinder};
use crate::read::{FragmentSink, Outcome};
use std::io::Read;
use std::sync::Arc;

/// Parses a whole trace into `sink`, with the help of a pool.
///
/// # Errors
/// Those of [`crate::read::read_events`], with the same result for any number of helpers.
pub fn read_parallel<'scope, R: Read + Send + 'scope, S: FragmentSink + 'scope>(
    reader: R,
    pool: &Pool<'scope, '_>,
    file: &str,
    sink: &mut S,
) -> Result<Outcome> {
    read_planned(reader, Plan::default(), pool, file, sink)
}

/// Same as [`read_parallel`], by any plan.
pub fn read_planned<'scope, R: Read + Send + 'scope, S: FragmentSink + 'scope>(
    reader: R,
    plan: Plan<'scope>,
    pool: &Pool<'scope, '_>,
    file: &str,
    sink: &mut S,
) -> Result<Outcome> {
    let queue = Arc::new(ChunkQueue::new(reader, plan, FragmentParser::of(sink)));
    let outcome = {
        let _close = queue.close_on_drop();
        // A file of one chunk needs no helpers.
        let has_more = queue.begin();
        let _offer = has_more.then(|| pool.offer(queue.clone()));
        Coordinator { queue: &queue }.run(file, sink)
    };
    queue.clear();
    outcome
}

/// Queue of a file that is parsed into fragments of `S`.
type FileQueue<'b, R, S> = ChunkQueue<'b, R, FragmentParser<S>>;

struct Coordinator<'q, 'b, R, S: FragmentSink> {
    queue: &'q FileQueue<'b, R, S>,
}

/// Parser of the coordinator: its text comes from the queue.
type FileParser<'p, 'q, 'b, R, S> = Parser<'p, QueueReader<'q, 'b, R, FragmentParser<S>>, S>;

impl<'q, 'b, R: Read + Send, S: FragmentSink> Coordinator<'q, 'b, R, S> {
    fn run(&self, file: &str, sink: &mut S) -> Result<Outcome> {
        let reader = RankFinder::new(self.queue.reader());
        let text = TextBuffer::by_chunks(reader, self.queue.plan().buffer_size);
        let mut parser = Parser::of_document(text, file, sink);
        while parser.run()? == Progress::BetweenEvents {
            self.next_chunk(&mut parser);
        }
        parser.finish()
    }

    /// Continues with the next chunk: merges its fragment, or provides its text.
    fn next_chunk(&self, parser: &mut FileParser<'_, 'q, 'b, R, S>) {
        parser.note_rank();
        let find_rank = parser.outcome.rank_in_text.is_none();
        let Some((chunk, consumed)) = self.queue.pop(find_rank) else { return parser.refill() };
        let mut at = consumed;
        let mut used = None;
        if let Stage::Parsed(mut fragment) = chunk.stage {
            if consumed == 0 && merge(&mut fragment, parser) {
                at = (fragment.end - chunk.start) as usize;
            } else {
                fragment.reset();
                parser.sink.seed(&mut fragment.sink);
            }
            used = Some(fragment);
        }
        let text = if at == chunk.text.filled { chunk.text } else { parser.continue_in(chunk.text, chunk.start, at) };
        self.queue.recycle(text, used);
    }
}

/// Merges a fragment that begins at the cursor. Returns whether it could be merged.
fn merge<R: Read, S: FragmentSink>(fragment: &mut Fragment<S>, parser: &mut Parser<'_, R, S>) -> bool {
    match fragment.outcome.take() {
        // A cut fragment lacks the text after its chunk.
        Some(outcome) if outcome.cut.is_none() && !outcome.stopped && parser.sink.can_merge(&fragment.sink) => {
            parser.sink.merge(&mut fragment.sink, parser.outcome.events);
            parser.continue_after(outcome, fragment.end);
            true
        }
        _ => false,
    }
}

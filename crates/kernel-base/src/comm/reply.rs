//! The way back to the front end.

use super::limits::{MOST_ANSWER_BYTES, MOST_BUFFERS};
use crate::Failure;
use crate::session::{SharedSnapshot, Snapshot};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use trace_core::CancellationToken;

/// Where the messages about one request of a front end go.
pub trait Line: Send + Sync {
    /// Publishes a message of this type with buffers behind it. Does not block.
    fn publish(&self, kind: &'static str, content: Value, buffers: Vec<Vec<u8>>);

    /// Says that nothing more is done for the request.
    fn idle(&self);

    /// Waits while a front end is slow to read, until `cancelled`.
    fn wait(&self, cancelled: &dyn Fn() -> bool);
}

/// A flag that ends work: set once, and never cleared.
#[derive(Clone, Default)]
pub(super) struct Flag(Arc<AtomicBool>);

impl Flag {
    pub(super) fn set(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    pub(super) fn is_set(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

/// Sends messages of a conversation to the front end: answers to one of its requests. Clones may be kept and used later, from any
/// thread.
#[derive(Clone)]
pub struct Reply {
    pub(super) id: Arc<str>,
    pub(super) line: Arc<dyn Line>,
    /// The conversation is closed.
    pub(super) closed: Flag,
    /// A newer request replaces this one.
    pub(super) replaced: Flag,
    /// Something was sent.
    pub(super) answered: Flag,
    pub(super) session: SharedSnapshot,
}

impl Reply {
    /// Sends a message: an object, and buffers behind it; returns whether it was sent. Waits while the front end is slow to read, and
    /// sends nothing if nobody waits for the answer any more. An answer that is too large is replaced by an error.
    pub fn send(&self, data: Value, buffers: Vec<Vec<u8>>) -> bool {
        let bytes: usize = buffers.iter().map(Vec::len).sum();
        if bytes > MOST_ANSWER_BYTES || buffers.len() > MOST_BUFFERS {
            let reason = format!(
                "cannot answer: {bytes} bytes in {} buffers, at most {MOST_ANSWER_BYTES} in {MOST_BUFFERS} are sent; ask for less",
                buffers.len()
            );
            self.fail(&data["id"], &Failure::new("AnswerTooLarge", reason));
            return false;
        }
        self.line.wait(&|| self.is_cancelled());
        if self.is_cancelled() {
            return false;
        }
        self.publish(data, buffers);
        true
    }

    /// Sends an error as the answer to the request with this `id`. Does not wait: the event loop calls it, too.
    pub(super) fn fail(&self, id: &Value, failure: &Failure) {
        let Failure { ename, evalue, .. } = failure;
        if !self.is_cancelled() {
            self.publish(json!({"type": "error", "id": id, "ename": ename, "message": evalue}), Vec::new());
        }
    }

    /// Tells the front end that the request with this `id` gets no answer, unless it has one: a newer request replaces it.
    pub(super) fn skip(&self, id: &Value) {
        if !self.answered.is_set() && !self.closed.is_set() && !id.is_null() {
            self.publish(json!({"type": "skipped", "id": id}), Vec::new());
        }
    }

    fn publish(&self, data: Value, buffers: Vec<Vec<u8>>) {
        self.answered.set();
        self.line.publish("comm_msg", json!({"comm_id": &*self.id, "data": data}), buffers);
    }

    /// Whether nobody waits for the answer any more: the conversation is closed, or a newer request replaces this one. Long work of
    /// the library ends by itself then.
    pub fn is_cancelled(&self) -> bool {
        self.closed.is_set() || self.replaced.is_set()
    }

    /// Returns the loaded traces as they are now.
    pub fn session(&self) -> Snapshot {
        self.session.latest()
    }

    /// Returns the token that cancels the work for this request.
    pub(super) fn token(&self) -> CancellationToken {
        let (closed, replaced) = (self.closed.clone(), self.replaced.clone());
        CancellationToken::new(move || closed.is_set() || replaced.is_set())
    }
}

/// Returns the reason why a conversation is closed as JSON.
pub(super) fn described(failure: &Failure) -> Value {
    json!({"ename": failure.ename, "evalue": failure.evalue})
}

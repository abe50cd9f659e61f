//! The interface of a kind of conversation.

use super::Reply;
use crate::Failure;
use crate::session::{LoadId, Snapshot};
use serde_json::Value;

/// A kind of conversation, by the name with which a front end opens it.
pub trait Target: Sync {
    /// Returns its name, `tracebook.NAME`.
    fn name(&self) -> &'static str;

    /// Begins a conversation; `request` is the `data` of the message that opens it, an object. May take long: it runs on a thread of
    /// conversations, under an [`Execution`](trace_core::Execution) that is cancelled when the conversation is closed.
    ///
    /// # Errors
    /// Why it cannot begin: the conversation is closed, and the front end shows the message.
    fn open(&self, request: &Value, session: &Snapshot, reply: Reply) -> Result<Box<dyn Conversation>, Failure>;
}

/// A conversation with one view of a front end. Its messages are handled one after the other, in order.
pub trait Conversation: Send {
    /// Handles a message; `data` is an object. May take long, as [`Target::open`].
    ///
    /// # Errors
    /// Why there is no answer: the front end gets `{"type": "error", "id", "ename", "message"}` with the `id` of `data`, and the
    /// conversation goes on.
    fn message(&mut self, data: &Value, buffers: &[Vec<u8>], reply: &Reply) -> Result<(), Failure>;

    /// Returns the loads that this conversation is about; asked after every message. When one of them is dropped, or its label is
    /// loaded again, the conversation is closed, so that it does not keep the trace in memory.
    fn loads(&self) -> Vec<LoadId> {
        Vec::new()
    }
}

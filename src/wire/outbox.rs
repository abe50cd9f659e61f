//! The way out: any thread puts a message in, the thread that owns the sockets sends them in that order.

use super::frame::{Channel, Writer};
use super::header::Origin;
use super::publisher::Publisher;
use super::waker::Waker;
use serde::Serialize;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::mpsc::Sender;

/// Sends messages, in the order in which they were given. Cheap to clone; never blocks on a slow client.
#[derive(Clone)]
pub struct Outbox {
    pub(super) writer: Arc<Writer>,
    pub(super) queue: Sender<Letter>,
    pub(super) waker: Arc<Waker>,
    pub(super) publisher: Arc<Publisher>,
}

/// What the owner of the sockets is asked to do.
pub(super) enum Letter {
    /// Send these frames to the peer that they name.
    To(Channel, Vec<Vec<u8>>),
    /// Send these frames to all who listen on iopub.
    Publish(Vec<Vec<u8>>),
    /// Send what is left and close.
    Close,
}

impl Outbox {
    /// Publishes on iopub, on behalf of the request `parent` (of none at the start and the end of the kernel).
    pub fn publish(&self, parent: Option<&Origin>, msg_type: &str, content: &impl Serialize) {
        let topic = [format!("kernel.tracebook.{msg_type}").into_bytes()];
        if let Some(frames) = self.write(&topic, parent, msg_type, &json!({}), content) {
            self.post(Letter::Publish(frames));
        }
    }

    /// Answers a request, or asks its sender a question, by the given socket.
    pub fn send(&self, channel: Channel, to: &Origin, msg_type: &str, content: &impl Serialize) {
        self.send_with(channel, to, msg_type, &json!({}), content);
    }

    /// As [`send`](Self::send), with the message's metadata, a JSON object.
    pub fn send_with(&self, channel: Channel, to: &Origin, msg_type: &str, metadata: &Value, content: &impl Serialize) {
        if let Some(frames) = self.write(to.identities(), Some(to), msg_type, metadata, content) {
            self.post(Letter::To(channel, frames));
        }
    }

    /// Waits while the clients of iopub have much left to read, until `interrupted`; not for one that reads nothing.
    pub fn wait_for_clients(&self, interrupted: impl Fn() -> bool) {
        self.publisher.wait(interrupted);
    }

    pub(super) fn close(&self) {
        self.post(Letter::Close);
    }

    fn write(
        &self,
        to: &[Vec<u8>],
        parent: Option<&Origin>,
        msg_type: &str,
        metadata: &Value,
        content: &impl Serialize,
    ) -> Option<Vec<Vec<u8>>> {
        self.writer
            .write_with(to, parent, msg_type, metadata, content)
            .inspect_err(|error| tracing::warn!("cannot write a {msg_type}: {error}"))
            .ok()
    }

    fn post(&self, letter: Letter) {
        // The queue outlives the sockets only while the kernel ends; then nobody is there to be told.
        if self.queue.send(letter).is_ok() {
            self.waker.wake();
        }
    }
}

//! The queue of outgoing messages: any thread adds one, the thread that owns the sockets sends them in order.

use super::frame::{Channel, Writer};
use super::header::Origin;
use super::publisher::Publisher;
use super::waker::Waker;
use serde::Serialize;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::mpsc::Sender;

/// Sends messages in the order of the calls. Cheap to clone; never blocks on a slow client.
#[derive(Clone)]
pub struct Outbox {
    pub(super) writer: Arc<Writer>,
    pub(super) queue: Sender<Outgoing>,
    pub(super) waker: Arc<Waker>,
    pub(super) publisher: Arc<Publisher>,
}

/// A job for the thread that owns the sockets.
pub(super) enum Outgoing {
    /// Send frames to the peer that the first of them names.
    Direct(Channel, Vec<Vec<u8>>),
    /// Send frames to all subscribers of iopub.
    Publish {
        /// The topic first.
        frames: Vec<Vec<u8>>,
        /// Whether the message has a parent request.
        is_answer: bool,
    },
    /// Send what is queued, and close.
    Close,
}

impl Outbox {
    /// Publishes on iopub, for the request `parent` (`None` at the start and the end of the kernel).
    pub fn publish(&self, parent: Option<&Origin>, msg_type: &str, content: &impl Serialize) {
        self.publish_with(parent, msg_type, content, Vec::new());
    }

    /// As [`publish`](Self::publish), with buffers behind the content, which the signature does not cover.
    pub fn publish_with(
        &self,
        parent: Option<&Origin>,
        msg_type: &str,
        content: &impl Serialize,
        buffers: Vec<Vec<u8>>,
    ) {
        let topic = [format!("kernel.tracebook.{msg_type}").into_bytes()];
        if let Some(mut frames) = self.write(&topic, parent, msg_type, &json!({}), content) {
            frames.extend(buffers);
            self.post(Outgoing::Publish { frames, is_answer: parent.is_some() });
        }
    }

    /// Sends a message to the sender of a request: the reply, or a request for input.
    pub fn send(&self, channel: Channel, to: &Origin, msg_type: &str, content: &impl Serialize) {
        self.send_with(channel, to, msg_type, &json!({}), content);
    }

    /// As [`send`](Self::send), with `metadata`, a JSON object.
    pub fn send_with(&self, channel: Channel, to: &Origin, msg_type: &str, metadata: &Value, content: &impl Serialize) {
        if let Some(frames) = self.write(to.identities(), Some(to), msg_type, metadata, content) {
            self.post(Outgoing::Direct(channel, frames));
        }
    }

    /// Applies backpressure: waits while a subscriber of iopub is above the high-water mark and still reads, until `interrupted`.
    pub fn wait_for_clients(&self, interrupted: impl Fn() -> bool) {
        self.publisher.wait(interrupted);
    }

    pub(super) fn close(&self) {
        self.post(Outgoing::Close);
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

    fn post(&self, message: Outgoing) {
        // Fails only while the kernel ends, when the sockets are gone.
        if self.queue.send(message).is_ok() {
            self.waker.wake();
        }
    }
}

//! Messages of comms: between front ends and [`Comms`].

use crate::comm::{Incoming, Line};
use crate::wire::{Origin, Outbox, Request};
use jupyter_protocol::Status;
use serde_json::Value;
use std::sync::Arc;

/// Takes a message of a comm to its conversation, which says *idle* once it is handled.
pub(super) fn incoming(request: Request, outbox: &Outbox) -> Incoming {
    let Request { origin, content, content_bytes, buffers, .. } = request;
    outbox.publish(Some(&origin), "status", &Status::busy());
    let line = Arc::new(RequestLine { origin, outbox: outbox.clone() });
    Incoming { content, content_bytes, buffers, line }
}

/// The way back to the front end: iopub, with the header of its request.
struct RequestLine {
    origin: Origin,
    outbox: Outbox,
}

impl Line for RequestLine {
    fn publish(&self, kind: &'static str, content: Value, buffers: Vec<Vec<u8>>) {
        self.outbox.publish_with(Some(&self.origin), kind, &content, buffers);
    }

    fn idle(&self) {
        self.outbox.publish(Some(&self.origin), "status", &Status::idle());
    }

    fn wait(&self, cancelled: &dyn Fn() -> bool) {
        self.outbox.wait_for_clients(cancelled);
    }
}

//! Input requests: a running cell asks the front end for a line.

use crate::sync::lock;
use crate::wire::{Channel, Origin, Outbox};
use crate::{Error, Failure};
use jupyter_protocol::InputRequest;
use serde_json::Value;
use std::sync::Mutex;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// Interval at which a wait for input checks for an interrupt.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// The pending input request. There is at most one, since cells run one at a time.
#[derive(Default)]
pub(super) struct Stdin {
    pending: Mutex<Option<Sender<String>>>,
}

impl Stdin {
    /// Sends `prompt` to the front end whose request has this origin, and waits for the line.
    ///
    /// # Errors
    /// If the cell is interrupted, or another thread of the cell sends a prompt meanwhile.
    pub(super) fn request(
        &self,
        outbox: &Outbox,
        origin: &Origin,
        prompt: InputRequest,
        interrupted: impl Fn() -> bool,
    ) -> Result<String, Failure> {
        let (sender, line) = channel();
        *lock(&self.pending) = Some(sender);
        outbox.send(Channel::Stdin, origin, "input_request", &prompt);
        loop {
            match line.recv_timeout(POLL_INTERVAL) {
                Ok(line) => return Ok(line),
                Err(RecvTimeoutError::Timeout) if !interrupted() => {}
                // Interrupted, or replaced by the request of another thread of the cell.
                Err(_) => {
                    lock(&self.pending).take_if(|_| interrupted());
                    return Err(Error::Interrupted.into());
                }
            }
        }
    }

    /// Passes an `input_reply` to the waiting cell. Without a pending request, as after an interrupt, it is dropped.
    pub(super) fn reply(&self, content: &Value) {
        if let Some(pending) = lock(&self.pending).take() {
            let _ = pending.send(content["value"].as_str().unwrap_or_default().to_owned());
        }
    }
}

//! Input: a running cell asks the person for a line.

use super::cell_sink::lock;
use crate::wire::{Channel, Origin, Outbox};
use crate::{Error, Failure};
use jupyter_protocol::InputRequest;
use serde_json::Value;
use std::sync::Mutex;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// Who waits for input. At most one does, since cells run one at a time.
#[derive(Default)]
pub(super) struct Stdin {
    waiting: Mutex<Option<Sender<String>>>,
}

impl Stdin {
    /// Asks the front end that sent the request, and waits.
    pub(super) fn ask(
        &self,
        outbox: &Outbox,
        origin: &Origin,
        question: InputRequest,
        interrupted: impl Fn() -> bool,
    ) -> Result<String, Failure> {
        let (sender, answer) = channel();
        *lock(&self.waiting) = Some(sender);
        outbox.send(Channel::Stdin, origin, "input_request", &question);
        loop {
            match answer.recv_timeout(Duration::from_millis(20)) {
                Ok(answer) => return Ok(answer),
                Err(RecvTimeoutError::Timeout) if !interrupted() => {}
                // Interrupted, or another thread of the same cell asked over our head.
                Err(_) => {
                    lock(&self.waiting).take_if(|_| interrupted());
                    return Err(Error::Interrupted.into());
                }
            }
        }
    }

    /// Passes an `input_reply` on. One that nobody waits for, such as the answer to a question of a cell that was
    /// interrupted, is forgotten.
    pub(super) fn answer(&self, reply: &Value) {
        if let Some(waiting) = lock(&self.waiting).take() {
            let _ = waiting.send(reply["value"].as_str().unwrap_or_default().to_owned());
        }
    }
}

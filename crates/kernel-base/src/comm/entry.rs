//! An open conversation, and what waits for it.

use super::limits::{MOST_WAITING, MOST_WAITING_BYTES};
use super::reply::{Flag, Line};
use super::{Conversation, Target};
use crate::session::LoadId;
use serde_json::Value;
use std::collections::VecDeque;
use std::sync::Arc;

/// A request that is being handled: says *idle* when it is dropped.
pub(super) struct Pending(pub(super) Arc<dyn Line>);

impl Drop for Pending {
    fn drop(&mut self) {
        self.0.idle();
    }
}

/// A message that waits for a conversation.
pub(super) struct Job {
    pub(super) pending: Pending,
    pub(super) data: Value,
    pub(super) buffers: Vec<Vec<u8>>,
    /// The bytes of the message.
    pub(super) bytes: usize,
    /// Messages with the same text here replace each other.
    pub(super) replaces: Option<String>,
    /// Set when a newer message replaces this one.
    pub(super) replaced: Flag,
}

/// The state of the work of a conversation.
pub(super) enum Work {
    /// It has not begun: the first job opens it.
    New,
    /// It waits for messages.
    Waiting(Box<dyn Conversation>),
    /// A thread works for it: on a message of this kind, unless `replaced`.
    Running { replaces: Option<String>, replaced: Flag },
}

/// An open conversation.
pub(super) struct Entry {
    /// Tells it from an earlier conversation with the same id.
    pub(super) serial: u64,
    /// When it was last used: a number that grows with every message.
    pub(super) used: u64,
    pub(super) target: &'static dyn Target,
    /// The line of the message that opened it.
    pub(super) line: Arc<dyn Line>,
    pub(super) closed: Flag,
    pub(super) work: Work,
    pub(super) queue: VecDeque<Job>,
    /// The bytes of the queue.
    pub(super) bytes: usize,
    /// Whether it is in the list of conversations that want a thread.
    pub(super) is_ready: bool,
    pub(super) loads: Vec<LoadId>,
}

impl Entry {
    /// Adds a message to the queue; returns those that it replaces.
    ///
    /// # Errors
    /// The message, if too much waits already.
    pub(super) fn push(&mut self, job: Job) -> Result<VecDeque<Job>, Job> {
        let mut older = VecDeque::new();
        if job.replaces.is_some() {
            if let Work::Running { replaces, replaced } = &self.work
                && *replaces == job.replaces
            {
                replaced.set();
            }
            let (same, others): (VecDeque<Job>, VecDeque<Job>) =
                std::mem::take(&mut self.queue).into_iter().partition(|other| other.replaces == job.replaces);
            self.bytes -= same.iter().map(|job| job.bytes).sum::<usize>();
            (older, self.queue) = (same, others);
        }
        if self.queue.len() >= MOST_WAITING || self.bytes.saturating_add(job.bytes) > MOST_WAITING_BYTES {
            return Err(job);
        }
        self.bytes += job.bytes;
        self.queue.push_back(job);
        Ok(older)
    }

    /// Takes the next message and the conversation, if it is idle.
    pub(super) fn begin(&mut self) -> Option<(Option<Box<dyn Conversation>>, Job)> {
        if matches!(self.work, Work::Running { .. }) {
            return None;
        }
        let job = self.queue.pop_front()?;
        self.bytes -= job.bytes;
        let running = Work::Running { replaces: job.replaces.clone(), replaced: job.replaced.clone() };
        match std::mem::replace(&mut self.work, running) {
            Work::Waiting(conversation) => Some((Some(conversation), job)),
            _ => Some((None, job)),
        }
    }
}
